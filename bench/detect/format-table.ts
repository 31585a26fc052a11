import {
  type Bound,
  type Count,
  countWithin,
  type Detection,
  detectionsPerSecond,
  falsePositives,
  fiveSeconds,
  median,
  type Outcome,
  type RunRecord,
  requestBounds,
  type SeededFault,
  sum,
} from './score.ts';

/** The results of a tool on one server. */
export interface ServerResult {
  readonly server: string;
  readonly columns: readonly string[];
  /** By class of fault, then for all of them; a count for each column. */
  readonly rows: readonly { readonly name: string; readonly counts: readonly Count[] }[];
  /** Over all runs that detected a fault. */
  readonly medianRequest: number | undefined;
  readonly medianMs: number | undefined;
  readonly detectionsPerSecond: number;
  /** Of runs without a fault: others may stop early. */
  readonly requestsPerRun: number;
  readonly requestsPerSecond: number;
  /** The number of runs with each exit code, and of those that the bench stopped. */
  readonly exits: Readonly<Record<string, number>>;
  readonly falsePositives: readonly Pick<Detection, 'check' | 'operation' | 'place' | 'severity'>[];
}

/** @param budget the bound of each run; the columns do not go beyond it */
export function summarise(
  server: string,
  runs: readonly RunRecord[],
  outcomes: readonly Outcome[],
  budget: { readonly requests: number } | { readonly seconds: number },
): ServerResult {
  const bounds: readonly Bound[] =
    'seconds' in budget
      ? [fiveSeconds]
      : [...requestBounds.filter(({ requests }) => requests <= budget.requests), fiveSeconds];
  const seeds = new Set(runs.flatMap(({ fault, seed }) => (fault === undefined ? [] : [seed]))).size;
  const classes = [...new Set(outcomes.map(({ fault }) => fault.class))].toSorted();
  const ofOneRequest = outcomes.filter(({ fault }) => isOfOneRequest(fault));
  const isMixed = ofOneRequest.length > 0 && ofOneRequest.length < outcomes.length;
  const countOf = (part: readonly Outcome[]): readonly Count[] =>
    bounds.map((bound) => countWithin(part, bound, seeds));
  const clean = runs.filter(({ fault }) => fault === undefined);
  const found = outcomes.flatMap(({ detected }) => detected ?? []);
  const codes = Map.groupBy(runs, ({ exitCode }) => (exitCode === null ? 'stopped' : `exit ${exitCode}`));
  return {
    server,
    columns: bounds.map(({ name }) => name),
    rows: [
      ...classes.map((name) => ({ name, counts: countOf(outcomes.filter(({ fault }) => fault.class === name)) })),
      ...(isMixed ? [{ name: 'A to D', counts: countOf(ofOneRequest) }] : []),
      { name: 'all', counts: countOf(outcomes) },
    ],
    medianRequest: median(found.map(({ atRequest }) => atRequest)),
    medianMs: median(found.map(({ atMs }) => atMs)),
    detectionsPerSecond: detectionsPerSecond(outcomes),
    requestsPerRun: sum(clean.map(({ requests }) => requests)) / clean.length,
    requestsPerSecond: sum(clean.map(({ requests }) => requests)) / sum(clean.map(({ seconds }) => seconds)),
    exits: Object.fromEntries([...codes].map(([code, all]) => [code, all.length])),
    falsePositives: [...falsePositives(runs).values()].map(({ check, operation, place, severity }) => ({
      ...{ check, operation, place, severity },
    })),
  };
}

/** The classes that the bench had at first. Their sum stays comparable with earlier runs. */
const isOfOneRequest = ({ class: letter }: SeededFault): boolean => letter < 'E';

/** In Markdown: for each server a row for each class of faults, then the figures of the runs. */
export function formatTable(title: string, results: readonly ServerResult[]): string {
  const columns = results[0]?.columns ?? [];
  const rows = results.flatMap(({ server, rows: all }) =>
    all.map(({ name, counts }) => `| ${[server, name, ...counts.map(formatCount)].join(' | ')} |`),
  );
  const figures = results.map((it) => {
    const cells = [
      it.server,
      formatNumber(it.medianRequest),
      formatNumber(it.medianMs),
      it.detectionsPerSecond.toFixed(3),
      formatNumber(it.requestsPerRun),
      formatNumber(it.requestsPerSecond),
      it.falsePositives.filter(({ severity }) => severity === 'defect').length,
      it.falsePositives.filter(({ severity }) => severity === 'suspect').length,
      Object.entries(it.exits)
        .map(([code, count]) => `${code} × ${count}`)
        .join(', '),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const reports = results.flatMap(({ server, falsePositives: all }) =>
    all.map(({ check, operation, place, severity }) => `- ${server}: ${severity} ${check} ${operation} ${place}`),
  );
  return [
    `${title}. Cells: detected / triggered / all faults; in brackets those that are reported as inconclusive only.`,
    '',
    `| server | class | ${columns.join(' | ')} |`,
    `| --- | --- |${' --- |'.repeat(columns.length)}`,
    ...rows,
    '',
    '| server | median request of the first detection | median ms | detections/s | requests a run | requests/s | false positives | inconclusive ones | exits |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...figures,
    '',
    ...(reports.length === 0 ? [] : ['Reported on a server without a fault:', '', ...reports, '']),
  ].join('\n');
}

function formatCount({ detected, inconclusive, triggered, all }: Count): string {
  const extra = inconclusive === 0 ? '' : ` (${formatNumber(inconclusive)})`;
  return `${formatNumber(detected)}${extra} / ${formatNumber(triggered)} / ${all}`;
}

/** One decimal at most. */
const formatNumber = (value: number | undefined): string => (value === undefined ? '' : `${Number(value.toFixed(1))}`);
