import type { Contract } from '../contract/contract.ts';
import { type Connection, createConnection } from '../execute/connection.ts';
import { basicOf } from '../execute/credentials.ts';
import { findTokenEndpoint } from '../execute/find-token-endpoint.ts';
import { createPace, type Pace } from '../execute/pace.ts';
import { createSendCase, type SendCase } from '../execute/send-case.ts';
import { createTokens, type Tokens } from '../execute/tokens.ts';
import type { Redactor } from '../failures/redact.ts';
import type { Judge } from '../schema/create-judge.ts';
import type { RunOptions } from './run-options.ts';

interface Given {
  readonly contract: Contract;
  readonly options: RunOptions;
  readonly judge: Judge;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly startedAt: number;
}

/** Wires connection, pace, tokens and credentials into the one thing that scenarios send with. */
export function createContext({ contract, options, judge, redactor, signal, startedAt }: Given): {
  readonly context: SendCase;
  readonly connection: Connection;
  readonly tokens: Tokens;
  readonly pace: Pace;
  readonly deadline: number;
} {
  const { credentials, permissions, baseUrl, authUrl, seed, now } = options;
  const { token, clientId, clientSecret } = credentials;
  if (token !== undefined) redactor.keep(token, 'TOKEN');
  if (clientSecret !== undefined) {
    redactor.keep(clientSecret, 'CLIENT_SECRET');
    redactor.keep(basicOf(clientId ?? '', clientSecret));
  }
  const connection = createConnection({ timeoutMs: options.timeoutMs, workers: options.workers });
  const endpoint = findTokenEndpoint(contract, { baseUrl, authUrl });
  const tokens = createTokens({ credentials, endpoint, connection, keepSecret: redactor.keep });
  const deadline = startedAt + (options.budget.milliseconds ?? Number.POSITIVE_INFINITY);
  const pace = createPace(options.ratePerSecond, signal);
  const context = createSendCase({
    contract,
    judge,
    permissions,
    now,
    seed,
    tag: `conform-${seed.toString(36)}`,
    credentials,
    tokens,
    patience: { connection, pace, maxWaitMs: options.maxWaitMs, signal, deadline },
    baseFor: ({ target }) => (target === 'auth' ? (authUrl ?? baseUrl) : baseUrl),
    extraHeaders: options.headers,
    startedAt,
  });
  return { context, connection, tokens, pace, deadline };
}
