import type { Collected, Finding, KnownFailure } from './finding.ts';

export interface KnownFinding extends Finding {
  readonly known: Pick<KnownFailure, 'reason' | 'until'>;
}

interface Divided {
  /** Findings that nobody accepted, or whose acceptance has expired: these count. */
  readonly findings: readonly Finding[];
  readonly known: readonly KnownFinding[];
  /** Entries that match nothing, with the operations on which they do not. */
  readonly unmatched: readonly Unmatched[];
}

export interface Unmatched {
  readonly entry: KnownFailure;
  /** Empty for an entry of all operations. */
  readonly operations: readonly string[];
}

const dayMs = 86_400_000;

/** Divides each cause by its operations: an entry may accept it on some of them. */
export function divideFindings(causes: readonly Collected[], entries: readonly KnownFailure[], now: number): Divided {
  const findings: Finding[] = [];
  const known: KnownFinding[] = [];
  const matched = new Map<KnownFailure, Set<string>>();
  for (const cause of causes) {
    const { operations } = cause.finding;
    const isOver = ({ until }: KnownFailure): boolean => now >= Date.parse(until) + dayMs;
    const expired = new Set<KnownFailure>();
    const byEntry = Map.groupBy(operations.length === 0 ? [''] : operations, (operation) => {
      const covering = entriesFor(cause, operation, entries);
      for (const entry of covering) matched.set(entry, (matched.get(entry) ?? new Set()).add(operation));
      const valid = covering.find((entry) => !isOver(entry));
      if (valid === undefined) for (const entry of covering) expired.add(entry);
      return valid;
    });
    for (const [entry, own] of byEntry) {
      const finding = cause.ofOperations(own);
      if (entry === undefined) findings.push(expired.size === 0 ? finding : { ...finding, expired: [...expired] });
      else known.push({ ...finding, known: { reason: entry.reason, until: entry.until } });
    }
  }
  const unmatched = entries.flatMap((entry) => {
    const seen = matched.get(entry);
    const missing = (entry.operations ?? []).filter((operation) => seen?.has(operation) !== true);
    return seen === undefined || missing.length > 0 ? [{ entry, operations: missing }] : [];
  });
  return { findings, known, unmatched };
}

/** The entries that cover a cause on one operation: as a whole, or all of its places there. */
function entriesFor(cause: Collected, operation: string, entries: readonly KnownFailure[]): readonly KnownFailure[] {
  const here = entries.filter(({ operations }) => operations === undefined || operations.includes(operation));
  const whole = here.filter(({ id }) => cause.ids.has(id));
  if (whole.length > 0) return whole;
  const places = cause.finding.occurrences.filter((one) => one.operation === operation);
  const ofPlaces = places.map(({ fingerprint }) => here.find(({ id }) => id === fingerprint));
  const covering = ofPlaces.filter((entry) => entry !== undefined);
  return covering.length === places.length ? covering : [];
}

interface Tested {
  /** Names of the checks of the run. */
  readonly checks: readonly string[];
  readonly isEveryCheck: boolean;
  /** Operations of the contract. */
  readonly operations: readonly string[];
  /** Operations whose valid request was accepted. */
  readonly reached: readonly string[];
}

/** Entries whose failure is gone: a complete run tested their operations with their check, and did not find it. */
export function findGone(
  unmatched: readonly Unmatched[],
  { checks, isEveryCheck, operations, reached }: Tested,
): readonly Unmatched[] {
  const isTested = (operation: string): boolean => reached.includes(operation) || !operations.includes(operation);
  return unmatched.flatMap(({ entry, operations: missing }) => {
    if (entry.check === undefined ? !isEveryCheck : !checks.includes(entry.check)) return [];
    // A failure of the contract itself needs no request.
    const needed = entry.check === 'contract' ? [] : operations;
    if (entry.operations === undefined) return needed.every(isTested) ? [{ entry, operations: [] }] : [];
    const gone = missing.filter(isTested);
    return gone.length > 0 ? [{ entry, operations: gone }] : [];
  });
}
