// Rate limits of two APIs, and faults of theirs.
import { createTestClock, withEdits } from './apis.ts';
import { by, type Instead, type SeededFault } from './faults.ts';
import type { Handler, TestAnswer } from './serve.ts';
import type { ContractEdit } from './validate.ts';

const rejected = { $ref: '#/components/responses/Refused' };
const [book, depots] = ['#/paths/~1books~1{bookId}/put', '#/paths/~1depots/get'];
const ofBook = /^PUT \/v2\/books\/b\d+$/;

/** The contract of each API with a quota. */
export const quotaEdits: Readonly<Record<'library' | 'depot', readonly ContractEdit[]>> = {
  library: [
    { at: `${book}/x-quota`, to: { limit: 4, window: 'PT20S', per: 'bookId' } },
    { at: `${book}/responses/429`, to: rejected },
  ],
  depot: [
    { at: `${depots}/x-quota`, to: { code: 'too-often', limit: 5, window: 'PT30S', per: 'account' } },
    { at: `${depots}/responses/429`, to: rejected },
  ],
};

interface Limit {
  readonly limit: number;
  readonly windowMs: number;
  readonly body: object;
  /** The pause that an answer asks for, by that which would do. */
  readonly pause?: (seconds: number) => number;
}

/** Counts the accepted requests of each path and account within any window of a clock. */
export function limiting(now: () => number, { limit, windowMs, body, pause = (seconds) => seconds }: Limit): Instead {
  const ofServers = new WeakMap<Handler, Map<string, number[]>>();
  return async (request, handle) => {
    const counts = ofServers.get(handle) ?? new Map<string, number[]>();
    ofServers.set(handle, counts);
    const key = `${request.path} ${request.headers.cookie} ${request.headers['x-library-key']}`;
    const recent = (counts.get(key) ?? []).filter((time) => time > now() - windowMs);
    const [oldest = 0] = recent;
    if (recent.length >= limit) {
      const seconds = pause(Math.ceil((oldest + windowMs - now()) / 1_000));
      return { status: 429, headers: { 'retry-after': String(seconds) }, body } satisfies TestAnswer;
    }
    const answer = await handle(request);
    counts.set(key, answer.status < 300 ? [...recent, now()] : recent);
    return answer;
  };
}

type Row = Pick<SeededFault, 'name' | 'api' | 'at' | 'caughtBy' | 'severity'>;

/** A fault of a limiter, whose clock is that of the run. */
function limited(row: Row, limit: Omit<Limit, 'body'>): SeededFault {
  const clock = createTestClock();
  const isLibrary = row.api === 'library';
  const body = isLibrary ? { reason: 'too many' } : { error: 'too-often' };
  const options = { clock, maxWaitMs: 60_000 };
  return { ...row, instead: limiting(clock.now, { ...limit, body }), options };
}

const ofLibrary = { edits: quotaEdits.library, amend: withEdits('library', quotaEdits.library) };
const ofDepot = { edits: quotaEdits.depot, amend: withEdits('depot', quotaEdits.depot) };
const second = 1_000;

export const rateFaults: readonly SeededFault[] = [
  {
    ...{ name: 'every change of a book is accepted', api: 'library', ...ofLibrary },
    caughtBy: by('quota-unenforced', 'replaceBook', `${book}/x-quota`, 'limit'),
  },
  {
    ...{ name: 'every list of depots is accepted', api: 'depot', ...ofDepot },
    caughtBy: by('quota-unenforced', 'listDepots', `${depots}/x-quota`, 'limit'),
  },
  {
    ...limited(
      {
        ...{ name: 'the last change of a book that the quota allows is rejected', api: 'library', at: ofBook },
        caughtBy: by('quota-early', 'replaceBook', `${book}/x-quota`, 'early'),
      },
      { limit: 3, windowMs: 20 * second },
    ),
    ...ofLibrary,
  },
  {
    ...limited(
      {
        ...{ name: 'half of the lists that the quota allows are rejected', api: 'depot', at: /^GET \/api\/depots$/ },
        caughtBy: by('quota-early', 'listDepots', `${depots}/x-quota`, 'early'),
        severity: 'suspect',
      },
      { limit: 2, windowMs: 30 * second },
    ),
    ...ofDepot,
  },
  {
    ...limited(
      {
        ...{ name: 'Retry-After is a second whatever the window is', api: 'depot', at: /^GET \/api\/depots$/ },
        caughtBy: by('retry-after-lie', 'listDepots', rejected.$ref, 'retry-after'),
      },
      { limit: 5, windowMs: 30 * second, pause: () => 1 },
    ),
    ...ofDepot,
  },
  {
    ...limited(
      {
        ...{ name: 'Retry-After is too short, of a limit without a quota', api: 'library', at: /^GET \/v2\/books$/ },
        caughtBy: by('retry-after-lie', 'listBooks', rejected.$ref, 'retry-after'),
        severity: 'suspect',
      },
      { limit: 4, windowMs: 1_000 * second, pause: () => 2 },
    ),
    amend: withEdits('library', [{ at: '#/paths/~1books/get/responses/429', to: rejected }]),
  },
];
