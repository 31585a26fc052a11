import pg from 'pg';
import { StoreUnavailable } from '../store.ts';
import type { UnusableReason } from '../store-unusable.ts';

/**
 * Faults that pass or that the operator can fix, by SQLSTATE: connection lost (08), serialization failure and deadlock (40), resources used up
 * (53), a lock or statement that took too long (55P03, 57014), shutdown and recovery (57P), input and output (58), and a standby (25006).
 *
 * @see https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const passing = /^(08...|40001|40P01|53...|55P03|57014|57P0.|58...|25006|25P03)$/;

/** Errors of Node and of node-postgres about a connection. The latter have no code. */
const connectionCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT|EACCES)/;
const connectionMessages = /^(Connection terminated|timeout exceeded when trying to connect|Client (has|was) )/;

interface Coded {
  readonly code?: unknown;
  readonly message: string;
}

/** Translates errors of PostgreSQL into those of the store. Any other error stays as it is, since it is a bug. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return isPassing(error)
    ? new StoreUnavailable(`the database does not answer: ${readMessage(error)}`, { cause: error })
    : error;
}

function isPassing(error: Error): boolean {
  const { code } = error as Coded;
  if (error instanceof pg.DatabaseError) return passing.test(`${code}`);
  return code === undefined ? connectionMessages.test(error.message) : connectionCodes.test(`${code}`);
}

/** Whether the server did not answer in time, or is starting. */
export function isSlow(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : undefined;
  return cause instanceof Error && (/timeout/.test(cause.message) || (cause as Coded).code === '57P03');
}

/** The error of a host with several addresses has an error for each of them, and no message of its own. */
function readMessage(error: Error): string {
  return error.message === '' && error instanceof AggregateError
    ? error.errors.map((each: Error) => each.message).join(', ')
    : error.message;
}

const reasons: readonly (readonly [code: RegExp, reason: UnusableReason, sentence: string])[] = [
  [/^3D000$/, 'missing', 'does not exist: create it with createdb, or check DATABASE_URL'],
  [/^(28...|42501)$/, 'denied', 'rejects this user or password: check DATABASE_URL and the privileges of the user'],
  [/^25006$/, 'read_only', "can't be written to: it is a standby, or its transactions are read-only"],
  [/^(55P03|57014)$/, 'locked', 'is locked by another session for too long: stop that session first'],
];

/** The reason why a database can't be opened, from PostgreSQL's error; undefined for a bug. */
export function readUnusable(error: unknown): { reason: UnusableReason; sentence: string } | undefined {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  if (!(cause instanceof Error)) return undefined;
  const row = reasons.find(([code]) => cause instanceof pg.DatabaseError && code.test(`${cause.code}`));
  if (row !== undefined) return { reason: row[1], sentence: row[2] };
  // A server without TLS, or a certificate that can't be verified, is no passing fault. Its message comes from pg or from OpenSSL.
  const isTls =
    /SSL|certificate|self-signed/i.test(cause.message) ||
    /^(ERR_TLS|CERT_|SELF_SIGNED|UNABLE_TO_)/.test(`${(cause as Coded).code}`);
  return isTls || error instanceof StoreUnavailable
    ? { reason: 'unreachable', sentence: `can't be reached: ${readMessage(cause)}` }
    : undefined;
}
