import type { JsonObject } from '@lockstep/json/json-pointer';
import type { Operation } from '../operation.ts';
import { readValueRules } from './by-value.ts';
import { type BodyCheck, createBodyCheck } from './check-body.ts';
import { createParameterCheck } from './check-parameters.ts';
import type { SchemaTools } from './compile-schema.ts';
import type { PlaceFault, ReadPlace } from './detail.ts';
import type { Pair } from './parse-url-encoded.ts';
import { cookiePairs, pathPairs } from './read-parameters.ts';

/** A received request; only its query is decoded. */
interface SentParts {
  readonly rawPathValues: ReadonlyMap<string, string>;
  readonly query: readonly Pair[];
  /** Names in lower case, every value of a repeated header. */
  readonly headers: NodeJS.Dict<string[]>;
  readonly body: Parameters<BodyCheck>[0];
}

/** The request for a handler: only declared parts, with defaults filled in. */
export interface ParsedRequest {
  readonly path: JsonObject;
  readonly query: JsonObject;
  readonly headers: JsonObject;
  readonly cookies: JsonObject;
  readonly mediaType?: string;
  readonly body?: unknown;
}

export type CheckedRequest =
  | { readonly kind: 'good'; readonly request: ParsedRequest }
  /** The first fault of each part, in the order of the parts. Never empty. */
  | { readonly kind: 'faults'; readonly first: PlaceFault; readonly all: readonly PlaceFault[] };

export type CheckRequest = (parts: SentParts) => CheckedRequest;

/**
 * Creates the validation of one operation's requests: path, query, headers, cookies and body.
 * Each part reports its first fault; the first of all gives the status.
 *
 * @throws Error if a schema is missing or does not compile
 */
export function createRequestCheck(tools: SchemaTools, operation: Operation): CheckRequest {
  const checkPath = createParameterCheck(tools, operation, 'path');
  const checkQuery = createParameterCheck(tools, operation, 'query');
  const checkHeaders = createParameterCheck(tools, operation, 'header');
  const checkCookies = createParameterCheck(tools, operation, 'cookie');
  const checkBody = createBodyCheck(tools, operation, readValueRules(operation));
  const headerNames = operation.parameters.flatMap(({ in: at, name }) => (at === 'header' ? name.toLowerCase() : []));
  const takesCookies = operation.parameters.some(({ in: at }) => at === 'cookie');
  return (parts) => {
    const path = checkPath(pathPairs(parts.rawPathValues));
    const query = checkQuery(parts.query);
    const headers = checkHeaders(headerPairs(parts.headers, headerNames));
    const cookies = checkCookies(takesCookies ? cookiePairs(parts.headers.cookie?.join('; ')) : []);
    const body = checkBody(parts.body);
    const all = [path, query, headers, cookies, body].flatMap((place) => (place.kind === 'fault' ? place.fault : []));
    const [first] = all;
    if (first !== undefined) return { kind: 'faults', first, all };
    return {
      kind: 'good',
      request: {
        path: valuesOf(path),
        query: valuesOf(query),
        headers: valuesOf(headers),
        cookies: valuesOf(cookies),
        ...valuesOf(body),
      },
    };
  };
}

function headerPairs(headers: SentParts['headers'], names: readonly string[]): Pair[] {
  return names.flatMap((name) => (headers[name] ?? []).map((value) => ({ name, value, broken: false })));
}

/** The values of a part without a fault. */
function valuesOf<Values>(place: ReadPlace<Values>): Values {
  if (place.kind === 'fault') throw new Error(place.fault.says);
  return place.values;
}
