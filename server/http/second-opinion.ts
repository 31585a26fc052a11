import { type ContractDocument, followRef, isObject, readPointer } from '@lockstep/json/json-pointer';
import { readTarget } from '@lockstep/runtime/http-message';
import type { Operation } from '@lockstep/runtime/operation';
import type { ParsedRequest } from '@lockstep/runtime/validation/check-form';
import { parseUrlEncoded } from '@lockstep/runtime/validation/parse-url-encoded';
import type { Logger } from 'pino';
import type { ServiceExchange } from './exchange.ts';

/** `logged`: a disagreement is counted in the log, and our own check decides. `fatal`, for tests: it fails the request. */
export type SecondOpinion = 'off' | 'logged' | 'fatal';

type Middleware = (request: object, response: object, next: (error?: unknown) => void) => unknown;

/**
 * Asks express-openapi-validator about every request that our own check has passed: it must agree. Another author's reading of the same
 * contract finds what one alone gets wrong; it takes five times as long, so that no production waits for it.
 *
 * It is made of the contract's part for one operation when that is first asked: all at once took 2.0 s. It is shown copies, since it
 * coerces what it is given in place. Its own security is off, being open for OAuth by default, as are its uploads and response checks.
 */
export function askSecondOpinion(
  document: ContractDocument,
  logger: Logger,
  mode: Exclude<SecondOpinion, 'off'>,
): (exchange: ServiceExchange, parsed: ParsedRequest) => Promise<void> {
  const validators = new Map<string, readonly Middleware[]>();
  let disagreements = 0;

  return async ({ request, operation }, parsed) => {
    if (operation === undefined) return;
    const known = validators.get(operation.pointer);
    const validator = known ?? (await createValidator(document, operation));
    if (known === undefined) validators.set(operation.pointer, validator);
    const { path, queryText } = readTarget(request.url ?? '/');
    const error = await ask(validator, {
      // HEAD is checked as GET.
      method: operation.method.toUpperCase(),
      originalUrl: request.url,
      url: request.url,
      path,
      baseUrl: '',
      headers: { ...request.headers },
      query: Object.fromEntries(parseUrlEncoded(queryText).map(({ name, value }) => [name, value])),
      params: structuredClone(parsed.path),
      body: structuredClone(parsed.body),
      app: { enabled: () => true, param: () => undefined },
    });
    if (error === undefined) return;
    disagreements += 1;
    const context = { operationId: operation.operationId, disagreements, ...describe(error) };
    logger.warn(context, 'the second opinion refuses what our own check passes');
    if (mode === 'fatal') throw new Error(`second opinion: ${JSON.stringify(context)}`, { cause: error });
  };
}

/** It takes 0.2 s to load, and nobody who starts a service should wait for it. */
async function createValidator(
  document: ContractDocument,
  { pointer, path, method }: Operation,
): Promise<readonly Middleware[]> {
  const { middleware } = await import('express-openapi-validator');
  const item = followRef(document, readPointer(document, pointer.slice(0, pointer.lastIndexOf('/'))));
  const { parameters, servers, [method]: operation } = item;
  const shared = { ...(parameters !== undefined && { parameters }), ...(servers !== undefined && { servers }) };
  const part = { ...document, paths: { [path]: { ...shared, [method]: operation } } };
  // The types of its options know Express's own objects alone; it needs no more of them than it is given.
  return middleware({
    apiSpec: structuredClone(part) as unknown as Parameters<typeof middleware>[0]['apiSpec'] & object,
    validateApiSpec: false,
    validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: 'full' },
  }) as unknown as readonly Middleware[];
}

/** @returns what it objects to, or what went wrong with it; undefined where it agrees */
async function ask(validator: readonly Middleware[], request: object): Promise<unknown> {
  for (const handler of validator) {
    const error = await new Promise<unknown>((resolve) => {
      // It throws, rejects or calls `next` with its error, whichever comes first.
      Promise.try(handler, request, {}, resolve).catch(resolve);
    });
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Names of parameters and members. Where it finds no route it names the path, which may hold an id. */
const shownPlace = /^\/(query|params|headers|body)(\/|$)/;

/** Places alone where it objects: no value of a request goes into the log. */
function describe(error: unknown): { readonly places: readonly string[] } | { readonly err: unknown } {
  const isRefusal = isObject(error) && typeof error.status === 'number' && error.status < 500;
  if (!isRefusal || !Array.isArray(error.errors)) return { err: error };
  const places = error.errors.map(({ path = '' }: { readonly path?: string }) => path);
  return { places: places.map((place) => (shownPlace.test(place) ? place : 'the path')) };
}
