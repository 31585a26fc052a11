import type { Handlers } from '@lockstep/contract/handlers';
import type { OperationTable } from '@lockstep/contract/operations';
import { type ContractDocument, followMember } from '@lockstep/json/json-pointer';
import type { RuntimeOptions } from '@lockstep/runtime/create-runtime';
import type { Operation } from '@lockstep/runtime/operation';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Principal } from '../principal.ts';
import { type CountRequest, createQuotaCheck } from './account-quota.ts';
import { createErrorAnswers } from './answer-error.ts';
import { createTrialCheck } from './check-trial.ts';
import { createAmbient, keepCode, type ServiceExchange } from './exchange.ts';
import { askSecondOpinion, type SecondOpinion } from './second-opinion.ts';
import { createTokenScheme, realm, requireTokens, type VerifyToken } from './token-scheme.ts';

/** Where the OAuth server is. */
export const authPath = '/auth';

/** What the OAuth server answers, under a path of its own. */
type AuthServerOperation = 'exchangeToken' | 'getJwks' | 'getOpenIdConfiguration' | 'login' | 'revokeToken';

/** Every operation of the resource API: one that is forgotten does not compile. */
export type ApiHandlers = Omit<Handlers<Principal>, AuthServerOperation>;

/** What the resource API is served with. */
export interface ApiOptions {
  /** The bundled contract; every reference points into it. */
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  readonly handlers: ApiHandlers;
  readonly verifyToken: VerifyToken;
  readonly clock: Clock;
  /** Left out: no quota. */
  readonly countRequest?: CountRequest | undefined;
  readonly logger: Logger;
  /** Whether each answer is held against the contract before it leaves; one that breaks it becomes a 500 and an error in the log. */
  readonly checkResponses: boolean;
  /** Whether express-openapi-validator is asked about each request too; `off` when left out. */
  readonly secondOpinion?: SecondOpinion | undefined;
}

export type AnyApiHandler = ApiHandlers[keyof ApiHandlers];

/** By operationId: which handler is whose was checked where they came in, as `ApiHandlers`. */
type ApiRuntimeOptions = RuntimeOptions<Record<string, Operation>, Record<string, AnyApiHandler>, ServiceExchange>;

/**
 * The resource API as the runtime takes it: who may, what is counted, refusals in the words of the catalogue, headers of every answer. Where
 * it stands is for whoever serves it.
 *
 * @throws Error where the contract lets anybody in, or declares what the catalogue doesn't have
 */
export function planApi(options: ApiOptions): ApiRuntimeOptions {
  const { contract, clock, logger, countRequest, secondOpinion = 'off' } = options;
  const served = Object.entries(options.operations).filter(([, { basePath }]) => basePath !== authPath);
  const operations: readonly Operation[] = served.map(([, operation]) => operation);
  requireTokens(contract, operations);
  const answerError = createErrorAnswers(contract, operations, logger);
  return {
    contract,
    operations: Object.fromEntries(served),
    handlers: { ...options.handlers },
    security: { oauth2: createTokenScheme(options.verifyToken) },
    realm,
    logger,
    checkResponses: options.checkResponses,
    answerError,
    authenticated: createTrialCheck(clock),
    ...(countRequest && { authorized: createQuotaCheck(countRequest) }),
    ...(secondOpinion !== 'off' && { formed: askSecondOpinion(contract, logger, secondOpinion) }),
    ambient: createAmbient(String(followMember(contract, contract, 'info').version), clock),
    answered: keepCode,
  };
}
