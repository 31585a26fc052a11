import { createRequire } from 'node:module';
import type { ContractDocument } from '@lockstep/json/json-pointer';
import type { Answer } from '@lockstep/runtime/exchange';
import { createSchemaCompiler, type Validate } from '@lockstep/runtime/form/compile-schema';
import type { Operation } from '@lockstep/runtime/operation';
import { exampleHeaders, findResponse, listContents } from '@lockstep/runtime/refusal/declared-response';
import { type FaultMember, findFaultMembers, replaceRole } from '@lockstep/runtime/refusal/fault-members';
import { Rejection } from '@lockstep/runtime/rejection';
import { createInstance, getHttpOperationsFromSpec, resetJSONSchemaGenerator } from '@stoplight/prism-http';
import type { HttpMethod, IHttpOperation } from '@stoplight/types';
import { type Logger, pino } from 'pino';
import type { Choice } from './choose-example.ts';
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

/** Answers an operation as documented. The request has passed every check before. */
export type AnswerByExample = (operation: Operation, choice: Choice, requestId: string) => Promise<Answer>;

interface PrismOptions {
  readonly document: ContractDocument;
  readonly logger: Logger;
}

/**
 * Prism in process, for what it is good at: choosing the documented answer, and inventing one from the schema.
 *
 * Its routing, validation, security and HTTP server are left out: they kill or hang on malformed input, and judge
 * otherwise than the contract says. It never sees `Accept`, which it would answer with its own 406. Callbacks are
 * taken out: the mock calls nobody. An answer that breaks its own schema is logged, never told in a header.
 *
 * The answer's promise rejects with a `Rejection` when no answer can be made from the schema.
 */
export async function createPrism({ document, logger }: PrismOptions): Promise<AnswerByExample> {
  const compile = createSchemaCompiler(document);
  // Prism resolves references in place; the contract stays as it is for everyone else.
  const resources = await getHttpOperationsFromSpec(structuredClone(tameSchemas(document)));
  const byPlace = new Map(resources.map((resource) => [placeOf(resource), withoutCallbacks(resource)]));
  const kept = new Map<string, Finished>();
  return async (operation, choice, requestId) => {
    const key = `${operation.operationId} ${choice.code} ${choice.example}`;
    const isInvented = choice.dynamic || choice.seed !== undefined;
    const known = isInvented ? undefined : kept.get(key);
    const finished = known ?? (await make(operation, choice));
    // What is documented is always the same; there are no more of them than statuses and examples in the contract.
    if (!isInvented && finished.isDocumented) kept.set(key, finished);
    const { answer, members } = finished;
    return { ...answer, body: replaceRole(members, answer.body, 'request-id', requestId) };
  };

  async function make(operation: Operation, choice: Choice): Promise<Finished> {
    const resource = byPlace.get(placeOf(operation));
    if (resource === undefined) throw new Error(`${operation.operationId} is not in the contract`);
    const { code, example: exampleKey, dynamic, seed } = choice;
    const mock = {
      dynamic,
      ...(code !== undefined && { code }),
      ...(exampleKey !== undefined && { exampleKey }),
      ...(seed !== undefined && { seed }),
    };
    const instance = createInstance(baseConfig, components(resource));
    const input = { method: operation.method as HttpMethod, url: { path: operation.path }, headers: {} };
    const result = await instance.request(input, [resource], { ...baseConfig, mock })();
    if (result._tag === 'Left') {
      const text = `No answer can be made from the schema: ${result.left.message}`;
      throw new Rejection('internal', { text });
    }
    const { output } = result.right;
    const violations = findViolations(document, compile, operation, output);
    if (violations.length > 0) {
      const { operationId } = operation;
      logger.warn({ operationId, status: output.statusCode, violations }, 'the answer breaks its own schema');
    }
    return finishAnswer(document, operation, choice, output);
  }
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

/** Prism logs whole bodies, and calls a level of its own. */
const silent = Object.assign(pino({ level: 'silent' }), {
  success: () => undefined,
}) as unknown as PrismComponents['logger'];

/**
 * A seed turns the one generator of the process deterministic for every later call. Making an answer is synchronous,
 * so that undoing it at once leaves no moment in which another call meets it.
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

interface PrismOutput {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** An answer but for the id of its request. */
interface Finished {
  readonly answer: Answer;
  /** Members of its body that carry what, `request-id` among them. */
  readonly members: readonly FaultMember[];
  /** Whether it is an example of the contract, or nothing: the same each time. */
  readonly isDocumented: boolean;
}

/** Adds what Prism does not know: headers that belong to the chosen example. */
function finishAnswer(document: ContractDocument, operation: Operation, choice: Choice, output: PrismOutput): Finished {
  const response = findResponse(document, operation.pointer, output.statusCode)?.node ?? {};
  const contents = listContents(document, response);
  const headers = Object.entries(output.headers ?? {}).filter(([, value]) => value !== null && value !== undefined);
  const isType = ([name]: readonly [string, unknown]): boolean => name.toLowerCase() === 'content-type';
  const chosenType = headers.find(isType)?.[1];
  const content = contents.find(({ mediaType }) => mediaType === chosenType) ?? contents[0];
  const exampleName = choice.example ?? content?.examples[0]?.name;
  const answer = {
    status: output.statusCode,
    headers: {
      ...Object.fromEntries(headers.filter((header) => !isType(header)).map(([name, value]) => [name, String(value)])),
      ...exampleHeaders(document, response, exampleName),
    },
    ...(content === undefined ? {} : { mediaType: content.mediaType, body: output.body }),
  };
  return {
    answer,
    members: findFaultMembers(document, content?.schema),
    isDocumented: content === undefined || content.examples.length > 0,
  };
}

function findViolations(
  document: ContractDocument,
  compile: (schema: unknown) => Validate,
  { pointer }: Operation,
  output: PrismOutput,
): string[] {
  const response = findResponse(document, pointer, output.statusCode)?.node ?? {};
  const [content] = listContents(document, response);
  if (content?.schema === undefined || output.body === undefined) return [];
  return (compile(content.schema)(output.body) ?? []).map(
    ({ instancePath, message }) => `${instancePath} ${message ?? ''}`,
  );
}

function placeOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method.toLowerCase()} ${path}`;
}

function withoutCallbacks(resource: IHttpOperation): IHttpOperation {
  const { callbacks: _, ...rest } = resource;
  return rest;
}
