import { type Outcome, type Outcomes, type Step, steps } from './try-document.ts';

/** A document with what came of it. */
export interface Tried {
  readonly file: string;
  readonly openapi: string;
  readonly bytes: number;
  readonly operations: number;
  readonly outcomes: Partial<Outcomes>;
}

const marks: Readonly<Record<Outcome['kind'], string>> = {
  passed: '',
  nothing: '–',
  failed: '**failed**',
  skipped: 'not tried',
};

/** A Markdown table: a row each, with seconds where a step passed, and the sums below. */
export function formatTable(tried: readonly Tried[]): string {
  const head = ['document', 'OpenAPI', 'kB', 'operations', ...steps, 'most MB'];
  const rows = tried.map(({ file, openapi, bytes, operations, outcomes }) => [
    file.replace(/\.json$/, ''),
    openapi,
    String(Math.ceil(bytes / 1000)),
    String(operations),
    ...steps.map((step) => formatOutcome(outcomes[step])),
    String(Math.round(Math.max(0, ...Object.values(outcomes).map(({ megabytes }) => megabytes)))),
  ]);
  const good = (step: Step): number =>
    tried.filter(({ outcomes }) => ['passed', 'nothing'].includes(outcomes[step]?.kind ?? 'skipped')).length;
  const whole = tried.filter(({ outcomes }) =>
    steps.every((step) => ['passed', 'nothing'].includes(outcomes[step]?.kind ?? 'passed')),
  ).length;
  const sums = [`through all: ${whole} of ${tried.length}`, '', '', '', ...steps.map((step) => String(good(step))), ''];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), line(sums)].join('\n');
}

function formatOutcome(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '';
  return outcome.kind === 'passed' ? outcome.seconds.toFixed(1) : marks[outcome.kind];
}

/** What failed, with the first lines of what it said. */
export function formatCauses(tried: readonly Tried[]): string {
  return tried
    .flatMap(({ file, outcomes }) =>
      steps.flatMap((step) => {
        const { cause, isCrash } = outcomes[step] ?? {};
        return cause === undefined
          ? []
          : [`${file} ${step}${isCrash ? ' CRASH' : ''}\n${cause.replaceAll(/^/gm, '    ')}`];
      }),
    )
    .join('\n');
}
