import { createHmac, hkdfSync } from 'node:crypto';
import type { EpochMilliseconds } from '../../clock.ts';
import { reject } from '../../error-catalogue.ts';
import type { Principal } from '../../principal.ts';
import type { IdempotencyKey } from '../../store/jobs/job-store.ts';
import type { Store } from '../../store/store.ts';

const keptMs = 24 * 3_600_000;

/** The values that make two requests the same: everything that determines their effect, independent of its spelling. */
export interface RequestMeaning {
  readonly operation: string;
  readonly path: Readonly<Record<string, string>>;
  /** The parsed body: JSON values, members in any order. */
  readonly body: object;
}

/** Creates the record of an `Idempotency-Key` and its request; null without a key. */
export type ReadIdempotencyKey = (
  key: string | undefined,
  principal: Pick<Principal, 'accountId' | 'clientId'>,
  meaning: RequestMeaning,
  now: EpochMilliseconds,
) => IdempotencyKey | null;

/**
 * Stores keys and requests as HMAC-SHA-256 under their own key: a key may be a guest's name, and a plain hash of four PIN digits is
 * reversed within a second.
 *
 * **Requests with the same meaning are the same.** `jobType` 2, `"2"` and `"UNLOCK"` are one request, and so are `jobData` as text and as
 * object, its members in any order, and two spellings of one instant: a client that repeats a request after an update of its JSON library
 * gets its first job. The account is part of the request: a partner's job for one owner is no answer for another.
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
 * Answers a request whose key is known. It runs before any other look-up, so that a repetition gets its job even if the bridge has changed
 * since. It can't see concurrent requests with the same key: `jobs.create` decides between those.
 */
export async function answerKnownKey(
  { jobs }: Pick<Store, 'jobs'>,
  key: IdempotencyKey | null,
  keyText: string | undefined,
  now: EpochMilliseconds,
) {
  const known = key === null ? undefined : await jobs.findReplay(key, now);
  if (known === undefined) return undefined;
  return known.kind === 'key_reused' ? rejectReused(keyText) : answerReplayed(known.jobId);
}

export function answerReplayed(jobId: string) {
  return { status: 200, headers: { 'Idempotency-Replayed': true }, body: { jobId } } as const;
}

export function rejectReused(keyText = '') {
  return reject('idempotency_key_reused', {
    text: `Idempotency-Key ${keyText.length > 60 ? `${keyText.slice(0, 60)}…` : keyText} was used for another request`,
    details: [{ in: 'header', at: 'Idempotency-Key', says: 'must be new for a new request', nearest: [] }],
  });
}

/** JSON text that is the same for the same values, whatever the order of members. Undefined members are omitted. */
function writeCanonical(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
