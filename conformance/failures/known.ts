import type { Acceptance, Collected, Finding } from './finding.ts';

/** An accepted failure, as the config file lists it. */
export interface KnownFailure extends Acceptance {
  /** The id of a finding, or the fingerprint of one of its places. */
  readonly id: string;
  /** For readers, and to know whether a run had the check. */
  readonly check?: string;
  /** All operations if omitted. A failure of another operation is new, even if its cause is known. */
  readonly operations?: readonly string[];
}

export interface KnownFinding extends Finding {
  readonly known: Acceptance;
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
    const byEntry = Map.groupBy(operations.length === 0 ? [''] : operations, (operation) => {
      const covering = entriesFor(cause, operation, entries);
      for (const entry of covering) matched.set(entry, (matched.get(entry) ?? new Set()).add(operation));
      return covering[0];
    });
    const isOver = (entry: KnownFailure): boolean => now >= Date.parse(entry.until) + dayMs;
    const counting = [...byEntry].flatMap(([entry, own]) => (entry === undefined || isOver(entry) ? own : []));
    const expired = [...byEntry.keys()].find((entry) => entry !== undefined && isOver(entry));
    if (counting.length > 0)
      findings.push({ ...cause.ofOperations(counting), ...(expired && { expired: acceptanceOf(expired) }) });
    for (const [entry, own] of byEntry)
      if (entry !== undefined && !isOver(entry)) known.push({ ...cause.ofOperations(own), known: acceptanceOf(entry) });
  }
  const unmatched = entries.flatMap((entry) => {
    const seen = matched.get(entry);
    const missing = (entry.operations ?? []).filter((operation) => seen?.has(operation) !== true);
    return seen === undefined || missing.length > 0 ? [{ entry, operations: missing }] : [];
  });
  return { findings, known, unmatched };
}

function acceptanceOf({ reason, until }: KnownFailure): Acceptance {
  return { reason, until };
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
