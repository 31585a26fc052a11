// Finds the operation of a recorded request, and reads its values: the address, parameters and content, by the styles of the contract.
import { contentFor, isJson, type Operation, type Parameter } from '../contract/contract.ts';
import { parseJson } from '../contract/document.ts';
import { baseOf } from '../contract/servers.ts';
import { decodeText } from '../data/decode-text.ts';
import { type Draft, headerOf } from '../execute/exchange.ts';
import type { Judge } from '../schema/create-judge.ts';
import { isHidden, type Recorded } from './read-har.ts';

interface Addresses {
  readonly baseUrl: string;
  readonly authUrl: string | undefined;
}

/** The place of a recorded request in the contract. */
export interface Matched {
  readonly operation: Operation;
  readonly base: string;
  /** Path and query beneath the base. */
  readonly path: string;
  /** Texts of the path parameters, decoded. */
  readonly segments: Readonly<Record<string, string>>;
}

/** @returns a function that finds the operation of a request; undefined if the contract has none */
export function createMatcher(operations: readonly Operation[], addresses: Addresses) {
  const routes = operations.flatMap((operation) => {
    const base = baseOf(operation, addresses);
    return base === undefined ? [] : [{ operation, base, ...routeOf(operation.path) }];
  });
  // A literal segment goes before a parameter (OpenAPI 3.1, 4.8.8.2).
  routes.sort((a, b) => b.literal.localeCompare(a.literal));
  return ({ method, url }: Recorded): Matched | undefined => {
    const found = routes.flatMap((route) => {
      const path = beneath(url, route.base);
      const match = path === undefined ? null : route.pattern.exec(path.split('?')[0] ?? '');
      return match === null || path === undefined ? [] : [{ ...route, path, match }];
    });
    // Only routes of the most literal path: `/books/new` is no `/books/{id}`.
    const here = found.filter(({ literal }) => literal === found[0]?.literal);
    const of = (wanted: string) => here.find(({ operation }) => operation.method.toUpperCase() === wanted);
    const route = of(method) ?? (method === 'HEAD' ? of('GET') : undefined);
    if (route === undefined) return undefined;
    const { operation, base, path, names, match } = route;
    const segments = names.map((name, index) => [name, decoded(match[index + 1] ?? '')] as const);
    return { operation, base, path, segments: Object.fromEntries(segments) };
  };
}

/** The part of an address beneath a base. */
export function beneath(url: string, base: string): string | undefined {
  const [address, start] = [withPlainOrigin(url), withPlainOrigin(base)];
  const rest = address.startsWith(start) ? address.slice(start.length) : undefined;
  return rest === '' || rest?.startsWith('/') || rest?.startsWith('?') ? rest : undefined;
}

/** Host and scheme in lower case, without a default port; the path as written. */
function withPlainOrigin(url: string): string {
  const [origin = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url) ?? [];
  return `${URL.parse(origin)?.origin ?? origin}${url.slice(origin.length)}`;
}

function routeOf(template: string) {
  const parts = template.split(/\{([^}]+)\}/);
  const pattern = parts.map((part, index) => (index % 2 === 1 ? '([^/]+)' : RegExp.escape(part))).join('');
  return {
    names: parts.filter((_, index) => index % 2 === 1),
    pattern: new RegExp(`^${pattern}$`),
    // A parameter sorts before every character of a path.
    literal: template.replaceAll(/\{[^}]+\}/g, '\u0001'),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The request as a draft; undefined if a part of it is lost, hidden, or in a style that is not decoded. */
export function draftOf(
  judge: Judge,
  { operation, path, segments }: Matched,
  { headers, body }: Recorded,
): Draft | undefined {
  const query = new URLSearchParams(path.split('?')[1] ?? '');
  const cookies = headerOf({ headers }, 'cookie')?.split('; ') ?? [];
  const textsOf: Readonly<Record<Parameter['in'], (name: string) => readonly (string | undefined)[]>> = {
    path: (name) => [segments[name]],
    query: (name) => query.getAll(name),
    header: (name) => [headerOf({ headers }, name)],
    cookie: (name) => cookies.filter((one) => one.startsWith(`${name}=`)).map((one) => one.slice(name.length + 1)),
  };
  const parameters: Draft['parameters'][number][] = [];
  for (const parameter of operation.parameters) {
    const texts = textsOf[parameter.in](parameter.name).filter((text) => text !== undefined);
    const [text] = texts;
    if (text === undefined) continue;
    if (texts.length > 1 || isHidden(text) || parameter.mediaType !== undefined) return undefined;
    const value = readText(judge, parameter, text);
    if (typeof value === 'object') return undefined;
    parameters.push({ parameter, value });
  }
  if (body === undefined) return { operation, parameters, body: undefined, label: 'recorded' };
  const content = contentFor(operation.body?.contents ?? [], headerOf({ headers }, 'content-type') ?? '');
  if (body === 'lost' || content === undefined || !isJson(content.mediaType) || isHidden(body.toString()))
    return undefined;
  const value = parseJson(body.toString());
  return value === undefined ? undefined : { operation, parameters, body: { content, value }, label: 'recorded' };
}

/** The value of a text: one that the schema allows, if the text may stand for any. */
function readText(judge: Judge, { schema, explode }: Parameter, text: string): unknown {
  if (schema === undefined) return text;
  const readings = decodeText(judge.forms.request, schema, text, explode);
  return readings.find((value) => judge.accepts(schema, 'request', value)) ?? text;
}
