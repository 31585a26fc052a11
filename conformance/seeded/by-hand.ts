import type { RunContext } from '../checks/check.ts';
import { type Contract, isJson } from '../contract/contract.ts';
import { readContract } from '../contract/read-contract.ts';
import { readJson } from '../execute/content.ts';
import type { NumberedExchange, OutgoingRequest } from '../execute/exchange.ts';
import { createResources } from '../resources/resources.ts';
import { createJudge } from '../schema/create-judge.ts';
import { plainIntent } from './apis.ts';

/** A contract with the paths and components that a test needs. */
export function contractOf(paths: object, components: object = {}, version = '3.1.0'): Contract {
  const document = { openapi: version, info: { title: 'T', version: '1' }, paths, components };
  return readContract('api.json', JSON.stringify(document));
}

/** The run context before the first request. */
export function contextOf(contract: Contract): RunContext {
  return {
    contract,
    judge: createJudge(contract),
    permissions: { effects: [], readOnly: false, writes: 'owned' },
    now: 0,
    seed: 1,
    tag: '',
    slowMs: undefined,
    maxWaitMs: 0,
    wait: async () => undefined,
    resources: createResources(contract),
    accepted: new Map(),
    limited: new Set(),
    failedLike: () => 1,
    discovered: () => 0,
    secretsSeen: [],
    doubts: new Map(),
  };
}

interface GivenExchange {
  readonly operation?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly request?: Partial<OutgoingRequest>;
  readonly intent?: Partial<NumberedExchange['intent']>;
}

/** An exchange with the named operation of a contract, by default the first. */
export function exchangeOf(contract: Contract, given: GivenExchange): NumberedExchange {
  const operation = contract.operations.find(({ id }) => given.operation === undefined || id === given.operation);
  if (operation === undefined) throw new Error(`no operation ${given.operation ?? ''}`);
  const headers = Object.entries(given.headers ?? {});
  const body = Buffer.from(given.body ?? '');
  const seen = { path: {}, query: {}, requestHeaders: {}, requestBody: undefined };
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  return {
    operation,
    intent: { ...plainIntent, ...given.intent },
    request: {
      method: operation.method.toUpperCase(),
      base: '',
      path: operation.path,
      headers: [],
      body: undefined,
      ...given.request,
    },
    outcome: { kind: 'answer', status: given.status ?? 200, headers, body, durationMs: 1 },
    seen: isJson(type) ? { ...seen, responseBody: jsonOf(body) } : seen,
    isPause: false,
    atMs: 0,
    number: 1,
  };
}

/** An exchange that the server rejects; a text body is text/plain, anything else JSON. @param sent values that links can read */
export function rejectionOf(
  contract: Contract,
  body: unknown,
  { status = 400, ...sent }: { readonly status?: number } & Partial<NumberedExchange['seen']>,
): NumberedExchange {
  const isText = typeof body === 'string';
  const headers = { 'content-type': isText ? 'text/plain' : 'application/json' };
  const exchange = exchangeOf(contract, { status, headers, body: isText ? body : JSON.stringify(body) });
  return { ...exchange, seen: { ...exchange.seen, status, ...sent } };
}

function jsonOf(body: Buffer): unknown {
  const read = readJson(body);
  return read !== undefined && 'value' in read ? read.value : undefined;
}
