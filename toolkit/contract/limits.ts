import { type ContractDocument, formatPointer, isObject, readPointer, valueAt } from '@lockstep/json/json-pointer';
import { schemaKeywords } from '@lockstep/json/schema-keywords';
import { findLargeCompositions } from './composition-size.ts';
import { isSwagger } from './convert-swagger.ts';
import { entriesOf, fillServerUrl, listPathItems } from './list-operations.ts';
import { methods, type OpenApiDocument, type OperationObject } from './openapi-document.ts';
import { isLocal, longestChain, ReferenceChains } from './reference-chains.ts';
import { findForeign, type Visited } from './walk-document.ts';

export interface LimitFinding {
  readonly at: readonly (string | number)[];
  readonly message: string;
  /** Replaces the fix of the limit. */
  readonly fix?: string;
}

/** A construct that the toolkit can't derive from, with its fix. */
export interface Limit {
  readonly name: string;
  readonly fix: string;
  /**
   * @param objects every object of the document, walked once for all limits of a step
   * @param schemas every schema, listed once too
   */
  readonly find: (
    document: unknown,
    objects: () => readonly Visited[],
    schemas: () => readonly Visited[],
  ) => Iterable<LimitFinding>;
  /** True if a finding makes later limits of the step meaningless. */
  readonly stops?: true;
}

/**
 * `root`: checked on the root document before the linter walks it, since some findings would crash the linter. `bundle`: checked on the bundled
 * document.
 */
export type LimitStep = 'root' | 'bundle';

export const limits: Readonly<Record<LimitStep, readonly Limit[]>> = {
  root: [
    {
      name: 'not-json',
      fix: 'Write a value that JSON has: quote text, and use no alias inside its own anchor.',
      find: (document) => findForeign(document),
      stops: true,
    },
    {
      name: 'openapi-version',
      fix: 'Name an OpenAPI document: an object that starts with openapi: 3.1.1 or openapi: 3.0.4.',
      find: judgeVersion,
      stops: true,
    },
    {
      name: 'network-reference',
      fix: 'Keep the file next to the contract and refer to it by its path: references are not fetched.',
      find: (_, objects) =>
        referencesOf(objects(), (ref) =>
          /^[a-z][a-z0-9+.-]+:/i.test(ref) ? `$ref ${JSON.stringify(ref)} leads to the network` : undefined,
        ),
    },
    {
      name: 'anchor-reference',
      fix: 'Refer by JSON pointer, as in #/components/schemas/Name.',
      find: (_, objects) =>
        referencesOf(objects(), (ref) =>
          /^#[^/]/.test(ref) ? `$ref ${JSON.stringify(ref)} leads to an $anchor` : undefined,
        ),
    },
    {
      // The linter follows each reference of a chain to its end: with 5,000 it took 40 s and more.
      name: 'reference-chain',
      fix: 'Let the first reference point at the definition itself.',
      find: (document, objects) => {
        const chains = new ReferenceChains(document);
        return referencesOf(objects(), (ref) => {
          const { length, end } = isLocal(ref) ? chains.follow(ref) : { length: 0 };
          return end !== undefined && length > longestChain
            ? `a chain of more than ${longestChain} references begins here`
            : undefined;
        });
      },
      stops: true,
    },
    {
      name: 'reference-loop',
      fix: 'Let one of the references point at a definition.',
      find: (document, objects) => {
        const chains = new ReferenceChains(document);
        return referencesOf(objects(), (ref, place) =>
          // A schema may refer to its own $defs.
          (isLocal(ref) && chains.follow(ref).end === undefined) ||
          (readPointer(document as ContractDocument, ref) === undefined &&
            ref.startsWith(`${formatPointer(place.at)}/`))
            ? `$ref ${JSON.stringify(ref)} leads back to itself`
            : undefined,
        );
      },
    },
    {
      // The linter's core calls methods of these names on the objects that it walks.
      name: 'member-name',
      fix: 'Choose another name.',
      find: function* (_, objects) {
        for (const place of objects()) {
          for (const name of ['hasOwnProperty', 'constructor', '__proto__']) {
            if (Object.hasOwn(place.node, name))
              yield { at: [...place.at, name], message: `a member is called ${name}` };
          }
        }
      },
    },
  ],
  bundle: [
    {
      name: 'composition',
      fix: 'Compose it of fewer schemas: if several parts repeat a schema, keep it in one of them.',
      find: (document, _objects, schemas) => findLargeCompositions(document, schemas()),
      stops: true,
    },
    {
      name: 'server-url',
      fix: 'Write a URL such as https://api.example/v1, or a path.',
      find: function* (_, objects) {
        for (const place of objects()) {
          const { servers } = place.node;
          if (!Array.isArray(servers)) continue;
          for (const [index, server] of servers.entries()) {
            if (typeof valueAt(server, ['url']) !== 'string') continue;
            // Only the first server is used. In others the default of a variable may be prose, `<tenant>`.
            const url = index === 0 ? fillServerUrl(server) : server.url.replace(/\{[^}]*\}/g, '0');
            if (!URL.canParse(url, 'http://relative.invalid'))
              yield { at: [...place.at, 'servers', index, 'url'], message: `${JSON.stringify(url)} is not a URL` };
          }
        }
      },
    },
    {
      name: 'empty-enum',
      fix: 'List the values, or delete enum if any value is valid.',
      find: function* (_document, _objects, schemas) {
        for (const schema of schemas())
          if (Array.isArray(schema.node.enum) && schema.node.enum.length === 0)
            yield { at: [...schema.at, 'enum'], message: 'enum is empty: no value can be valid' };
      },
    },
    {
      // The linter does not look into lists of schemas.
      name: 'no-schema',
      fix: 'Write a schema, an object or a boolean.',
      find: function* (_document, _objects, schemas) {
        for (const schema of schemas())
          for (const keyword of Object.keys(schema.node)) {
            const holds = schemaKeywords.get(keyword)?.holds;
            if (holds !== 'schemas' && holds !== 'map') continue;
            const value = schema.node[keyword];
            if (holds === 'schemas' && Array.isArray(value) && value.length === 0)
              yield { at: [...schema.at, keyword], message: `${keyword} is empty` };
            for (const [name, one] of Object.entries(Object(value)))
              if (!isObject(one) && typeof one !== 'boolean')
                yield { at: [...schema.at, keyword, name], message: `${JSON.stringify(one)} is no schema` };
          }
      },
    },
    {
      name: 'reference-text',
      fix: 'Write the reference as text, as in #/components/schemas/Name.',
      find: function* (_document, _objects, schemas) {
        for (const schema of schemas())
          if (Object.hasOwn(schema.node, '$ref') && typeof schema.node.$ref !== 'string')
            yield { at: [...schema.at, '$ref'], message: 'a $ref is not text' };
      },
    },
    {
      // JavaScript sorts members that are numbers before all others, and the table's order is the router's.
      name: 'operation-id',
      fix: 'Begin the operationId with a letter, as in getThings.',
      find: (document) =>
        operationsOf(document)
          .filter(({ operation }) => /^(\d+|__proto__)$/.test(operation.operationId ?? ''))
          .map(({ at, operation }) => ({
            at: [...at, 'operationId'],
            message: `operationId is ${operation.operationId}`,
          })),
    },
    {
      name: 'operation-without-responses',
      fix: 'Declare at least one response.',
      find: (document) =>
        operationsOf(document)
          .filter(({ operation }) => entriesOf(operation.responses).length === 0)
          .map(({ at }) => ({ at, message: 'the operation declares no response' })),
    },
    {
      name: 'dynamic-reference',
      fix: 'Name a $dynamicAnchor of the document, or use $ref.',
      find: function* (document, objects) {
        const dynamic = objects().filter(({ node }) => '$dynamicRef' in node || '$recursiveRef' in node);
        if (dynamic.length === 0) return;
        const names = new Set(objects().flatMap(({ node }) => [node.$anchor, node.$dynamicAnchor]));
        for (const { at, node } of dynamic) {
          const { $dynamicRef: ref, $recursiveRef } = node;
          const isFound =
            typeof ref === 'string' &&
            ((ref.startsWith('#') && names.has(ref.slice(1))) ||
              (isLocal(ref) && readPointer(document as ContractDocument, ref) !== undefined));
          if ('$dynamicRef' in node && !isFound)
            yield { at: [...at, '$dynamicRef'], message: `$dynamicRef ${JSON.stringify(ref)} leads nowhere` };
          if ($recursiveRef !== undefined) yield { at: [...at, '$recursiveRef'], message: '$recursiveRef is used' };
        }
      },
    },
  ],
};

