import { type Outcome, type Outcomes, type Peers, type Step, steps } from './try-document.ts';

/** A document with what came of it. */
export interface Tried {
  readonly file: string;
  readonly openapi: string;
  readonly bytes: number;
  readonly operations: number;
  readonly outcomes: Partial<Outcomes>;
  readonly peers?: Peers;
}

const marks: Readonly<Record<Outcome['kind'], string>> = {
  passed: '',
  nothing: '–',
  failed: '**failed**',
  skipped: 'not tried',
};

/** A Markdown table: a row each, with seconds where a step passed, and the sums below. */
export function formatTable(tried: readonly Tried[]): string {
  const head = ['document', 'OpenAPI', 'kB', 'operations', ...steps, 'most MB', 'time', 'memory'];
  const rows = tried.map(({ file, openapi, bytes, operations, outcomes, peers }) => [
    file.replace(/\.json$/, ''),
    openapi,
    String(Math.ceil(bytes / 1000)),
    String(operations),
    ...steps.map((step) => formatOutcome(outcomes[step])),
    String(Math.round(Math.max(0, ...Object.values(outcomes).map(({ megabytes }) => megabytes)))),
    formatRatio(outcomes.generate?.seconds, peers?.seconds),
    formatRatio(outcomes.generate?.megabytes, peers?.megabytes),
  ]);
  const good = (step: Step): number =>
    tried.filter(({ outcomes }) => ['passed', 'nothing'].includes(outcomes[step]?.kind ?? 'skipped')).length;
  const whole = tried.filter(({ outcomes }) =>
    steps.every((step) => ['passed', 'nothing'].includes(outcomes[step]?.kind ?? 'passed')),
  ).length;
  const sums = [
    `through all: ${whole} of ${tried.length}`,
    '',
    '',
    '',
    ...steps.map((step) => String(good(step))),
    '',
    ...sumRatios(tried),
  ];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), line(sums)].join('\n');
}

/** Of all documents together: seconds summed, megabytes of the hungriest. */
function sumRatios(tried: readonly Tried[]): readonly string[] {
  const both = tried.flatMap(({ outcomes: { generate }, peers }) =>
    generate?.kind === 'passed' && peers !== undefined && peers.cause === undefined ? [{ generate, peers }] : [],
  );
  if (both.length === 0) return ['', ''];
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  return [
    formatRatio(sum(both.map(({ generate }) => generate.seconds)), sum(both.map(({ peers }) => peers.seconds))),
    formatRatio(
      Math.max(...both.map(({ generate }) => generate.megabytes)),
      Math.max(...both.map(({ peers }) => peers.megabytes)),
    ),
  ];
}

function formatRatio(ours: number | undefined, theirs: number | undefined): string {
  return ours === undefined || theirs === undefined || theirs === 0 ? '' : (ours / theirs).toFixed(2);
}

function formatOutcome(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '';
  return outcome.kind === 'passed' ? outcome.seconds.toFixed(1) : marks[outcome.kind];
}

/** The failed commands, with the first lines of their output. */
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
