import { createTestClock } from '../seeded/apis.ts';
import type { Instead } from '../seeded/faults.ts';
import { limiting, quotaEdits } from '../seeded/rate-faults.ts';
import type { FalsePositiveServer } from './servers.ts';

const library = { limit: 4, windowMs: 20_000, body: { reason: 'too many' } };
const depot = { limit: 5, windowMs: 30_000, body: { error: 'too-often' } };
const [ofBook, ofDepots] = [/^PUT \/v2\/books\/b\d+$/, /^GET \/api\/depots$/];

/** A server with the clock of its run. */
function timed(
  row: Pick<FalsePositiveServer, 'name' | 'tempts' | 'api' | 'at' | 'contract' | 'inconclusive'>,
  instead: (now: () => number) => Instead,
): FalsePositiveServer {
  const clock = createTestClock();
  return { ...row, instead: instead(clock.now), options: { clock, maxWaitMs: 60_000 } };
}

/** Changes the header of each answer 429. */
const withPause =
  (limit: Instead, spell: (seconds: number) => string): Instead =>
  async (request, handle) => {
    const answer = await limit(request, handle);
    if (answer.status !== 429) return answer;
    return { ...answer, headers: { 'retry-after': spell(Number(answer.headers?.['retry-after'])) } };
  };

/** Some calls of another client count too. */
const sharing =
  (limit: Instead): Instead =>
  async (request, handle) => {
    await limit(request, handle);
    return limit(request, handle);
  };

const rejected = { at: '#/paths/~1books/get/responses/429', to: { $ref: '#/components/responses/Refused' } };

/** Servers that limit rates as their contracts allow. */
export const rateServers: readonly FalsePositiveServer[] = [
  timed(
    {
      name: 'keeps the quota of each book',
      tempts: ['quota-early', 'quota-unenforced'],
      api: 'library',
      at: ofBook,
      contract: quotaEdits.library,
    },
    (now) => limiting(now, library),
  ),
  timed(
    {
      name: 'rounds the pause down',
      tempts: ['retry-after-lie'],
      api: 'library',
      at: ofBook,
      contract: quotaEdits.library,
    },
    (now) => limiting(now, { ...library, pause: (seconds) => Math.max(0, seconds - 1) }),
  ),
  timed(
    {
      name: 'names the end of the pause by a date',
      tempts: ['retry-after-lie'],
      api: 'depot',
      at: ofDepots,
      contract: quotaEdits.depot,
    },
    (now) => withPause(limiting(now, depot), () => 'Wed, 01 Apr 2026 09:30:00 GMT'),
  ),
  timed(
    {
      ...{
        name: 'has another client of the account',
        tempts: ['quota-early', 'retry-after-lie'],
        api: 'depot',
        at: ofDepots,
        contract: quotaEdits.depot,
      },
      inconclusive: ['quota-early', 'retry-after-lie'],
    },
    (now) => sharing(limiting(now, depot)),
  ),
  timed(
    {
      name: 'has a second limit, with a code of its own',
      tempts: ['quota-early'],
      api: 'depot',
      at: ofDepots,
      contract: quotaEdits.depot,
    },
    (now) => limiting(now, { ...depot, limit: 2, body: { error: 'queue-full' } }),
  ),
  timed(
    {
      name: 'limits a list that has no quota',
      tempts: ['retry-after-lie'],
      api: 'library',
      at: /^GET \/v2\/books$/,
      contract: [rejected],
    },
    (now) => limiting(now, { ...library, limit: 6 }),
  ),
];
