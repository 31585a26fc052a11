import { RE2JS } from 're2js';
import { Rejection } from './rejection.ts';
import { nearestNames } from './validation/nearest-name.ts';
import { type Pair, parseUrlEncoded } from './validation/parse-url-encoded.ts';
import { cut, listOr } from './validation/sentence.ts';

/** The parts of an operation that determine its route. */
export interface Placed {
  /** Lower case. */
  readonly method: string;
  /** Path part of the server's address, without trailing slash: `/v1`, or empty. */
  readonly basePath: string;
  /** Template below the base path: `/devices/{deviceId}`. */
  readonly path: string;
}

/** A path of the contract with its operations. */
export interface Route<Operation extends Placed> {
  /** Base path and template: `/v1/devices/{deviceId}`. */
  readonly template: string;
  /** By lower-case method. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Query pairs after `?` or `#` in its template, which distinguish it from others of the same path. */
  readonly fixed: readonly Pair[];
}

interface RouteMatch<Operation extends Placed> {
  readonly route: Route<Operation>;
  /** Still percent-encoded: a broken escape is a fault of the request and gets its own answer. */
  readonly rawPathValues: ReadonlyMap<string, string>;
}

interface Router<Operation extends Placed> {
  /** Every path of the contract, base path included. */
  readonly templates: readonly string[];
  /** Operations that no request reaches, since another one has the same method and path. */
  readonly unreachable: readonly Operation[];
  /**
   * Case and every slash are significant. `rawPath` is the request target without its query. If several templates differ only in names of
   * parameters or in query pairs, the match is the one with the method and most of the pairs.
   */
  readonly match: (rawPath: string, method?: string, query?: readonly Pair[]) => RouteMatch<Operation> | undefined;
}

/** A segment of some templates. */
interface RouteNode<Operation extends Placed> {
  readonly literals: Map<string, RouteNode<Operation>>;
  /** Segments with text next to their parameters, `{id}.json`. */
  readonly mixed: { readonly pattern: RE2JS; readonly node: RouteNode<Operation> }[];
  /** A lone `{id}`. */
  lone: RouteNode<Operation> | undefined;
  /** Templates with this last segment, those with most pairs first. */
  routes: NamedRoute<Operation>[];
}

interface NamedRoute<Operation extends Placed> extends Route<Operation> {
  readonly names: readonly string[];
}

/**
 * Builds the route table. A path is matched before its method, so that a literal path takes precedence over a template for every
 * method (OpenAPI 3.1, Paths Object), and an unknown method differs from an unknown path. Matching goes by segments, so that
 * four hundred paths take no longer than ten.
 *
 * Existing routers read `/devices/` as `/devices/{deviceId}` with an empty id, decode before they match, or treat `{a},{b}` as one
 * parameter.
 */
export function createRouter<Operation extends Placed>(operations: readonly Operation[]): Router<Operation> {
  const root = createNode<Operation>();
  const unreachable: Operation[] = [];
  const byTemplate = Map.groupBy(operations, ({ basePath, path }) => basePath + path);
  for (const [template, group] of byTemplate) {
    const { path, fixed } = splitTemplate(template);
    const route = {
      template,
      operations: new Map(group.map((operation) => [operation.method, operation])),
      fixed,
      names: [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name),
    };
    let node = root;
    for (const segment of path.split('/')) node = findOrAdd(node, segment);
    const same = node.routes.filter((other) => isSameQuery(other.fixed, fixed));
    unreachable.push(...group.filter(({ method }) => same.some(({ operations: taken }) => taken.has(method))));
    node.routes = [...node.routes, route].sort((a, b) => b.fixed.length - a.fixed.length);
  }
  return {
    templates: [...byTemplate.keys()].sort(),
    unreachable,
    match: (rawPath, method = '', query = []) => {
      const values: string[] = [];
      const routes = findRoutes(root, rawPath.split('/'), 0, values);
      const route = pickRoute(routes, method.toLowerCase(), query);
      if (route === undefined) return undefined;
      return { route, rawPathValues: new Map(route.names.map((name, index) => [name, values[index] ?? ''])) };
    },
  };
}

