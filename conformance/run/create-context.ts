import type { Contract } from '../contract/contract.ts';
import { type Accounts, createAccounts } from '../execute/authorize.ts';
import { type Connection, createConnection } from '../execute/connection.ts';
import { createPace, type Pace } from '../execute/pace.ts';
import { createSendCase, type SendCase } from '../execute/send-case.ts';
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
  readonly accounts: Accounts;
  readonly pace: Pace;
  readonly deadline: number;
} {
  const { credentials, permissions, baseUrl, authUrl, seed, now } = options;
  const connection = createConnection({ timeoutMs: options.timeoutMs, workers: options.workers });
  const accounts = createAccounts({
    contract,
    credentials: { ...credentials, headers: options.headers },
    second: options.second,
    baseUrl,
    authUrl,
    connection,
    keepSecret: redactor.keep,
    mayCreateUsers: !permissions.readOnly,
  });
  const deadline = startedAt + (options.budget.milliseconds ?? Number.POSITIVE_INFINITY);
  const pace = createPace(options.ratePerSecond, signal);
  const context = createSendCase({
    contract,
    judge,
    permissions,
    now,
    seed,
    tag: `conform-${seed.toString(36)}`,
    accounts,
    patience: { connection, pace, maxWaitMs: options.maxWaitMs, signal, deadline },
    baseFor: ({ target }) => (target === 'auth' ? (authUrl ?? baseUrl) : baseUrl),
    startedAt,
  });
  return { context, connection, accounts, pace, deadline };
}
