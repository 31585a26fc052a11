import { extendPointer, formatPointer } from '@lockstep/json/json-pointer';
import {
  type HeaderObject,
  type Method,
  methods,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
  type RequestBodyObject,
  type ResponseObject,
  type SchemaObject,
  type SecurityRequirement,
  type ServerObject,
} from './openapi-document.ts';
import { type Resolved, resolveRef } from './resolve-ref.ts';

/** One operation with the members that it inherits from path item and root, every `$ref` resolved. */
export interface ContractOperation {
  readonly operationId: string;
  readonly method: Method;
  readonly basePath: string;
  /** Address of the first server, variables at their defaults, without a trailing slash; relative if the contract's is relative. */
  readonly serverUrl: string;
  readonly path: string;
  readonly pointer: string;
  readonly operation: OperationObject;
  readonly parameters: readonly Resolved<ParameterObject>[];
  readonly requestBody: Resolved<RequestBodyObject> | undefined;
  readonly responses: readonly { readonly status: string; readonly response: Resolved<ResponseObject> }[];
  readonly security: readonly SecurityRequirement[];
}

/** Operations of frozen documents, which each emitter lists again. */
const listed = new WeakMap<OpenApiDocument, readonly ContractOperation[]>();

/** Lists operations in the order in which a router may mount them: by base path, literal segments before templates, then by method. */
export function listOperations(document: OpenApiDocument): readonly ContractOperation[] {
  const known = listed.get(document);
  if (known !== undefined) return known;
  const operations = findOperations(document);
  if (Object.isFrozen(document)) listed.set(document, operations);
  return operations;
}

function findOperations(document: OpenApiDocument): readonly ContractOperation[] {
  const operations = listPathItems(document).flatMap(({ path, item, pointer: itemPointer }) =>
    methods.flatMap((method): ContractOperation[] => {
      const operation = item[method];
      if (operation?.operationId === undefined) return [];
      const pointer = extendPointer(itemPointer, method);
      const servers = operation.servers ?? item.servers ?? document.servers;
      return [
        {
          operationId: operation.operationId,
          method,
          basePath: readBasePath(servers),
          serverUrl: readServerUrl(servers),
          path,
          pointer,
          operation,
          parameters: mergeParameters(document, { path, item, pointer: itemPointer }, method),
          requestBody:
            operation.requestBody && resolveRef(document, operation.requestBody, extendPointer(pointer, 'requestBody')),
          responses: entriesOf(operation.responses).map(([status, response]) => ({
            status,
            response: resolveRef<ResponseObject>(document, response, extendPointer(pointer, 'responses', status)),
          })),
          security: operation.security ?? document.security ?? [],
        },
      ];
    }),
  );
  return operations.sort(
    (a, b) => compareText(a.basePath, b.basePath) || comparePaths(a.path, b.path) || compareText(a.method, b.method),
  );
}

/** Path items with their `$ref`s resolved: a path may share another's operations. */
export function listPathItems(document: OpenApiDocument) {
  return entriesOf(document.paths).map(([path, entry]) => {
    const { value: item, pointer } = resolveRef<PathItemObject>(document, entry, formatPointer(['paths', path]));
    return { path, item, pointer };
  });
}

/** A copy with each operation replaced by `change`, under `paths` and in components. The rest is shared. */
export function mapOperations(
  document: OpenApiDocument,
  change: (operation: OperationObject) => OperationObject,
): OpenApiDocument {
  const changeItem = (item: object): object =>
    Object.fromEntries(
      Object.entries(item).map(([key, value]) => [
        key,
        (methods as readonly string[]).includes(key) ? change(value) : value,
      ]),
    );
  const changeItems = <Items extends object>(items: Items): Items =>
    Object.fromEntries(
      Object.entries(items).map(([key, item]) => [
        key,
        typeof item === 'object' && item !== null ? changeItem(item) : item,
      ]),
    ) as Items;
  const { paths, components } = document;
  const pathItems = components?.pathItems;
  return {
    ...document,
    ...(paths && { paths: changeItems(paths) }),
    ...(pathItems && { components: { ...components, pathItems: changeItems(pathItems) } }),
  };
}

/** Entries of paths or statuses, without extensions (OpenAPI 3.1, 4.9). */
export function entriesOf<T>(map: Readonly<Record<string, T>> | undefined): [string, T][] {
  return Object.entries(map ?? {}).filter(([key]) => !key.startsWith('x-'));
}

