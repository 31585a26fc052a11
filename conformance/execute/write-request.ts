import type { MediaContent, Operation, Parameter } from '../contract/contract.ts';
import type { Seen } from '../contract/document.ts';
import { encodeBody } from '../data/encode-body.ts';
import { encodeHeader, encodePath, encodeQuery } from '../data/parameter-styles.ts';
import type { CanonicalForm } from '../schema/canonical.ts';
import type { Authorization } from './authorize.ts';
import type { Identity, OutgoingRequest } from './exchange.ts';

/** A request before it is written: typed values, what is changed on the wire, and who sends it. */
export interface Draft {
  readonly operation: Operation;
  /** In the order of the contract; what is left out is not there. */
  readonly parameters: readonly { readonly parameter: Parameter; readonly value: unknown }[];
  readonly body: { readonly content: MediaContent; readonly value: unknown } | undefined;
  /** Where its values come from: `example`, `polite`. */
  readonly label: string;
  /** Left out: `own`. */
  readonly identity?: Identity;
  readonly edits?: WireEdits;
}

/** Changes that no value can make: what is sent is no longer what the contract's styles and media types would write. */
interface WireEdits {
  /** Another method, in capitals. */
  readonly method?: string;
  /** Instead of the body's own media type. */
  readonly contentType?: string;
  /** Instead of the encoded body: malformed JSON, two equal keys. */
  readonly body?: Buffer;
  /** Replaces headers of the same name; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Appended to the query as it stands, `a=1&a=2`. */
  readonly query?: string;
}

/**
 * Writes a draft as a request: path, query, headers and body, each parameter in its own style.
 *
 * @param form tells which parts of a body are files, and names of XML
 */
export function writeRequest(
  draft: Draft,
  base: string,
  authorization: Authorization,
  form?: CanonicalForm,
): OutgoingRequest {
  const { operation, parameters } = draft;
  const of = (place: string) => parameters.filter(({ parameter }) => parameter.in === place);
  const filled = of('path').reduce(
    (text, { parameter, value }) => text.replace(`{${parameter.name}}`, () => encodePath(parameter, value)),
    operation.path,
  );
  const { path, pairs } = splitPath(filled);
  const sent = of('query').flatMap(({ parameter, value }) => encodeQuery(parameter, value));
  const query = [
    ...pairs.filter(([name]) => !sent.some(([known]) => known === name)),
    ...sent,
    ...authorization.query.map(encodePair),
  ];
  const cookies = [
    ...of('cookie').flatMap(({ parameter, value }) => encodeQuery(parameter, value)),
    ...authorization.cookies,
  ];
  const body = draft.body === undefined ? undefined : encodeBody(draft.body.content, draft.body.value, form);
  const search = query.map(([name, value]) => `${name}=${value}`);
  return edit(draft.edits ?? {}, {
    method: operation.method.toUpperCase(),
    base,
    path: search.length === 0 ? path : `${path}?${search.join('&')}`,
    headers: [
      ['accept', acceptOf(operation)],
      ...of('header').map(({ parameter, value }) => [parameter.name, encodeHeader(parameter, value)] as const),
      ...(cookies.length === 0
        ? []
        : [['cookie', cookies.map(([name, value]) => `${name}=${value}`).join('; ')] as const]),
      ...(body === undefined ? [] : [['content-type', body.contentType] as const]),
      ...authorization.headers,
    ],
    body: body?.bytes,
  });
}

/** The request as no value could make it. */
function edit(
  { method, contentType, body, headers = {}, query }: WireEdits,
  request: OutgoingRequest,
): OutgoingRequest {
  const changes: Readonly<Record<string, string | undefined>> = {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
  const kept = request.headers.filter(([name]) => !Object.hasOwn(changes, name.toLowerCase()));
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    ...request,
    method: method ?? request.method,
    path: query === undefined ? request.path : `${request.path}${request.path.includes('?') ? '&' : '?'}${query}`,
    headers: [...kept, ...added],
    body: body ?? request.body,
  };
}

/**
 * A path may be told from another by what stands behind `?` or `#`, as in `/#Action=StopThing`. What is behind `#` would never be sent
 * (RFC 3986, 3.5), so both go as a query, but for what a parameter says already.
 */
function splitPath(template: string): {
  readonly path: string;
  readonly pairs: readonly (readonly [string, string])[];
} {
  const [path = '', ...rest] = template.split(/[?#]/);
  const pairs = rest
    .flatMap((part) => part.split('&'))
    .filter((pair) => pair !== '')
    .map((pair): readonly [string, string] => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    });
  return { path, pairs };
}

/** What links and rules of the contract can see of a request that has no answer yet. */
export function seenOf({ parameters, body }: Draft): Seen {
  const named = (place: string): Record<string, unknown> =>
    Object.fromEntries(
      parameters
        .filter(({ parameter }) => parameter.in === place)
        .map(({ parameter, value }) => [place === 'header' ? parameter.name.toLowerCase() : parameter.name, value]),
    );
  return { path: named('path'), query: named('query'), requestHeaders: named('header'), requestBody: body?.value };
}

/** What the contract lists for success, and anything else a little less gladly. */
function acceptOf({ responses }: Operation): string {
  const success = responses.filter(({ status }) => /^[23]/.test(status) || status === 'default');
  const listed = new Set(success.flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType)));
  listed.delete('*/*');
  return [...listed, listed.size === 0 ? '*/*' : '*/*;q=0.1'].join(', ');
}

function encodePair([name, value]: readonly [string, string]): readonly [string, string] {
  return [encodeURIComponent(name), encodeURIComponent(value)];
}
