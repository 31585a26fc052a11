import { parse } from 'yaml';

/** An OpenAPI document, as far as it is read here. */
export interface Contract {
  readonly openapi: string;
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
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

/** @param basePath what stands before the paths of the contract, as in `/api/v1` */
export function createMatch(contract: Contract, basePath: string): Match {
  const templates = listOperations(contract).map((operation) => {
    const [method = '', path = ''] = operation.split(' ');
    return { operation, method, expression: expressionOf(path), fixed: path.replaceAll(/\{[^}]*\}/g, '').length };
  });
  // Of two that fit, the one with more fixed text is meant: OpenAPI 3.1, 4.8.8.2.
  templates.sort((a, b) => b.fixed - a.fixed);
  return (method, target) => {
    const path = target.replace(/[?#].*$/s, '');
    if (!path.startsWith(basePath)) return undefined;
    const rest = path.slice(basePath.length);
    return templates.find((template) => template.method === method && template.expression.test(rest))?.operation;
  };
}

function expressionOf(path: string): RegExp {
  const parts = path.split(/\{[^}]*\}/).map((fixed) => fixed.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