/** RFC 3986, 3.5: a fragment is never sent. Authors use it, or a query, to distinguish operations of one path. */
function splitTemplate(template: string): { readonly path: string; readonly fixed: readonly Pair[] } {
  const [path = '', ...behind] = template.split(/[?#]/);
  const pairs = behind.flatMap((text) => parseUrlEncoded(text));
  // A pair without a value, `#list`, is a name for readers.
  return { path, fixed: pairs.filter(({ value }) => value !== '' && !value.includes('{')) };
}

function isSameQuery(one: readonly Pair[], other: readonly Pair[]): boolean {
  return one.length === other.length && one.every((pair) => hasPair(other, pair));
}

function hasPair(query: readonly Pair[], { name, value }: Pair): boolean {
  return query.some((sent) => sent.name === name && sent.value === value);
}

function pickRoute<Operation extends Placed>(
  routes: readonly NamedRoute<Operation>[] | undefined,
  method: string,
  query: readonly Pair[],
): NamedRoute<Operation> | undefined {
  if (routes === undefined || routes.length < 2) return routes?.[0];
  const having = routes.filter(({ fixed }) => fixed.every((pair) => hasPair(query, pair)));
  const takes = ({ operations }: Route<Operation>): boolean =>
    operations.has(method) || (method === 'head' && operations.has('get'));
  return having.find(takes) ?? having[0] ?? routes.find(takes) ?? routes[0];
}

/** Literal before mixed before lone segments, from the left: the first complete match is the right one. */
function findRoutes<Operation extends Placed>(
  node: RouteNode<Operation>,
  segments: readonly string[],
  index: number,
  values: string[],
): readonly NamedRoute<Operation>[] | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.routes.length === 0 ? undefined : node.routes;
  const literal = node.literals.get(segment);
  const found = literal && findRoutes(literal, segments, index + 1, values);
  if (found !== undefined) return found;
  const known = values.length;
  for (const { pattern, node: next } of node.mixed) {
    const match = pattern.exec(segment);
    if (match === null) continue;
    values.push(...match.slice(1));
    const mixed = findRoutes(next, segments, index + 1, values);
    if (mixed !== undefined) return mixed;
    values.length = known;
  }
  if (node.lone === undefined || segment === '') return undefined;
  values.push(segment);
  const lone = findRoutes(node.lone, segments, index + 1, values);
  if (lone === undefined) values.length = known;
  return lone;
}

function findOrAdd<Operation extends Placed>(node: RouteNode<Operation>, segment: string): RouteNode<Operation> {
  if (/^\{[^{}]*\}$/.test(segment)) {
    node.lone ??= createNode();
    return node.lone;
  }
  if (!segment.includes('{')) {
    const next = node.literals.get(segment) ?? node.literals.get(asSent(segment)) ?? createNode();
    for (const literal of [segment, asSent(segment)]) node.literals.set(literal, next);
    return next;
  }
  const pattern = compileSegment(segment);
  const known = node.mixed.find((one) => one.pattern.pattern() === pattern.pattern());
  if (known !== undefined) return known.node;
  const next = createNode<Operation>();
  node.mixed.push({ pattern, node: next });
  return next;
}

/**
 * Each value is as short as possible; before a full stop it is as long as possible, since the next one is an extension: `{latitude}.{format}`.
 *
 * The platform's engine would backtrack over all splits of a segment: with eleven parameters it took 15 s and more.
 */
function compileSegment(segment: string): RE2JS {
  const source = segment.replaceAll(/\{[^{}]*\}(?=(\.\{)?)|[^{}]+/g, (piece, stop) =>
    piece.startsWith('{')
      ? `([^/]+${stop === undefined ? '?' : ''})`
      : `(?:${[...new Set([piece, asSent(piece)])].map((literal) => RE2JS.quote(literal)).join('|')})`,
  );
  return RE2JS.compile(`^${source}$`);
}

/**
 * Text of a template as in a request target: characters that a path can't contain are percent-encoded (RFC 3986, 3.3), and escapes stay. Some clients
 * send brackets and bars unescaped, so that the text itself matches too.
 */
function asSent(text: string): string {
  return encodeURI(text.toWellFormed()).replaceAll(/%25(?=[\dA-Fa-f]{2})/g, '%');
}

function createNode<Operation extends Placed>(): RouteNode<Operation> {
  return { literals: new Map(), mixed: [], lone: undefined, routes: [] };
}

/** The methods of a path for an `Allow` header: HEAD is answered wherever GET is, OPTIONS everywhere. */
function allowedMethods(route: Route<Placed>): string[] {
  const methods = new Set([...route.operations.keys()].map((method) => method.toUpperCase()));
  if (methods.has('GET')) methods.add('HEAD');
  methods.add('OPTIONS');
  return [...methods].sort();
}

type FoundRoute<Operation extends Placed> =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly rawPathValues: ReadonlyMap<string, string> }
  /** The answer to OPTIONS: the methods of the path. */
  | { readonly kind: 'options'; readonly allow: string };

export type FindRoute<Operation extends Placed> = (
  method: string,
  rawPath: string,
  query?: readonly Pair[],
) => FoundRoute<Operation>;

/**
 * Finds the operation of a request; HEAD finds that of GET.
 *
 * @param isTold whether a template may be suggested for a mistyped path
 * @throws Rejection for an unknown path, with the nearest; for an unknown method, with `Allow`
 */
export function createRouteFinder<Operation extends Placed>(
  router: Router<Operation>,
  isTold: (template: string) => boolean = () => true,
): FindRoute<Operation> {
  const suggested = router.templates.filter(isTold);
  return (method, rawPath, query) => {
    const match = router.match(rawPath, method, query);
    if (match === undefined) {
      const nearest = nearestNames(rawPath, suggested).slice(0, 1);
      const fix = nearest.length === 0 ? '' : `, did you mean ${nearest[0]}?`;
      const text = `not found route: ${method} ${cut(rawPath)}${fix}`;
      throw new Rejection('route_unknown', { text, details: [{ in: 'path', at: '', says: text, nearest }] });
    }
    const { operations: declared } = match.route;
    const operation = declared.get(method.toLowerCase()) ?? (method === 'HEAD' ? declared.get('get') : undefined);
    if (operation !== undefined) return { kind: 'operation', operation, rawPathValues: match.rawPathValues };
    const allowed = allowedMethods(match.route);
    const allow = allowed.join(', ');
    if (method === 'OPTIONS') return { kind: 'options', allow };
    throw new Rejection('method_not_allowed', {
      text: `${method} is not allowed here, use ${listOr(allowed)}`,
      headers: { Allow: allow },
    });
  };
}
