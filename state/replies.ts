import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { readDuration } from '@lockstep/values/instant';
import type { Plan } from './infer-roles.ts';
import { once } from './once.ts';
import type { StateAnswer, StateRequest } from './request.ts';
import type { Store } from './store.ts';
import { plainName } from './template.ts';

const day = 86_400_000;

const keyNames: ReadonlySet<string> = new Set(['idempotencykey', 'xidempotencykey', 'idempotentkey', 'xidempotentkey']);

/** The header with the key of a request: as `x-idempotency` declares it, otherwise by its usual name. */
const headerOf = once(({ operation }: Plan): { readonly name: string | undefined; readonly keepMs: number } => {
  const { 'x-idempotency': declared } = operation.extensions;
  if (isObject(declared)) return { name: String(declared.header), keepMs: readDuration(String(declared.keep)) ?? day };
  const isKey = (one: (typeof operation.parameters)[number]): boolean =>
    one.in === 'header' && keyNames.has(plainName(one.name));
  return { name: operation.parameters.find(isKey)?.name, keepMs: day };
});

const reused = [422, 409, 400] as const;

/**
 * Answers a request whose `Idempotency-Key` the same account has sent before as the first time, without another change. The key of another
 * account is another key. Only successful answers are kept.
 *
 * @param answer runs within the same change of the store
 * @see draft-ietf-httpapi-idempotency-key-header, section 5: a key is looked up together with its client
 */
export function answerOnce(
  plan: Plan,
  { headers, path, query, body, caller }: StateRequest,
  { replies, now }: { readonly replies: Store['replies']; readonly now: number },
  answer: () => StateAnswer | undefined,
): StateAnswer | undefined {
  const { name: header, keepMs } = headerOf(plan);
  const key = header === undefined || plan.operation.method === 'get' ? undefined : headers[header.toLowerCase()];
  if (typeof key !== 'string' || key === '') return answer();
  // The name is a digest, as a caller without an account is named by its credentials.
  const name = digest([plan.operation.operationId, caller ?? null, key]);
  const print = digest([path, query, body ?? null]);
  const text = replies.find(name, now);
  const known: JsonObject | undefined = text === undefined ? undefined : JSON.parse(text);
  if (known?.print === print) return known.answer as StateAnswer;
  if (known !== undefined)
    return { kind: 'rejected', statuses: reused, text: `this ${header} was sent with another request` };
  const made = answer();
  if (made?.kind === 'answer' && made.status < 300)
    replies.keep(name, { text: JSON.stringify({ print, answer: made }), until: now + keepMs }, now);
  return made;
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
