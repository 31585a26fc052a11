import type { RequestListener } from 'node:http';
import type { Handlers } from '@lockstep/contract/handlers';
import type { Operation, OperationTable } from '@lockstep/contract/operations';
import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import { closeSchemas } from '@lockstep/runtime/form/close-schemas';
import { createSchemaCompiler } from '@lockstep/runtime/form/compile-schema';
import { readTarget } from '@lockstep/runtime/message/read-target';
import { createRouter } from '@lockstep/runtime/route-request';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Principal } from '../principal.ts';
import { type CountRequest, formatQuota } from './account-quota.ts';
import { type AnyHandler, answerRequest, type PlannedOperation, planOperation, type Steps } from './answer-request.ts';
import { createValidator } from './ask-validator.ts';
import { createAuthentication, type VerifyToken } from './authenticate.ts';
import { type CheckResponse, createResponseCheck } from './check-response.ts';
import { formatTrialEnd } from './check-trial.ts';
import { createReply } from './create-reply.ts';
import { allowCrossOrigin } from './cross-origin.ts';
import { createRouteFinder } from './find-route.ts';
import { authPath, type MountedApi, type Mounts, mountService } from './mount-service.ts';

/** What the OAuth server answers, under a path of its own. */
type AuthServerOperation = 'exchangeToken' | 'getJwks' | 'getOpenIdConfiguration' | 'login' | 'revokeToken';

export interface AppOptions extends Mounts {
  /** The bundled contract; every reference points into it. */
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  /** Every operation of the resource API: one that is forgotten does not compile. */
  readonly handlers: Omit<Handlers<Principal>, AuthServerOperation>;
  readonly verifyToken: VerifyToken;
  readonly clock: Clock;
  /** Left out: no quota. */
  readonly countRequest?: CountRequest | undefined;
  /** Origins whose pages a browser lets call the API; none when left out. */
  readonly corsOrigins?: readonly string[] | undefined;
  readonly logger: Logger;
  /** Whether each answer is held against the contract before it leaves; one that breaks it becomes a 500 and an error in the log. */
  readonly checkResponses: boolean;
}

/**
 * Builds the service as one request listener: the resource API, `/healthz`, and what is mounted beside them. All schemas are
 * compiled before it returns; no request waits for one.
 *
 * @throws Error where the contract can't be kept: a schema that doesn't compile, a security scheme without a check, an operation
 * without a handler, an extension that points nowhere
 */
export async function createApp(options: AppOptions): Promise<RequestListener> {
  const { contract, clock, logger } = options;
  const operations = Object.values(options.operations).filter(({ basePath }) => basePath !== authPath);
  const authenticate = createAuthentication(contract, operations, options.verifyToken);
  const compile = createSchemaCompiler(contract);
  const planned = operations.map((operation) =>
    named(operation, () => planOperation({ document: contract, compile }, operation, findHandler(options, operation))),
  );
  const steps: Steps = {
    clock,
    authenticate,
    countRequest: options.countRequest ?? (async () => undefined),
    findRoute: createRouteFinder(planned),
    askValidator: await createValidator(contract, operations, logger),
  };
  const apiVersion = String(followMember(contract, contract, 'info').version);
  const reply = createReply({
    ambient: ({ principal, quota }) => ({
      apiVersion,
      trialEndsAt: formatTrialEnd(principal, clock),
      quotaHeaders: formatQuota(quota),
    }),
    checkResponse: options.checkResponses ? createStrictCheck(contract, operations) : undefined,
    logger,
  });
  const origins = options.corsOrigins ?? [];
  const api: MountedApi = {
    answer: (exchange) => answerRequest(steps, exchange),
    takesBody: createBodyLookup(planned),
    allowCrossOrigin: origins.length > 0 ? allowCrossOrigin({ ...options, origins }) : undefined,
  };
  return mountService(options, api, reply, logger);
}

function findHandler({ handlers }: AppOptions, { operationId }: Operation): AnyHandler {
  // Each handler asks for the request of its own operation, and is only ever given that.
  const handler = (handlers as unknown as Readonly<Record<string, AnyHandler | undefined>>)[operationId];
  if (handler === undefined) throw new Error('there is no handler');
  return handler;
}

function createBodyLookup(planned: readonly PlannedOperation[]): MountedApi['takesBody'] {
  const { match } = createRouter(planned);
  return ({ method = '', url = '/' }) => {
    const found = match(readTarget(url).path)?.route.operations.get(method.toLowerCase());
    return found !== undefined && found.operation.requestBody !== null;
  };
}

function createStrictCheck(contract: ContractDocument, operations: readonly Operation[]): CheckResponse {
  const { document, close } = closeSchemas(contract);
  const compile = createSchemaCompiler(document);
  return createResponseCheck({ document, compile, compileBody: (schema) => compile(close(schema)) }, operations);
}

/** Says which operation it was that could not be prepared. */
function named<Made>({ operationId }: Operation, make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    throw new Error(`${operationId}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
