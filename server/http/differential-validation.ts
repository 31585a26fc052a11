import { type ContractDocument, followRef, isObject, readPointer } from '@lockstep/json/json-pointer';
import { readTarget } from '@lockstep/runtime/http-message';
import type { Operation } from '@lockstep/runtime/operation';
import type { ParsedRequest } from '@lockstep/runtime/validation/check-request';
import { parseUrlEncoded } from '@lockstep/runtime/validation/parse-url-encoded';
import type { Logger } from 'pino';
import type { ServiceExchange } from './exchange.ts';

/** `logged`: the log counts disagreements, and our own validation decides. `fatal`, for tests: a disagreement fails the request. */
export type DifferentialValidation = 'off' | 'logged' | 'fatal';

type Middleware = (request: object, response: object, next: (error?: unknown) => void) => unknown;

/**
 * Runs express-openapi-validator on every request that our own validation has accepted. A second author's reading of the contract finds
 * mistakes of the first. The validator takes five times as long, so production leaves it off.
 *
 * Each operation gets its validator, for its part of the contract, at its first request: all at once took 2.0 s. The validator receives
 * copies, since it coerces values in place. Its security check accepts any OAuth request by default, so that check is off, like uploads and responses.
 */
export function createDifferentialValidation(
  document: ContractDocument,
  logger: Logger,
  mode: Exclude<DifferentialValidation, 'off'>,
): (exchange: ServiceExchange, parsed: ParsedRequest) => Promise<void> {
  const validators = new Map<string, readonly Middleware[]>();
  let disagreements = 0;

  return async ({ request, operation }, parsed) => {
    if (operation === undefined) return;
    const known = validators.get(operation.pointer);
    const validator = known ?? (await createValidator(document, operation));
    if (known === undefined) validators.set(operation.pointer, validator);
    const { path, queryText } = readTarget(request.url ?? '/');
    const error = await runValidator(validator, {
      // HEAD is validated as GET.
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
    logger.warn(context, 'express-openapi-validator rejects a request that our own validation accepts');
    if (mode === 'fatal') throw new Error(`differential validation: ${JSON.stringify(context)}`, { cause: error });
  };
}

/** Loads the package, which takes 0.2 s, at the first request, so that no start waits for it. */
async function createValidator(
  document: ContractDocument,
  { pointer, path, method }: Operation,
): Promise<readonly Middleware[]> {
  const { middleware } = await import('express-openapi-validator');
  const item = followRef(document, readPointer(document, pointer.slice(0, pointer.lastIndexOf('/'))));
  const { parameters, servers, [method]: operation } = item;
  const shared = { ...(parameters !== undefined && { parameters }), ...(servers !== undefined && { servers }) };
  const part = { ...document, paths: { [path]: { ...shared, [method]: operation } } };
  // The package declares Express's types, but uses only the members that `createDifferentialValidation` provides.
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

/** @returns the validator's objection or its own failure; undefined when it accepts */
async function runValidator(validator: readonly Middleware[], request: object): Promise<unknown> {
  for (const handler of validator) {
    const error = await new Promise<unknown>((resolve) => {
      // The middleware reports an error by a throw, a rejected promise or `next`.
      Promise.try(handler, request, {}, resolve).catch(resolve);
    });
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Names of parameters and members. For an unknown route the validator names the path, which may contain an id. */
const shownPlace = /^\/(query|params|headers|body)(\/|$)/;

/** Locations only: no value of a request goes into the log. */
function describe(error: unknown): { readonly places: readonly string[] } | { readonly err: unknown } {
  const isRejection = isObject(error) && typeof error.status === 'number' && error.status < 500;
  if (!isRejection || !Array.isArray(error.errors)) return { err: error };
  const places = error.errors.map(({ path = '' }: { readonly path?: string }) => path);
  return { places: places.map((place) => (shownPlace.test(place) ? place : 'the path')) };
}