/** Headers of a response, each with its `$ref` resolved. */
export function listHeaders(document: OpenApiDocument, response: Resolved<ResponseObject>) {
  return Object.entries(response.value.headers ?? {}).map(([name, header]) => ({
    name,
    header: resolveRef<HeaderObject>(document, header, extendPointer(response.pointer, 'headers', name)).value,
  }));
}

/** The schema of a parameter or media type, with its `$ref` resolved. An absent schema allows any value. */
export function schemaOf(
  document: OpenApiDocument,
  owner: { readonly schema?: ParameterObject['schema'] },
  pointer: string,
): Resolved<SchemaObject> {
  return resolveRef<SchemaObject>(document, owner.schema ?? {}, extendPointer(pointer, 'schema'));
}

/**
 * The operation's own parameters win over the path item's of the same name and place (OpenAPI 3.1, 4.8.9); names of headers have no case. Of one
 * that is declared twice in a list the last counts, and it is required if either is. A path parameter that the path does not have is left out.
 */
function mergeParameters(
  document: OpenApiDocument,
  {
    path,
    item,
    pointer: itemPointer,
  }: { readonly path: string; readonly item: PathItemObject; readonly pointer: string },
  method: Method,
  faults?: Map<string, ParameterFault>,
): Resolved<ParameterObject>[] {
  const layers = [
    { at: extendPointer(itemPointer, 'parameters'), list: item.parameters ?? [] },
    { at: extendPointer(itemPointer, method, 'parameters'), list: item[method]?.parameters ?? [] },
  ];
  const merged = new Map<string, Resolved<ParameterObject>>();
  for (const { at, list } of layers) {
    const own = new Map<string, boolean>();
    for (const [index, entry] of list.entries()) {
      const { value, pointer } = resolveRef<ParameterObject>(document, entry, extendPointer(at, index));
      if (value.in === 'path' && !path.includes(`{${value.name}}`)) {
        faults?.set(extendPointer(at, index), {
          ...{ pointer: extendPointer(at, index), rule: 'path-parameters-defined', cost: 'it is left out' },
          message: `the path ${path} has no {${value.name}}`,
          fix: `Write {${value.name}} where the path has the value, or delete the parameter.`,
        });
        continue;
      }
      const key = `${value.in} ${value.in === 'header' ? value.name.toLowerCase() : value.name}`;
      if (own.has(key))
        faults?.set(extendPointer(at, index), {
          ...{ pointer: extendPointer(at, index), rule: 'operation-parameters-unique' },
          message: `the list has two parameters ${value.name} in: ${value.in}`,
          cost: 'the last one counts, and it is required if either is',
          fix: 'Keep one parameter of each name and location.',
        });
      const isRequired = own.get(key) === true && value.required !== true;
      own.set(key, isRequired || value.required === true);
      merged.set(key, { value: isRequired ? { ...value, required: true } : value, pointer });
    }
  }
  return [...merged.values()];
}

/** A parameter that does not count as it is written, with its place in a list of parameters. */
export interface ParameterFault {
  readonly pointer: string;
  readonly rule: string;
  readonly message: string;
  readonly cost: string;
  readonly fix: string;
}

/** Parameters of operations that are merged with another one of their list, and path parameters that the path does not have. */
export function findParameterFaults(document: OpenApiDocument): readonly ParameterFault[] {
  // Each method has those of its path item.
  const faults = new Map<string, ParameterFault>();
  for (const place of listPathItems(document))
    for (const method of methods)
      if (place.item[method] !== undefined) mergeParameters(document, place, method, faults);
  return [...faults.values()];
}

/** Path part of the first server, without a trailing slash; `''` for the root. */
function readBasePath(servers: readonly ServerObject[] | undefined): string {
  return new URL(readServerUrl(servers), 'http://relative.invalid').pathname.replace(/\/+$/, '');
}

function readServerUrl(servers: readonly ServerObject[] | undefined): string {
  const server = servers?.[0];
  return server === undefined ? '' : fillServerUrl(server);
}

/** The address of a server: variables at their defaults, without a trailing slash. */
export function fillServerUrl({ url, variables }: ServerObject): string {
  return url.replace(/\{([^}]+)\}/g, (_, name: string) => variables?.[name]?.default ?? '').replace(/\/+$/, '');
}

function comparePaths(a: string, b: string): number {
  const left = a.split('/');
  const right = b.split('/');
  for (const [index, segment] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = Number(segment.includes('{')) - Number(other.includes('{')) || compareText(segment, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
