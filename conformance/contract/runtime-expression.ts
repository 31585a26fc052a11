import { readPointer } from './document.ts';
import { memberOf } from './json.ts';

/** What a runtime expression can see (OpenAPI 3.1, 4.8.20.3): one request and, when it came, its answer. */
export interface Seen {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Names in lower case. */
  readonly requestHeaders: Readonly<Record<string, unknown>>;
  readonly requestBody: unknown;
  readonly status?: number;
  readonly responseHeaders?: Readonly<Record<string, unknown>>;
  readonly responseBody?: unknown;
}

/** The value of an expression, of a text with `{expressions}`, or the constant itself; undefined where there is none. */
export function evaluate(expression: unknown, seen: Seen): unknown {
  if (typeof expression !== 'string') return expression;
  if (expression.startsWith('$')) return read(expression, seen);
  let missing = false;
  const text = expression.replaceAll(/\{(\$[^}]+)\}/g, (_, inner: string) => {
    const value = read(inner, seen);
    missing ||= value === undefined;
    return String(value);
  });
  return missing ? undefined : text;
}

function read(expression: string, seen: Seen): unknown {
  const match = /^\$(request|response)\.(path|query|header|body)(?:\.([^#]+)|#(.*))?$/s.exec(expression);
  if (match === null) return expression === '$statusCode' ? seen.status : undefined;
  const [, side, part, name = '', pointer = ''] = match;
  if (part === 'body') return readPointer(side === 'request' ? seen.requestBody : seen.responseBody, pointer);
  if (part === 'header') {
    return memberOf(side === 'request' ? seen.requestHeaders : seen.responseHeaders, name.toLowerCase());
  }
  return side === 'request' ? memberOf(part === 'path' ? seen.path : seen.query, name) : undefined;
}
