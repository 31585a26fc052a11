import type { Operation } from '../contract/contract.ts';
import type { Seen } from '../contract/document.ts';
import { encodeBody } from '../data/encode-body.ts';
import { encodeHeader, encodePath, encodeQuery } from '../data/parameter-styles.ts';
import type { CanonicalForm } from '../schema/canonical.ts';
import type { Authorization, Draft, OutgoingRequest, WireEdits } from './exchange.ts';

/**
 * Encodes a draft as a request: path, query, headers and body, each parameter in its own style.
 *
 * @param form provides the file parts of a body, and XML names
 */
export function writeRequest(
  draft: Draft,
  base: string,
  authorization: Authorization,
  form?: CanonicalForm,
): OutgoingRequest {
  const { operation, parameters } = draft;
  const of = (place: string) => parameters.filter(({ parameter }) => parameter.in === place);
  const { path, pairs } = splitPath(fillPath(draft));
  const sent = of('query').flatMap(({ parameter, value }) => encodeQuery(parameter, value));
  // A credential replaces a declared parameter of the same name: a server would accept either of two.
  const { edits = {} } = draft;
  const asked = edits.path === undefined ? override(pairs, sent) : [];
  const query = override(asked, authorization.query.map(encodePair));
  const own = of('cookie').flatMap(({ parameter, value }) => encodeQuery(parameter, value));
  const cookies = override(own, authorization.cookies);
  const body = draft.body === undefined ? undefined : encodeBody(draft.body.content, draft.body.value, form);
  const headers: Pair[] = [
    ['accept', acceptOf(operation)],
    ...of('header').map(({ parameter, value }): Pair => [parameter.name, encodeHeader(parameter, value)]),
  ];
  if (cookies.length > 0) headers.push(['cookie', cookies.map(([name, value]) => `${name}=${value}`).join('; ')]);
  if (body !== undefined) headers.push(['content-type', body.contentType]);
  const search = query.map(([name, value]) => `${name}=${value}`);
  const target = edits.path ?? path;
  const whole = override(editHeaders(headers, edits), authorization.headers, (name) => name.toLowerCase());
  return {
    method: edits.method ?? operation.method.toUpperCase(),
    base,
    path: search.length === 0 ? target : `${target}${target.includes('?') ? '&' : '?'}${search.join('&')}`,
    headers: whole,
    body: edits.body === undefined ? body?.bytes : edits.body(body?.bytes),
  };
}

/** The path of the request, without the prefix of the base and without a query. */
export function pathOf(draft: Draft): string {
  return (draft.edits?.path ?? splitPath(fillPath(draft)).path).replace(/\?.*$/s, '');
}

function fillPath({ operation, parameters }: Draft): string {
  const filled = parameters.reduce(
    (text, { parameter, value }) =>
      parameter.in === 'path' ? text.replace(`{${parameter.name}}`, () => encodePath(parameter, value)) : text,
    operation.path,
  );
  return encodeRest(filled);
}

function editHeaders(headers: readonly Pair[], { headers: edits = {} }: WireEdits): readonly Pair[] {
  const kept = headers.filter(([name]) => !Object.hasOwn(edits, name.toLowerCase()));
  return [...kept, ...Object.entries(edits).filter((pair): pair is [string, string] => pair[1] !== undefined)];
}

type Pair = readonly [name: string, value: string];

/** @param same normalises names for comparison, such as the case of header names */
function override(pairs: readonly Pair[], by: readonly Pair[], same = (name: string) => name): readonly Pair[] {
  const names = new Set(by.map(([name]) => same(name)));
  return [...pairs.filter(([name]) => !names.has(same(name))), ...by];
}

/** Encodes characters that a path of a contract may contain, but not a request line (RFC 3986, 2). */
function encodeRest(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()));
}

/**
 * Paths may differ only after `?` or `#`, as in `/#Action=StopThing`. A fragment is never sent (RFC 3986, 3.5), so both are sent as a
 * query, unless a parameter has the same name.
 */
function splitPath(template: string): {
  readonly path: string;
  readonly pairs: readonly Pair[];
} {
  const [path = '', ...rest] = template.split(/[?#]/);
  const pairs = rest
    .flatMap((part) => part.split('&'))
    .filter((pair) => pair !== '')
    .map((pair): Pair => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    });
  return { path, pairs };
}

/** The values that links and rules of the contract can read from a request without an answer. */
export function seenOf({ parameters, body }: Draft): Seen {
  const named = (place: string): Record<string, unknown> =>
    Object.fromEntries(
      parameters
        .filter(({ parameter }) => parameter.in === place)
        .map(({ parameter, value }) => [place === 'header' ? parameter.name.toLowerCase() : parameter.name, value]),
    );
  return { path: named('path'), query: named('query'), requestHeaders: named('header'), requestBody: body?.value };
}

/** The media types that the contract lists for success, and any other with a lower weight. */
function acceptOf({ responses }: Operation): string {
  const success = responses.filter(({ status }) => /^[23]/.test(status) || status === 'default');
  const listed = new Set(success.flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType)));
  listed.delete('*/*');
  return [...listed, listed.size === 0 ? '*/*' : '*/*;q=0.1'].join(', ');
}

function encodePair([name, value]: Pair): Pair {
  return [encodeURIComponent(name), encodeURIComponent(value)];
}
