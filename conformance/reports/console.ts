import { counted, nameSome, printable, printableParts } from '../contract/printable.ts';
import { type Finding, formatFinding } from '../failures/finding.ts';
import { describeCoverage } from '../run/contract-coverage.ts';
import type { Progress, RunResult } from '../run/run.ts';

/** The report for people: findings, warnings with their fixes, coverage and omissions. */
export function formatConsole(given: RunResult): string {
  // Of thousands of keywords, this report shows only the number.
  const result = printableParts({
    ...given,
    coverage: { ...given.coverage, requestKeywords: [], responseKeywords: [] },
  });
  const defects = result.findings.filter(({ severity }) => severity === 'defect');
  const [ofContract, inconclusive] = [true, false].map((isOfContract) =>
    result.findings.filter(({ severity, check }) => severity === 'suspect' && (check === 'contract') === isOfContract),
  );
  const shrinking = result.shrinkRequests === 0 ? '' : ` (${result.shrinkRequests} to shrink findings)`;
  const isElsewhere = result.verdict === 'unreachable' || result.verdict === 'wrong-address';
  const sections = [
    // The reason why a run proves nothing comes before its consequences.
    result.fix === undefined ? '' : `${result.message}\n  ${result.fix}`,
    section('Defects', defects.map(formatFinding)),
    section('Inconclusive findings (not in the exit code)', (inconclusive ?? []).map(formatFinding)),
    section('Faults of the contract (not in the exit code)', (ofContract ?? []).map(formatFinding)),
    section(
      'Known (not in the exit code)',
      result.known.map(({ id, check, operations, place, message, known: { until, reason } }) =>
        [
          `${id}   ${[check, nameSome(operations), place].filter(Boolean).join('   ')}`,
          `  ${message}`,
          `  until ${until}: ${reason}`,
        ].join('\n'),
      ),
    ),
    section(
      'Warnings',
      result.warnings.map(({ message, fix }) => `${message}\n  ${fix}`),
    ),
    isElsewhere ? '' : formatCoverage(result, describeCoverage(given.coverage)),
    formatVariables(result.findings, result),
    `${result.message} ${counted(result.requests, 'request')}${shrinking} in ${(result.durationMs / 1000).toFixed(2)} s, seed ${result.seed}.`,
    // This comes last: a run without defects proves nothing about these parts.
    formatNotTested(result.notTested),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

export function formatNotTested(reasons: readonly string[]): string {
  return ['Not tested:', ...reasons.map((reason) => `  ${printable(reason)}`)].join('\n');
}

function section(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${title}: ${items.length}\n\n${items.join('\n\n')}`;
}

function formatCoverage({ coverage, obligations }: RunResult, figures: readonly string[]): string {
  const met = obligations.filter(({ state }) => state === 'met').length;
  const violated = obligations.filter(({ state }) => state === 'violated').length;
  const width = Math.max(0, ...coverage.operations.map(({ operation }) => operation.length));
  const rows = coverage.operations.map(({ operation, isReached, requests, seen }) => {
    return `  ${operation.padEnd(width)}  ${isReached ? 'accepted' : 'never   '}  ${String(requests).padStart(3)} ${requests === 1 ? 'request ' : 'requests'}  ${seen.join(' ')}`;
  });
  const total = `Covered: ${coverage.reached} of ${counted(coverage.operations.length, 'operation')} accepted, ${coverage.responsesSeen} of ${coverage.responses} documented responses seen; obligations: ${met} met, ${violated} violated, ${obligations.length - met - violated} not reached`;
  return [total, ...figures.map((line) => `  ${line}`), ...rows].join('\n');
}

/** The variables of the curl lines: the given addresses, and a description of each secret. */
export function formatVariables(findings: readonly Finding[], { baseUrl, authUrl }: RunResult): string {
  if (findings.every(({ curl }) => curl === '')) return '';
  const auth = authUrl === undefined ? '' : ` AUTH='${authUrl}'`;
  const needs = new Map(findings.flatMap(({ curlNeeds }) => Object.entries(curlNeeds)));
  const secrets = [...needs].filter(([variable]) => variable !== 'BASE' && variable !== 'AUTH');
  return [
    'To send the requests of a finding again: lockstep-conform replay ID, with the credentials of this run',
    `Before you paste a curl line: export BASE='${baseUrl}'${auth}`,
    ...secrets.map(([variable, is]) => `  ${variable}=…   ${is}`),
    // A run deletes the items that it creates if the contract has an operation for that.
    ...(findings.some(({ label }) => /\brecorded\b/.test(label))
      ? ['The ids in the lines are those of this run: if an item no longer exists, use the id of another one.']
      : []),
  ].join('\n');
}

interface Stream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const everyMs = { terminal: 100, other: 5_000 } as const;

/** Updates one line on a terminal; elsewhere, prints a line now and then. The first one comes after the same time. */
export function createLiveProgress(
  stream: Stream,
  otherMs: number = everyMs.other,
): {
  readonly show: (format: () => string) => void;
  readonly clear: () => void;
} {
  const isLive = stream.isTTY === true;
  let last = isLive ? 0 : performance.now();
  let isShown = false;
  return {
    show: (format) => {
      const now = performance.now();
      if (now - last < (isLive ? everyMs.terminal : otherMs)) return;
      last = now;
      isShown = isLive;
      stream.write(isLive ? `\r\u001b[2K${format()}` : `${format()}\n`);
    },
    clear: () => {
      if (isShown) stream.write('\r\u001b[2K');
      isShown = false;
    },
  };
}

export function formatProgress({ phase, requests, met, obligations, findings, elapsedMs }: Progress): string {
  const rate = elapsedMs > 0 ? Math.round((requests * 1000) / elapsedMs) : 0;
  return `${phase}: ${requests} requests, ${rate}/s, ${met} of ${obligations} obligations met, ${findings} findings`;
}
