import { styleHash } from './style.ts';

/**
 * The value of the header Content-Security-Policy for any of the pages.
 *
 * @param formTargets where the answer to a form may lead besides this origin, each an address, of which the origin counts, or a
 * scheme such as `https:`. Chrome holds every redirect after a form to `form-action`, those of the client's own callback too
 * (shown with 156), so a client that leads on to another origin needs its scheme instead of its callback.
 * @throws TypeError when a target is neither
 */
export function contentPolicy(formTargets: readonly string[] = []): string {
  const sources = formTargets.map((target) => (/^https?:$/.test(target) ? target : new URL(target).origin));
  return [
    "default-src 'none'",
    `style-src ${styleHash}`,
    `form-action ${["'self'", ...new Set(sources)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
