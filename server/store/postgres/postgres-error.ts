import pg from 'pg';
import { StoreUnavailable, type UnavailableReason } from '../store.ts';
import type { UnusableReason } from '../store-unusable.ts';

/**
 * Of a write, and of any statement on a table without log. 0A000 is also the code of a prepared statement after a change of the schema: a new
 * connection helps too.
 */
const ofStandby = /^(25006|0A000)$/;

/**
 * Faults that pass or that the operator can fix, by SQLSTATE: no space (53100), a standby (25006, and 0A000 for a table without log),
 * connection lost (08), shutdown and recovery (57P), input and output (58), serialization failure and deadlock (40), resources used up (53), a
 * lock or statement that took too long (55P03, 57014).
 *
 * @see https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const passing: readonly (readonly [code: RegExp, reason: UnavailableReason])[] = [
  [/^53100$/, 'disk_full'],
  [ofStandby, 'read_only'],
  [/^(08...|57P0.|58...|25P03)$/, 'unreachable'],
  [/^(40001|40P01|53...|55P03|57014)$/, 'busy'],
];

/** The database has undone the transaction in favour of another one. */
const undone = /^(40001|40P01)$/;

/** Errors of Node and of node-postgres about a connection. The latter have no code. */
const connectionCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT|EACCES)/;
const connectionMessages = /^(Connection terminated|Client (has|was) )/;

interface Coded {
  readonly code?: unknown;
  readonly message: string;
}

/** Translates errors of PostgreSQL into those of the store. Any other error stays as it is, since it is a bug. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const reason = findReason(error);
  if (reason === undefined) return error;
  const isUndone = undone.test(`${(error as Coded).code}`);
  return new StoreUnavailable(`the database is unavailable: ${readMessage(error)}`, {
    cause: error,
    reason,
    isUndone,
  });
}

function findReason(error: Error): UnavailableReason | undefined {
  const { code } = error as Coded;
  if (error instanceof pg.DatabaseError) return passing.find(([codes]) => codes.test(`${code}`))?.[1];
  const isConnection = code === undefined ? connectionMessages.test(error.message) : connectionCodes.test(`${code}`);
  return isConnection ? 'unreachable' : undefined;
}

/** Every fault of a new connection passes or can be fixed by the operator, also a changed password, a dropped database or a certificate. */
export function toConnectionError(error: unknown): StoreUnavailable {
  const known = toStoreError(error);
  if (known instanceof StoreUnavailable) return known;
  const cause = error instanceof Error ? error : new Error(String(error));
  // All connections of the pool are in use.
  const reason = /^timeout exceeded/.test(cause.message) ? 'busy' : 'unreachable';
  return new StoreUnavailable(`the database is unavailable: ${readMessage(cause)}`, { cause, reason });
}

/** Whether the server is a standby, or the connection has to be replaced for another reason. */
export function isOfStandby(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ofStandby.test(`${error.code}`);
}

/** Whether the server did not answer in time, or is starting. */
export function isSlow(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : undefined;
  return cause instanceof Error && (/timeout/.test(cause.message) || (cause as Coded).code === '57P03');
}

/** The error of a host with several addresses has an error for each of them, and no message of its own. */
function readMessage(error: Error): string {
  if (error instanceof pg.DatabaseError) return `${error.message} (SQLSTATE ${error.code})`;
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
