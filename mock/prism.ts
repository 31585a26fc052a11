import { createRequire } from 'node:module';
import { type ContractDocument, isObject, readPointer } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';
import type { NamedExample } from '@lockstep/runtime/rejection/declared-response';
import { createInstance, resetJSONSchemaGenerator } from '@stoplight/prism-http';
import type { HttpMethod, IHttpOperation } from '@stoplight/types';
import { pino } from 'pino';
import { tameSchemas } from './tame-schemas.ts';

type PrismComponents = Parameters<typeof createInstance>[1];
type PrismConfig = Parameters<typeof createInstance>[0];

/**
 * Prism's own choice of an answer, which its package does not export by name. Required, not imported: what a default
 * import of a CommonJS module means differs between Node and test runners.
 */
const { default: chooseAnswer }: typeof import('@stoplight/prism-http/dist/mocker/index.js') = createRequire(
  import.meta.url,
)('@stoplight/prism-http/dist/mocker/index.js');

/** A request for one response of an operation, in one media type. */
export interface PrismAsk {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly mediaType: string;
  readonly schema: unknown;
  /** The examples that may be served. */
  readonly examples: readonly NamedExample[];
  /** Name of the requested example; by default the first. */
  readonly example?: string | undefined;
  /** Whether to invent a body even if examples exist. */
  readonly dynamic: boolean;
  readonly seed?: string | undefined;
}

/** @returns a body that is not validated yet; undefined if Prism finds none */
export type AskPrism = (ask: PrismAsk) => Promise<unknown>;

/** Invented bodies grow with every reference. With more nodes than this, the generator takes seconds or never returns. */
const largestInvented = 2_000;
const mostInventedItems = 20;

/**
 * Prism in process. It chooses the documented answer, or invents one from the schema.
 *
 * Its routing, validation, security and HTTP server are not used: they crash or hang on malformed input, and deviate from
 * the contract. Nor does Prism read the document: it would copy every referenced part into each operation, which took
 * 15 seconds for 845 of them. It receives one response at a time.
 */
export function createPrism(document: ContractDocument): AskPrism {
  return async ({ method, path, status, mediaType, schema, examples, example, dynamic, seed }) => {
    const isInvented = dynamic || seed !== undefined;
    if (!isForPrism(document, schema)) return undefined;
    const bundle = isInvented ? bundleSchemas(document, schema) : undefined;
    const content = {
      id: 'content',
      mediaType,
      schema: bundle?.schema ?? schema,
      examples: examples.map(({ name, value }) => ({ id: name, key: name, value })),
    };
    // References of a schema point into the document; for invented bodies, into the bundle.
    const resource = {
      ...(isInvented ? { __bundled__: bundle?.bundle } : { components: document.components, paths: document.paths }),
      id: 'operation',
      method,
      path,
      responses: [{ id: 'response', code: String(status), contents: [content] }],
    } as unknown as IHttpOperation;
    const mock = {
      dynamic,
      code: status,
      ...(example !== undefined && { exampleKey: example }),
      ...(seed !== undefined && { seed }),
    };
    const instance = createInstance(baseConfig, components(resource));
    const input = { method: method as HttpMethod, url: { path }, headers: {} };
    const result = await instance.request(input, [resource], { ...baseConfig, mock })();
    return result._tag === 'Left' ? undefined : result.right.output.body;
  };
}

const baseConfig: PrismConfig = {
  isProxy: false,
  checkSecurity: false,
  validateRequest: false,
  validateResponse: false,
  errors: false,
  upstreamProxy: undefined,
  mock: { dynamic: false },
};

/** Prism logs whole bodies, and calls `success`, a level of its own. */
const silent = Object.assign(pino({ level: 'silent' }), {
  success: () => undefined,
}) as unknown as PrismComponents['logger'];

/**
 * A seed makes the one generator of the process deterministic for every later call. Since Prism answers synchronously, the
 * reset right after it keeps the seed from other calls.
 */
function components(resource: IHttpOperation): PrismComponents {
  return {
    logger: silent,
    route: () => ({ _tag: 'Right', right: resource }),
    mock: (options) => (log) => {
      const answer = chooseAnswer(options)(log);
      if (options.config.seed !== undefined) resetJSONSchemaGenerator();
      return answer;
    },
  };
}

interface Bundle {
  readonly schema: unknown;
  readonly bundle: object;
}

/** Whether Prism can handle a schema: not a recursive or too large one, nor composed lists, for which it writes to the console. */
function isForPrism(document: ContractDocument, schema: unknown): boolean {
  let left = largestInvented;
  return isFit(schema, new Set());

  function isFit(node: unknown, within: ReadonlySet<string>): boolean {
    if (typeof node !== 'object' || node === null) return true;
    left -= 1;
    if (left < 0) return false;
    const { $ref, minItems, allOf } = isObject(node) ? node : {};
    if (typeof minItems === 'number' && minItems > mostInventedItems) return false;
    if (allOf !== undefined && listParts(document, node).some((part) => [part.type].flat().includes('array')))
      return false;
    if (typeof $ref !== 'string') return Object.values(node).every((member) => isFit(member, within));
    return !within.has($ref) && isFit(readPointer(document, $ref), new Set([...within, $ref]));
  }
}

/** A schema with all referenced schemas, in the layout that the generator of invented bodies expects. */
function bundleSchemas(document: ContractDocument, schema: unknown): Bundle {
  const names = new Map<string, string>();
  const bundle: Record<string, unknown> = {};
  const copy = copyNode(schema);
  const tamed = tameSchemas({ schema: copy, ...bundle });
  const { schema: own, ...others } = tamed;
  return { schema: own, bundle: others };

  function copyNode(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(copyNode);
    if (!isObject(node)) return node;
    if (typeof node.$ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, copyNode(member)]));
    return { $ref: `#/__bundled__/${nameOf(node.$ref)}` };
  }

  function nameOf(reference: string): string {
    const known = names.get(reference);
    if (known !== undefined) return known;
    const name = `part${names.size}`;
    names.set(reference, name);
    bundle[name] = copyNode(readPointer(document, reference));
    return name;
  }
}
