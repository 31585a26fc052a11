import {
  type Contract,
  contentFor,
  isJson,
  type Operation,
  type Parameter,
  responseFor,
  type SecurityScheme,
} from '../../conformance/contract/contract.ts';
import { isObject } from '../../conformance/contract/document.ts';
import type { Authorization, Draft, OutgoingRequest } from '../../conformance/execute/exchange.ts';
import { writeRequest } from '../../conformance/execute/write-request.ts';
import type { Judge } from '../../conformance/schema/create-judge.ts';
import { slotsOf } from './find-pairs.ts';
import type { MadeBody, Maker } from './make-values.ts';

export interface Reply {
  readonly operation: Operation;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined if there is none, or it is not JSON. */
  readonly body: unknown;
  /** Where the answer differs from the contract, one line each. */
  readonly faults: readonly string[];
}

export interface Asked {
  /** Values of the parameters in the path, in their order. */
  readonly slots: readonly unknown[];
  /** Values of optional parameters of the query. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: MadeBody | 'none';
}

export interface Client {
  /** The request as it would be sent. @throws Error if a required parameter has no valid value */
  readonly write: (operation: Operation, asked: Asked) => OutgoingRequest;
  /** @throws Error if there is no answer in time, or a required parameter has no valid value */
  readonly send: (operation: Operation, asked: Asked) => Promise<Reply>;
  /** Number of requests so far. */
  readonly count: () => number;
}

/** Time for one answer, unless another one is given. */
export const usualPatienceMs = 10_000;

/**
 * Sends requests that are valid by the contract, with credentials of the right format, and judges each answer by the contract: a documented
 * status, a documented media type, a body that matches its schema, the required headers.
 *
 * @param addressOf the address of an operation, without a trailing slash
 */
export function createClient(
  contract: Contract,
  judge: Judge,
  maker: Maker,
  addressOf: (operation: Operation) => string,
  patienceMs = usualPatienceMs,
): Client {
  let count = 0;
  const write = (operation: Operation, { slots, query = {}, body = 'none' }: Asked): OutgoingRequest => {
    const names = slotsOf(operation.path);
    const chosen = (parameter: Parameter): unknown => {
      if (parameter.in === 'path') return slots[names.indexOf(parameter.name)];
      if (parameter.in === 'query' && Object.hasOwn(query, parameter.name)) return query[parameter.name];
      return parameter.required ? maker.parameter(parameter, 0) : undefined;
    };
    const parameters = operation.parameters.flatMap((parameter) => {
      const value = chosen(parameter);
      if (value === undefined && parameter.required) throw new Error(`no valid value for parameter ${parameter.name}`);
      return value === undefined ? [] : [{ parameter, value }];
    });
    const draft: Draft = { operation, parameters, body: body === 'none' ? undefined : body, label: 'walk' };
    return writeRequest(draft, addressOf(operation), credentialsFor(contract, operation), judge.forms.request);
  };
  return {
    count: () => count,
    write,
    send: async (operation, asked) => {
      const request = write(operation, asked);
      count += 1;
      const ask = (): Promise<Response> =>
        fetch(`${request.base}${request.path}`, {
          method: request.method,
          headers: request.headers.map(([name, value]): [string, string] => [name, value]),
          body: request.body === undefined ? null : new Uint8Array(request.body),
          redirect: 'manual',
          signal: AbortSignal.timeout(patienceMs),
        });
      // A mock may close an idle connection while the next request is on its way (RFC 9112, 9.3.1). One that executed a POST has two items then.
      const response = await ask().catch((error: unknown) => {
        if (isClosed(error)) return ask();
        throw error;
      });
      const text = await response.text();
      const { status, headers } = response;
      const faults = judgeAnswer(judge, operation, status, headers, text);
      return { operation, status, headers, body: parse(text), faults };
    },
  };
}

function isClosed(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isObject(cause) && (cause.code === 'UND_ERR_SOCKET' || cause.code === 'ECONNRESET');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The faults of an answer by the contract alone. */
function judgeAnswer(
  judge: Judge,
  operation: Operation,
  status: number,
  headers: Headers,
  text: string,
): readonly string[] {
  const where = `${operation.method.toUpperCase()} ${operation.path}: ${status}`;
  const response = responseFor(operation, status);
  if (response === undefined) return [`${where} is not documented`];
  const missing = response.headers.filter(({ required, name }) => required && !headers.has(name));
  const faults = missing.map(({ name }) => `${where} lacks the header ${name}`);
  if (response.contents.length === 0 || [204, 205, 304].includes(status)) return faults;
  const mediaType = headers.get('content-type') ?? '';
  if (text === '') return [...faults, `${where} has no body`];
  const content = contentFor(response.contents, mediaType);
  if (content === undefined) return [...faults, `${where} has the undocumented media type ${mediaType}`];
  if (!isJson(mediaType) || content.schema === undefined) return faults;
  const body = parse(text);
  if (body === undefined) return [...faults, `${where} is not JSON`];
  const [violation, ...others] = judge.judge(content.schema, 'response', body) ?? [];
  if (violation === undefined) return faults;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return [...faults, `${where} at ${violation.at || 'its root'} ${violation.message}${more}`];
}

const credential = 'any-credential-of-the-walk';

/** Credentials for the first alternative of an operation. */
function credentialsFor({ schemes }: Contract, { security }: Operation): Authorization {
  const names = Object.keys(security[0] ?? {});
  const used = names.flatMap((name) => (schemes[name] === undefined ? [] : [schemes[name]]));
  const of = (place: string) => used.flatMap(({ key }) => (key?.in === place ? [[key.name, credential] as const] : []));
  const headers = used.flatMap((scheme) => headerOf(scheme));
  return { headers: [...headers, ...of('header')], query: of('query'), cookies: of('cookie'), scopes: undefined };
}

function headerOf({ type, scheme }: SecurityScheme): readonly (readonly [string, string])[] {
  if (type === 'apiKey') return [];
  if (type === 'http' && scheme === 'basic') return [['authorization', `Basic ${btoa(`walk:${credential}`)}`]];
  return [['authorization', `Bearer ${credential}`]];
}
