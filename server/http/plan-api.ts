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
import { createDifferentialValidation, type DifferentialValidation } from './differential-validation.ts';
import { createAmbient, keepCode, type ServiceExchange } from './exchange.ts';
import { createTokenScheme, requireTokens, type VerifyToken } from './token-scheme.ts';

/** Base path of the OAuth server. */
export const authPath = '/auth';

/** Operations of the OAuth server. */
type AuthServerOperation = 'exchangeToken' | 'getJwks' | 'getOpenIdConfiguration' | 'login' | 'revokeToken';

/** A handler for every operation of the resource API: a missing one is a compile error. */
export type ApiHandlers = Omit<Handlers<Principal>, AuthServerOperation>;

/** The parts that serve the resource API. */
export interface ApiOptions {
  /** The bundled contract, without external references. */
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
  readonly handlers: ApiHandlers;
  readonly verifyToken: VerifyToken;
  readonly clock: Clock;
  /** Default: no quota. */
  readonly countRequest?: CountRequest | undefined;
  readonly logger: Logger;
  /** Validates each answer before it is sent; one that violates the contract becomes a 500 and an error in the log. */
  readonly checkResponses: boolean;
  /** Whether express-openapi-validator judges each request too; default `off`. */
  readonly differentialValidation?: DifferentialValidation | undefined;
}

export type AnyApiHandler = ApiHandlers[keyof ApiHandlers];

/** Handlers by operationId; `ApiHandlers` has already checked that each has the type of its operation. */
type ApiRuntimeOptions = RuntimeOptions<Record<string, Operation>, Record<string, AnyApiHandler>, ServiceExchange>;

/**
 * The runtime options of the resource API: authentication, trial, quota, error answers of the catalogue, and the headers of every answer.
 *
 * @throws Error when the contract has an operation without access token, or an error code that the catalogue doesn't have
 */
export function planApi(options: ApiOptions): ApiRuntimeOptions {
  const { contract, clock, logger, countRequest, differentialValidation = 'off' } = options;
  const served = Object.entries(options.operations).filter(([, { basePath }]) => basePath !== authPath);
  const operations: readonly Operation[] = served.map(([, operation]) => operation);
  requireTokens(contract, operations);
  const answerError = createErrorAnswers(contract, operations, logger);
  return {
    contract,
    operations: Object.fromEntries(served),
    handlers: { ...options.handlers },
    security: { oauth2: createTokenScheme(options.verifyToken) },
    logger,
    checkResponses: options.checkResponses,
    answerError,
    authenticated: createTrialCheck(clock),
    ...(countRequest && { authorized: createQuotaCheck(countRequest) }),
    ...(differentialValidation !== 'off' && {
      validated: createDifferentialValidation(contract, logger, differentialValidation),
    }),
    ambient: createAmbient(String(followMember(contract, contract, 'info').version), clock),
    answered: keepCode,
  };
}
