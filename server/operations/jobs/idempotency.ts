import { createHmac, hkdfSync } from 'node:crypto';
import type { EpochMilliseconds } from '../../clock.ts';
import { refuse } from '../../error-catalogue.ts';
import type { Principal } from '../../principal.ts';
import type { IdempotencyKey } from '../../store/jobs/job-store.ts';
import type { Store } from '../../store/store.ts';

const keptMs = 24 * 3_600_000;

/** What makes two requests the same: all that decides what they do, by its meaning. */
export interface RequestMeaning {
  readonly operation: string;
  readonly path: Readonly<Record<string, string>>;
  /** The body as it was understood: JSON values, in any order. */
  readonly body: object;
}

/** Turns an `Idempotency-Key` and its request into what is kept of them; null where no key was sent. */
export type ReadIdempotencyKey = (
  key: string | undefined,
  principal: Pick<Principal, 'accountId' | 'clientId'>,
  meaning: RequestMeaning,
  now: EpochMilliseconds,
) => IdempotencyKey | null;

/**
 * Keys and requests are kept as HMAC-SHA-256 under a key of their own: a key may be a guest's name, and the four digits of a custom PIN
 * would be found in a plain hash within a second.
 *
 * **The same request is one that means the same.** `jobType` 2, `"2"` and `"UNLOCK"` are one request, and so are `jobData` as text and
 * as object, its members in any order, and two spellings of one instant: a client that sends again after an update of its JSON library
 * gets its job and no second one. The account belongs to the request: what a partner sends for one owner is no answer for another.
 *
 * @param deviceKey 32 bytes of the key file
 */
export function createIdempotency(deviceKey: Uint8Array): ReadIdempotencyKey {
  const hashKey = new Uint8Array(hkdfSync('sha256', deviceKey, '', 'lockstep/idempotency/v1', 32));
  const hash = (...parts: readonly string[]) =>
    createHmac('sha256', hashKey).update(JSON.stringify(parts)).digest('base64url');
  return (key, { accountId, clientId }, { operation, path, body }, now) => {
    if (key === undefined) return null;
    return {
      clientId,
      keyHash: hash('key', clientId, key),
      requestHash: hash('request', accountId, operation, writeCanonical(path), writeCanonical(body)),
      keepUntil: now + keptMs,
    };
  };
}

/**
 * Answers a request whose key is known. It is asked before anything else is looked at, so that a repetition gets its job whatever has
 * become of the bridge since. Of two requests at once it sees neither: that is decided where the job is created.
 */
export async function answerKnownKey(
  { jobs }: Pick<Store, 'jobs'>,
  key: IdempotencyKey | null,
  keyText: string | undefined,
  now: EpochMilliseconds,
) {
  const known = key === null ? undefined : await jobs.findReplay(key, now);
  if (known === undefined) return undefined;
  return known.kind === 'key_reused' ? refuseReused(keyText) : answerReplayed(known.jobId);
}

export function answerReplayed(jobId: string) {
  return { status: 200, headers: { 'Idempotency-Replayed': true }, body: { jobId } } as const;
}

export function refuseReused(keyText = '') {
  return refuse('idempotency_key_reused', {
    text: `Idempotency-Key ${keyText.length > 60 ? `${keyText.slice(0, 60)}…` : keyText} was used for another request`,
    details: [{ in: 'header', at: 'Idempotency-Key', says: 'must be new for a new request', nearest: [] }],
  });
}

/** JSON text that is the same for the same values, whatever the order of members. Undefined members are left out. */
function writeCanonical(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
