import { RE2JS } from 're2js';
import { Rejection } from './rejection.ts';
import { nearestNames } from './validation/nearest-name.ts';
import { type Pair, parseUrlEncoded } from './validation/parse-url-encoded.ts';
import { cut, listOr } from './validation/sentence.ts';

/** What of an operation decides where it is reached. */
export interface Placed {
  /** Lower case. */
  readonly method: string;
  /** Path part of the server's address, without trailing slash: `/v1`, or empty. */
  readonly basePath: string;
  /** Template below the base path: `/devices/{deviceId}`. */
  readonly path: string;
}

/** A path of the contract, with what may be called on it. */
export interface Route<Operation extends Placed> {
  /** Base path and template: `/v1/devices/{deviceId}`. */
  readonly template: string;
  /** By lower-case method. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** Pairs of the query that tell it from others of the same path: those that its template has behind `?` or `#`. */
  readonly fixed: readonly Pair[];
}

interface RouteMatch<Operation extends Placed> {
  readonly route: Route<Operation>;
  /** Still percent-encoded: a broken escape is the request's fault, and is answered as one. */
  readonly rawPathValues: ReadonlyMap<string, string>;
}

interface Router<Operation extends Placed> {
  /** Every path of the contract, base path included. */
  readonly templates: readonly string[];
  /** Operations that no request reaches, since another has their method and path. */
  readonly unreachable: readonly Operation[];
  /**
   * Case and every slash count; `rawPath` is the request target without its query. Where several templates are the same but for the names
   * of their values, or for pairs of the query, that one is found which has the method, and most of the pairs.
   */
  readonly match: (rawPath: string, method?: string, query?: readonly Pair[]) => RouteMatch<Operation> | undefined;
}

/** A place between two slashes of some templates. */
interface RouteNode<Operation extends Placed> {
  readonly literals: Map<string, RouteNode<Operation>>;
  /** Segments with text beside their parameters, `{id}.json`. */
  readonly mixed: { readonly pattern: RE2JS; readonly node: RouteNode<Operation> }[];
  /** A lone `{id}`. */
  lone: RouteNode<Operation> | undefined;
  /** Of the templates that end here, those with most pairs first. */
  routes: NamedRoute<Operation>[];
}

interface NamedRoute<Operation extends Placed> extends Route<Operation> {
  readonly names: readonly string[];
}

/**
 * Builds the route table. A path is found before its method, so that a literal path wins over a template for every
 * method (OpenAPI 3.1, Paths Object), and a known path with an unknown method is told from an unknown path. Segment by segment, so that
 * four hundred paths take no longer than ten.
 *
 * Written here because the routers at hand read `/devices/` as `/devices/{deviceId}` with an empty id, decode
 * before they match, or know `{a},{b}` as one parameter.
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

/** RFC 3986, 3.5: no fragment is ever sent. What authors write there, or behind a `?`, tells operations of one path apart. */
function splitTemplate(template: string): { readonly path: string; readonly fixed: readonly Pair[] } {
  const [path = '', ...behind] = template.split(/[?#]/);
  const pairs = behind.flatMap((text) => parseUrlEncoded(text));
  // Without a value it is a name for readers, `#list`.
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

/** Literal before mixed before lone, from the left: the first way through that ends at a template is the right one. */
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

/** The platform's engine would try all combinations of places for several parameters: with eleven it took 15 s and more. */
function compileSegment(segment: string): RE2JS {
  const source = segment.replaceAll(/\{[^{}]*\}|[^{}]+/g, (piece) =>
    piece.startsWith('{')
      ? '([^/]+?)'
      : `(?:${[...new Set([piece, asSent(piece)])].map((literal) => RE2JS.quote(literal)).join('|')})`,
  );
  return RE2JS.compile(`^${source}$`);
}

/**
 * Text of a template as a request target has it: what no path may hold is percent-encoded (RFC 3986, 3.3), escapes that are written out
 * stay. Some clients send brackets and bars as they are, so that the text itself is found too.
 */
function asSent(text: string): string {
  return encodeURI(text.toWellFormed()).replaceAll(/%25(?=[\dA-Fa-f]{2})/g, '%');
}

function createNode<Operation extends Placed>(): RouteNode<Operation> {
  return { literals: new Map(), mixed: [], lone: undefined, routes: [] };
}

/** What an `Allow` header says of a path: HEAD is answered wherever GET is, OPTIONS everywhere. */
function allowedMethods(route: Route<Placed>): string[] {
  const methods = new Set([...route.operations.keys()].map((method) => method.toUpperCase()));
  if (methods.has('GET')) methods.add('HEAD');
  methods.add('OPTIONS');
  return [...methods].sort();
}

type FoundRoute<Operation extends Placed> =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly rawPathValues: ReadonlyMap<string, string> }
  /** OPTIONS: what the path takes. */
  | { readonly kind: 'options'; readonly allow: string };

export type FindRoute<Operation extends Placed> = (
  method: string,
  rawPath: string,
  query?: readonly Pair[],
) => FoundRoute<Operation>;

/**
 * Finds the operation of a request; HEAD finds that of GET.
 *
 * @param isTold which templates a mistyped path may be told of
 * @throws Rejection for a path outside the contract, naming the nearest; for a method it doesn't have, with `Allow`
 */
export function createRouteFinder<Operation extends Placed>(
  router: Router<Operation>,
  isTold: (template: string) => boolean = () => true,
): FindRoute<Operation> {
  const told = router.templates.filter(isTold);
  return (method, rawPath, query) => {
    const match = router.match(rawPath, method, query);
    if (match === undefined) {
      const nearest = nearestNames(rawPath, told).slice(0, 1);
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
