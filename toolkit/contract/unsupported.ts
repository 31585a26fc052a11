import { formatPointer } from './json-pointer.ts';
import { methods, type OpenApiDocument, type OperationObject } from './openapi-document.ts';

/** A construct that OpenAPI allows and the toolkit honestly can't derive from. */
export interface Unsupported {
  readonly pointer: string;
  readonly rule: `unsupported/${string}`;
  readonly says: string;
  readonly cure: string;
}

interface Limit {
  readonly name: string;
  /** `version` is judged before anything else is read; `construct` on the bundled document. */
  readonly step: 'version' | 'construct';
  readonly cure: string;
  readonly find: (document: unknown) => readonly { readonly at: readonly (string | number)[]; readonly says: string }[];
}

const limits: readonly Limit[] = [
  {
    name: 'openapi-version',
    step: 'version',
    cure: 'Write the contract in OpenAPI 3.1 (openapi: 3.1.1).',
    find: (document) => {
      const version = (document as { openapi?: unknown } | null | undefined)?.openapi;
      if (typeof version === 'string' && /^3\.1\.\d+$/.test(version)) return [];
      return [{ at: ['openapi'], says: `openapi is ${JSON.stringify(version) ?? 'missing'}, supported is 3.1.x` }];
    },
  },
  {
    name: 'operation-without-id',
    step: 'construct',
    cure: 'Give the operation an operationId: types, table and handlers are named after it.',
    find: (document) =>
      operationsOf(document)
        .filter(({ operation }) => operation.operationId === undefined)
        .map(({ at }) => ({ at, says: 'the operation has no operationId' })),
  },
  {
    name: 'parameter-content',
    step: 'construct',
    cure: 'Describe the parameter by schema instead of content.',
    find: (document) =>
      findMembers(document, 'content')
        .filter(({ owner }) => typeof owner.in === 'string' && typeof owner.name === 'string')
        .map(({ at, owner }) => ({ at, says: `parameter ${String(owner.name)} is described by content` })),
  },
  ...['$dynamicRef', '$dynamicAnchor', '$recursiveRef'].map(
    (keyword): Limit => ({
      name: 'dynamic-reference',
      step: 'construct',
      cure: 'Use $ref: it can be resolved before any value is known.',
      find: (document) => findMembers(document, keyword).map(({ at }) => ({ at, says: `${keyword} is used` })),
    }),
  ),
];

/** Everything of one step that the toolkit can't derive from, in the order of the limits. */
export function findUnsupported(document: unknown, step: Limit['step']): readonly Unsupported[] {
  return limits
    .filter((limit) => limit.step === step)
    .flatMap(({ name, cure, find }) =>
      find(document).map(({ at, says }) => ({
        pointer: formatPointer(at),
        rule: `unsupported/${name}` as const,
        says,
        cure,
      })),
    );
}

function operationsOf(document: unknown): { at: string[]; operation: OperationObject }[] {
  return Object.entries((document as OpenApiDocument).paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ at: ['paths', path, method], operation }];
    }),
  );
}

type Member = { at: (string | number)[]; owner: Record<string, unknown> };

/** Every object that has the member, wherever it stands, except inside examples, enums and defaults: those are data. */
function findMembers(node: unknown, name: string, at: (string | number)[] = []): Member[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => findMembers(item, name, [...at, index]));
  if (typeof node !== 'object' || node === null) return [];
  const owner = node as Record<string, unknown>;
  const here = Object.hasOwn(owner, name) ? [{ at: [...at, name], owner }] : [];
  const below = Object.entries(owner)
    .filter(([key]) => !dataMembers.has(key))
    .flatMap(([key, value]) => findMembers(value, name, [...at, key]));
  return [...here, ...below];
}

const dataMembers = new Set(['example', 'examples', 'enum', 'const', 'default', 'value']);
