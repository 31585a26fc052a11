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
}

export interface RouteMatch<Operation extends Placed> {
  readonly route: Route<Operation>;
  /** Still percent-encoded: a broken escape is the request's fault, and is answered as one. */
  readonly rawPathValues: ReadonlyMap<string, string>;
}

export interface Router<Operation extends Placed> {
  /** Every path of the contract, base path included. */
  readonly templates: readonly string[];
  /** Case and every slash count; `rawPath` is the request target without its query. */
  readonly match: (rawPath: string) => RouteMatch<Operation> | undefined;
}

interface CompiledRoute<Operation extends Placed> extends Route<Operation> {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly rank: string;
}

/**
 * Builds the route table. A path is found before its method, so that a literal path wins over a template for every
 * method (OpenAPI 3.1, Paths Object), and a known path with an unknown method is told from an unknown path.
 *
 * Written here because the routers at hand read `/devices/` as `/devices/{deviceId}` with an empty id, decode
 * before they match, or know `{a},{b}` as one parameter.
 */
export function createRouter<Operation extends Placed>(operations: readonly Operation[]): Router<Operation> {
  const routes = compileRoutes(operations);
  const bySegmentCount = Map.groupBy(routes, (route) => countSegments(route.template));
  const match = (rawPath: string): RouteMatch<Operation> | undefined => {
    for (const route of bySegmentCount.get(countSegments(rawPath)) ?? []) {
      const found = route.pattern.exec(rawPath);
      if (found === null) continue;
      return { route, rawPathValues: new Map(route.names.map((name, index) => [name, found[index + 1] ?? ''])) };
    }
    return undefined;
  };
  return { templates: routes.map(({ template }) => template), match };
}

/** What an `Allow` header says of a path: HEAD is answered wherever GET is, OPTIONS everywhere. */
export function allowedMethods(route: Route<Placed>): string[] {
  const methods = new Set([...route.operations.keys()].map((method) => method.toUpperCase()));
  if (methods.has('GET')) methods.add('HEAD');
  methods.add('OPTIONS');
  return [...methods].sort();
}

function compileRoutes<Operation extends Placed>(operations: readonly Operation[]): CompiledRoute<Operation>[] {
  const byTemplate = Map.groupBy(operations, ({ basePath, path }) => basePath + path);
  return [...byTemplate]
    .map(([template, group]) => ({
      template,
      operations: new Map(group.map((operation) => [operation.method, operation])),
      ...compileTemplate(template),
      rank: rankTemplate(template),
    }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
}

function compileTemplate(template: string): { pattern: RegExp; names: string[] } {
  const names: string[] = [];
  const source = template.replaceAll(/\{([^{}]*)\}|[^{}]+/g, (piece, name: string | undefined) => {
    if (name === undefined) return RegExp.escape(piece);
    names.push(name);
    return '([^/]+?)';
  });
  return { pattern: new RegExp(`^${source}$`), names };
}

/** Sorts literal segments before mixed ones (`{id}.json`), and those before a lone `{id}`, from the left. */
function rankTemplate(template: string): string {
  return template
    .split('/')
    .map((segment) => (/^\{[^{}]*\}$/.test(segment) ? '2' : segment.includes('{') ? '1' : '0'))
    .join('');
}

function countSegments(path: string): number {
  return path.split('/').length;
}
