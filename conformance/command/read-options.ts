import { closest, distance } from 'fastest-levenshtein';
import { checks } from '../checks/checks.ts';
import { type Budget, readBudget, readRate } from '../execute/limits.ts';
import { builtPhases, type PhaseName, phases } from '../phases/phase.ts';
import type { WriteMode } from '../plan/permissions.ts';
import { type ReportName, reports } from '../reports/reports.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { RawOptions } from './add-options.ts';

export interface CommandOptions {
  readonly contract: string;
  readonly run: RunOptions;
  readonly reports: readonly ReportName[];
  readonly out: string;
  readonly failOn: readonly string[];
  readonly json: boolean;
}

/** Turns text into options; every fault at once. `needsTarget` is false for what sends nothing. */
export function readOptions(
  raw: RawOptions,
  needsTarget: boolean,
): { readonly options: CommandOptions; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const read = <Value>(parse: () => Value, otherwise: Value): Value => {
    try {
      return parse();
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
      return otherwise;
    }
  };
  const number = (name: string, text: string | undefined, otherwise: number, least = 0): number => {
    if (text === undefined) return otherwise;
    if (!/^\d{1,12}$/.test(text) || Number(text) < least)
      faults.push(`${name} ${text}: give a whole number from ${least} on.`);
    return Number(text);
  };
  const choice = (name: string, given: readonly string[], known: readonly string[]): readonly string[] => {
    for (const one of given) if (!known.includes(one)) faults.push(describeUnknown(name, one, known));
    return given.filter((one) => known.includes(one));
  };
  if (raw.contract === undefined) faults.push('--contract FILE is needed.');
  if (raw.baseUrl === undefined && needsTarget) faults.push('--base-url URL is needed.');
  for (const phase of raw.phase ?? []) {
    if (Object.hasOwn(phases, phase) && !phases[phase as PhaseName].built) {
      faults.push(`--phase ${phase} is not built yet. Built: ${builtPhases.join(', ')}.`);
    }
  }
  const readOnly = raw.readOnly === true;
  const rate = raw.rate ?? (readOnly ? '5/s' : undefined);
  const unlimited: Budget = { requests: undefined, milliseconds: undefined };
  const run: RunOptions = {
    baseUrl: read(() => readUrl('--base-url', raw.baseUrl ?? 'http://localhost'), ''),
    authUrl: raw.authUrl === undefined ? undefined : read(() => readUrl('--auth-url', raw.authUrl ?? ''), undefined),
    credentials: { token: raw.token, clientId: raw.clientId, clientSecret: raw.clientSecret },
    permissions: {
      effects: split(raw.allowEffects),
      readOnly,
      writes: (choice('--writes', [raw.writes ?? 'restore'], ['owned', 'restore', 'all'])[0] ?? 'restore') as WriteMode,
    },
    selection: { only: raw.operation ?? [], exclude: raw.exclude ?? [] },
    checks: choice(
      '--check',
      raw.check ?? [],
      checks.map(({ name }) => name),
    ),
    phases: choice('--phase', raw.phase ?? builtPhases, Object.keys(phases)) as readonly PhaseName[],
    budget: raw.budget === undefined ? unlimited : read(() => readBudget(raw.budget ?? ''), unlimited),
    seed: number('--seed', raw.seed, 1),
    now: raw.now === undefined ? Date.now() : read(() => readNow(raw.now ?? ''), 0),
    workers: number('--workers', raw.workers, 16, 1),
    ratePerSecond: rate === undefined ? undefined : read(() => readRate(rate), undefined),
    timeoutMs: number('--timeout', raw.timeout, 10_000, 1),
    maxWaitMs: number('--max-wait', raw.maxWait, 30_000),
    slowMs: raw.slow === undefined ? undefined : number('--slow', raw.slow, 0, 1),
    headers: (raw.header ?? []).flatMap((line) =>
      read<readonly (readonly [string, string])[]>(() => [readHeader(line)], []),
    ),
  };
  const options: CommandOptions = {
    contract: raw.contract ?? '',
    run,
    reports: choice('--report', split(raw.report), Object.keys(reports)) as readonly ReportName[],
    out: raw.out ?? 'lockstep-conform-report',
    failOn: choice('--fail-on', split(raw.failOn), ['suspect', 'warning', 'unreached']),
    json: raw.json === true,
  };
  return { options, faults };
}

function describeUnknown(name: string, given: string, known: readonly string[]): string {
  const nearest = closest(given, known);
  const isNear = distance(given, nearest) <= given.length / 2;
  return `${name} ${given} does not exist.${isNear ? ` Did you mean ${nearest}?` : ''} There are: ${known.join(', ')}.`;
}

function split(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function readUrl(name: string, text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new RangeError(`${name} ${text} is no http address.`);
  if (url.search !== '' || url.hash !== '')
    throw new RangeError(`${name} ${text}: leave out the query and the fragment.`);
  return text.replace(/\/+$/, '');
}

function readNow(text: string): number {
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) throw new RangeError(`--now ${text} is no time: write 2026-11-20T12:00:00Z.`);
  return instant;
}

function readHeader(line: string): readonly [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(line);
  if (match === null) throw new RangeError(`--header "${line}": write 'Name: value'.`);
  return [match[1] ?? '', match[2] ?? ''];
}
