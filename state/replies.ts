import { createHash } from 'node:crypto';
import { isObject } from '@lockstep/json/json-pointer';
import { readDuration } from '@lockstep/values/instant';
import type { Plan } from './infer-roles.ts';
import { once } from './once.ts';
import type { StateAnswer, StateRequest } from './request.ts';
import { plainName } from './template.ts';

type Sent = Extract<StateAnswer, { kind: 'answer' }>;

export interface Reply {
  /** SHA-256 of the request. */
  readonly print: string;
  readonly answer: Sent;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly bytes: number;
}

export type Replies = ReturnType<typeof createReplies>;

/** The successful answers of one memory, by operation and key. The oldest are forgotten if all together are longer than the limit. */
export function createReplies(mostBytes: number) {
  const known = new Map<string, Reply>();
  let bytes = 0;

  const forget = (name: string): void => {
    bytes -= known.get(name)?.bytes ?? 0;
    known.delete(name);
  };

  return {
    find: (name: string, now: number): Reply | undefined => {
      const reply = known.get(name);
      return reply === undefined || reply.until <= now ? undefined : reply;
    },
    keep: (name: string, reply: Omit<Reply, 'bytes'>): void => {
      forget(name);
      const size = name.length + JSON.stringify(reply.answer).length;
      known.set(name, { ...reply, bytes: size });
      bytes += size;
      for (const [oldest] of known) if (bytes > mostBytes) forget(oldest);
    },
  };
}

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

/** @returns undefined if the request has no key */
export function readKeyed(plan: Plan, { headers, path, query, body }: StateRequest) {
  const { name, keepMs } = headerOf(plan);
  const key = name === undefined || plan.operation.method === 'get' ? undefined : headers[name.toLowerCase()];
  if (name === undefined || typeof key !== 'string' || key === '') return undefined;
  const print = createHash('sha256')
    .update(JSON.stringify([path, query, body]))
    .digest('hex');
  return { header: name, name: JSON.stringify([plan.operation.operationId, key]), print, keepMs };
}