function* judgeVersion(document: unknown): Generator<LimitFinding> {
  const supported = 'supported versions are openapi 3.0.x and 3.1.x, and swagger 2.0 unless strict';
  if (document === undefined || document === null) return yield { at: [], message: 'the document is empty' };
  if (!isObject(document)) {
    const kind = Array.isArray(document) ? 'a list' : typeof document === 'string' ? 'text' : `a ${typeof document}`;
    return yield { at: [], message: `it is ${kind}, not an OpenAPI document` };
  }
  const { openapi, swagger } = document;
  if (typeof openapi === 'string' && /^3\.[01]\.\d+$/.test(openapi)) return;
  if (openapi === undefined && swagger !== undefined) {
    const converter = isSwagger(document) ? 'swagger2openapi' : 'api-spec-converter';
    const fix = `Convert the document to OpenAPI 3.0 or 3.1, by a converter such as ${converter}.`;
    return yield { at: ['swagger'], message: `swagger is ${JSON.stringify(swagger)}, ${supported}`, fix };
  }
  if (openapi === undefined) return yield { at: ['openapi'], message: `openapi is missing, ${supported}` };
  const isVersion = typeof openapi === 'number' || typeof openapi === 'string';
  const [, major = '', minor = '0'] = (isVersion && /^(\d+)(?:\.(\d+))?/.exec(String(openapi))) || [];
  // YAML reads `4.0` as the number 4.
  if (major !== '' && (major !== '3' || Number(minor) > 1)) {
    const message = `OpenAPI ${major}.${minor} is not supported, 3.0.x and 3.1.x are`;
    const fix =
      Number(major) < 3
        ? 'Convert the document to OpenAPI 3.0 or 3.1, by a converter such as swagger2openapi.'
        : 'Write the document in OpenAPI 3.1, openapi: 3.1.1, and remove features of the later version.';
    return yield { at: ['openapi'], message, fix };
  }
  const fix = 'Write the version of the document as text, openapi: 3.1.1 or openapi: 3.0.4.';
  yield { at: ['openapi'], message: `openapi is ${JSON.stringify(openapi)}, ${supported}`, fix };
}

function* referencesOf(
  objects: readonly Visited[],
  fault: (ref: string, place: Visited) => string | undefined,
): Generator<LimitFinding> {
  for (const place of objects) {
    const { $ref } = place.node;
    const message = typeof $ref === 'string' ? fault($ref, place) : undefined;
    if (message !== undefined) yield { at: [...place.at, '$ref'], message };
  }
}

function operationsOf(document: unknown): { at: readonly string[]; operation: OperationObject }[] {
  return listPathItems(document as OpenApiDocument).flatMap(({ path, item }) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ at: ['paths', path, method], operation }];
    }),
  );
}
