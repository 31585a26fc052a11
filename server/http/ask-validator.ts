import type { Operation } from '@lockstep/contract/operations';
import { type ContractDocument, isObject } from '@lockstep/json/json-pointer';
import type { ParsedRequest } from '@lockstep/runtime/form/check-form';
import type { Detail, PlaceFault } from '@lockstep/runtime/form/detail';
import type { Pair } from '@lockstep/runtime/form/parse-url-encoded';
import { middleware } from 'express-openapi-validator';
import type { Logger } from 'pino';

/** What the validator is shown of a request that our own check has passed. */
export interface ShownRequest {
  readonly target: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly query: readonly Pair[];
  readonly parsed: Pick<ParsedRequest, 'path' | 'body'>;
}

/** @returns what the validator objects to; empty where it agrees */
export type AskValidator = (operation: Operation, shown: ShownRequest) => Promise<readonly PlaceFault[]>;

type Middleware = (request: object, response: object, next: (error?: unknown) => void) => unknown;

/** Its `path` begins with the part of the request. */
const parts: Readonly<Record<string, Detail['in']>> = {
  params: 'path',
  query: 'query',
  headers: 'header',
  body: 'body',
};

/**
 * Makes express-openapi-validator the second opinion on every request: it must agree before a handler runs.
 *
 * It is shown copies, since it coerces what it is given in place. Its own security is off, being open for OAuth by default,
 * as are its uploads and response checks. Each operation is tried once now, so that a contract it can't read stops the
 * start and no first caller waits for a schema to compile.
 *
 * @throws Error where it can't read the contract or compile a schema of it
 */
export async function createValidator(
  document: ContractDocument,
  operations: readonly Operation[],
  logger: Logger,
): Promise<AskValidator> {
  // The types of its options know Express's own objects alone; it needs no more of them than is given here.
  const handlers = middleware({
    apiSpec: structuredClone(document) as unknown as Parameters<typeof middleware>[0]['apiSpec'] & object,
    validateApiSpec: true,
    validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
    ajvFormats: { mode: 'full' },
  }) as unknown as readonly Middleware[];

  for (const operation of operations) {
    for (const contentType of Object.keys(operation.requestBody?.content ?? { '': '' })) {
      const headers = contentType === '' ? {} : { 'content-type': contentType };
      const error = await run(operation, { target: sampleTarget(operation), headers, query: [], parsed: { path: {} } });
      if (error !== undefined && !isRefusal(error))
        throw new Error(`${operation.operationId}: the validator can't use the contract: ${String(error)}`, {
          cause: error,
        });
    }
  }

  return async (operation, shown) => {
    const error = await run(operation, shown);
    if (error === undefined) return [];
    if (!isRefusal(error)) throw new Error('the validator failed', { cause: error });
    const faults = describeRefusal(error);
    const places = faults.map(({ in: place, at }) => `${place} ${at}`);
    logger.warn({ operationId: operation.operationId, places }, 'the validator refuses what our own check passes');
    return faults;
  };

  async function run({ method }: Operation, { target, headers, query, parsed }: ShownRequest): Promise<unknown> {
    const [path] = target.split('?', 1);
    const request = {
      // HEAD is checked as GET.
      method: method.toUpperCase(),
      originalUrl: target,
      url: target,
      path,
      baseUrl: '',
      headers: { ...headers },
      query: Object.fromEntries(query.map(({ name, value }) => [name, value])),
      params: structuredClone(parsed.path),
      body: structuredClone(parsed.body),
      app: { enabled: () => true, param: () => undefined },
    };
    for (const handler of handlers) {
      const error = await new Promise<unknown>((resolve) => {
        // It throws, rejects or calls `next` with its error, whichever comes first.
        Promise.try(handler, request, {}, resolve).catch(resolve);
      });
      if (error !== undefined) return error;
    }
    return undefined;
  }
}

interface Refusal {
  readonly errors: readonly { readonly path?: string; readonly message?: string }[];
}

function isRefusal(error: unknown): error is Refusal {
  return isObject(error) && typeof error.status === 'number' && error.status < 500 && Array.isArray(error.errors);
}

function describeRefusal({ errors }: Refusal): PlaceFault[] {
  return errors.map(({ path = '', message = 'is not valid' }) => {
    const [, part = '', ...steps] = path.split('/');
    const place = parts[part] ?? 'body';
    const at = place === 'body' && steps.length > 0 ? `/${steps.join('/')}` : steps.join('/');
    return { in: place, at, says: `${steps.join('/') || 'the request'}: ${message}`, nearest: [] };
  });
}

/** A path of the operation with some value for each parameter. */
function sampleTarget({ basePath, path }: Operation): string {
  return basePath + path.replaceAll(/\{[^{}]*\}/g, 'x');
}
