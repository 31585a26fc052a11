import { isObject, type JsonObject } from '../contract/document.ts';
import type { Instead } from '../seeded/faults.ts';
import { inRead, jobEdits } from '../seeded/job-faults.ts';
import type { FalsePositiveServer } from './servers.ts';

/** The object beneath a member. */
const within = (object: JsonObject, name: string): JsonObject => {
  const { [name]: value } = object;
  return isObject(value) ? value : {};
};

const phase = (body: JsonObject, name: string): JsonObject => ({ ...body, progress: { phase: name, over: false } });

/** A job that is over is removed soon after it was read. */
const removing = (): Instead => {
  const over = new Set<string>();
  return async (request, handle) => {
    if (over.has(request.path)) return { status: 404, body: { reason: 'no such scan' } };
    const answer = await handle(request);
    if (isObject(answer.body) && answer.body.state === 'done') over.add(request.path);
    return answer;
  };
};

const [ofScan, ofCount] = [/^GET \/v2\/scans\/s\d+$/, /^GET \/api\/counts\/\d+$/];

/** Unusual servers whose jobs come to their end as the contract allows. */
export const jobServers: readonly FalsePositiveServer[] = [
  {
    ...({ name: 'starts a job again, as declared', tempts: ['job-regress'], api: 'depot', at: ofCount } as const),
    instead: inRead((body, reads) =>
      reads > 3 && reads < 6 ? phase(body, reads === 4 ? 'waiting' : 'counting') : body,
    ),
  },
  {
    ...({
      name: 'shows a job in a state that x-state does not list',
      tempts: ['job-regress'],
      api: 'depot',
      at: ofCount,
    } as const),
    instead: inRead((body, reads) => (reads === 3 ? phase(body, 'checking') : body)),
  },
  {
    ...({
      name: 'gives a job more time as long as it makes progress',
      tempts: ['job-stuck'],
      api: 'library',
      at: ofScan,
    } as const),
    instead: inRead((body, reads) =>
      reads < 10
        ? { ...body, state: 'scanning', until: new Date(Date.parse(String(body.until)) + 20_000 * reads) }
        : body,
    ),
  },
  {
    ...({ name: 'has a simulated clock', tempts: ['job-stuck'], api: 'library', at: ofScan } as const),
    instead: inRead((body, reads) => ({
      ...body,
      until: '2020-01-01T00:00:00Z',
      ...(reads < 8 && { state: 'queued' }),
    })),
  },
  {
    name: 'removes a job that is over',
    tempts: ['job-regress', 'job-stuck'],
    api: 'library',
    at: ofScan,
    fresh: removing,
  } as const,
  {
    ...({
      name: 'shows when a job was read last, after its end too',
      tempts: ['job-regress'],
      api: 'depot',
      at: ofCount,
    } as const),
    instead: inRead((body, reads) => ({
      ...{ ...body, progress: { ...within(body, 'progress'), reads } },
      ...(reads > 3 && { missing: reads, seen: `2026-04-01T08:00:0${Math.min(reads, 5)}Z` }),
    })),
  },
].map((server) => ({
  ...{ ...server, contract: jobEdits[server.api] },
  options: { maxWaitMs: 60_000 },
}));
