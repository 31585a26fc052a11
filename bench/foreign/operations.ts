import { parse } from 'yaml';

interface Server {
  readonly url: string;
  readonly variables?: Readonly<Record<string, { readonly default: string }>>;
}

/** An OpenAPI document, as far as it is read here. */
export interface Contract {
  readonly openapi: string;
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
}

/** @returns the operation, as `GET /devices/{id}`, that a request is about; undefined for none of the contract */
export type Match = (method: string, target: string) => string | undefined;

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** JSON is YAML too. */
export function readContract(text: string): Contract {
  return parse(text, { maxAliasCount: -1, logLevel: 'error' }) as Contract;
}

export function listOperations({ paths }: Contract): readonly string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method] !== undefined).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** @param basePath what stands before the paths of the contract, as in `/api/v1`; paths with servers of their own have theirs too */
export function createMatch(contract: Contract, basePath: string): Match {
  const templates = listOperations(contract).map((operation) => {
    const [method = '', path = ''] = operation.split(' ');
    const bases = [basePath, ...ownBasePaths(contract.paths[path]?.servers)];
    const expression = new RegExp(`^(${bases.map(RegExp.escape).join('|')})${expressionOf(path)}$`);
    return { operation, method, expression, fixed: path.replaceAll(/\{[^}]*\}/g, '').length };
  });
  // Of two that fit, the one with more fixed text is meant: OpenAPI 3.1, 4.8.8.2.
  templates.sort((a, b) => b.fixed - a.fixed);
  return (method, target) => {
    const path = target.replace(/[?#].*$/s, '');
    return templates.find((template) => template.method === method && template.expression.test(path))?.operation;
  };
}

function ownBasePaths(servers: unknown): readonly string[] {
  return ((servers ?? []) as readonly Server[]).map(({ url, variables = {} }) => {
    const filled = url.replaceAll(/\{([^}]*)\}/g, (_, name: string) => variables[name]?.default ?? '');
    return new URL(filled, 'http://localhost').pathname.replace(/\/$/, '');
  });
}

function expressionOf(path: string): string {
  return path
    .split(/\{[^}]*\}/)
    .map(RegExp.escape)
    .join('[^/]+');
}
