import { html } from './html.ts';
import type { Language } from './messages/catalogues.ts';
import { renderPage } from './page.ts';
import { wordingOf } from './wording.ts';

/**
 * `login-ended`: expired, finished, or two logins at once in one browser. `invalid-request`: any other fault of the application.
 * `cross-site`: a form that another site sent.
 */
export type Problem =
  | {
      readonly kind:
        | 'login-ended'
        | 'no-cookies'
        | 'unknown-client'
        | 'unregistered-callback'
        | 'invalid-request'
        | 'cross-site'
        | 'not-found'
        | 'internal';
    }
  | { readonly kind: 'busy'; readonly waitSeconds: number };

export interface ProblemPage {
  readonly language: Language;
  readonly problem: Problem;
  /** The error code of OAuth or of the contract, for support. */
  readonly error: string;
  /** `error_description`, in English, for the developer of the application. */
  readonly description?: string | undefined;
  readonly requestId: string;
}

/** A page without a link to the application, whose address may be the fault. */
export function renderProblem({ language, problem, error, description, requestId }: ProblemPage): string {
  const wording = wordingOf(language);
  const { say, wait } = wording;
  const heading = `problem.${problem.kind}` as const;
  const text =
    problem.kind === 'busy'
      ? say('problem.busy.text', { wait: wait(problem.waitSeconds) })
      : say(`problem.${problem.kind}.text`);
  return renderPage({
    wording,
    title: [heading],
    width: 'narrow',
    main: html`<h1>${say(heading)}</h1>
<p>${text}</p>
<dl class="trace foot small muted">
<div><dt>${say('problem.error')}</dt><dd><code>${error}</code>${
      description !== undefined && html` <span lang="en">${description}</span>`
    }</dd></div>
<div><dt>${say('problem.request')}</dt><dd><code>${requestId}</code></dd></div>
</dl>`,
  });
}
