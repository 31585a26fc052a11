import { WrongUse } from '@lockstep/shell/wrong-use';
import type { EpochMilliseconds } from '../clock.ts';
import type { OpenCounter } from '../limits/window-counter.ts';
import type { AccessCodeStore } from './access-codes/access-code-store.ts';
import type { ActivityStore } from './activity/activity-store.ts';
import type { DeviceStore } from './devices/device-store.ts';
import type { ImportStore } from './imports/import-store.ts';
import type { JobStore } from './jobs/job-store.ts';
import type { Account, AuditEntry, NewAccount, Owner, Property } from './records.ts';

export interface PropertyStore {
  /** By account and name. */
  list(query: ListQuery): Promise<readonly (Property & { readonly devices: number })[]>;
  /** Properties of the account, in no order. */
  findAll(accountId: string, ids: readonly string[]): Promise<readonly Property[]>;
  /** @returns false when there is no such property */
  setTimezone(id: string, timezone: string): Promise<boolean>;
}

/** The filter of an operator's list. */
export interface ListQuery {
  /** When omitted, all accounts. */
  readonly accountId?: string | undefined;
  readonly limit: number;
}

export interface AccountStore {
  find(id: string): Promise<Account | undefined>;
  list(): Promise<readonly Account[]>;
  /** By id, with the number of devices and properties of each. */
  listCounted(
    query: ListQuery,
  ): Promise<readonly (Account & { readonly devices: number; readonly properties: number })[]>;
  /** Creates the account or changes its name; trial and flags of an existing one stay. */
  put(account: NewAccount): Promise<void>;
  /** Null: subscribed. @returns false when there is no such account */
  setTrialEnd(id: string, trialEndsAt: EpochMilliseconds | null): Promise<boolean>;
  /** Null: enabled. @returns false when there is no such account */
  setDisabled(id: string, at: EpochMilliseconds | null): Promise<boolean>;
}

export type NewOwner = Pick<Owner, 'id' | 'accountId' | 'email' | 'name' | 'passwordHash' | 'createdAt'>;

/** A browser in which an owner has logged in. */
export interface KnownBrowser {
  readonly ownerId: string;
  /** Hash of the secret in the browser's cookie. */
  readonly browserHash: string;
  readonly loggedInAt: EpochMilliseconds;
  /** The browser is known until then. */
  readonly endsAt: EpochMilliseconds;
}

/** Known browsers per owner. Each has its own password attempts, so that somebody who once knew the password must not collect many. */
export const mostKnownBrowsers = 5;

/**
 * Owners who log in. Each change is one transaction with its audit entry. A change that deletes browser sessions also sets `loginsValidAfter`,
 * which stops logins under way too; earlier logins make no browser known.
 */
export interface OwnerStore {
  find(id: string): Promise<Owner | undefined>;
  /** In any case. */
  findByEmail(email: string): Promise<Owner | undefined>;
  /** By account, then e-mail. */
  list(query: ListQuery): Promise<readonly Owner[]>;
  /**
   * @returns false when another owner has the e-mail: nothing changed
   * @throws StoreConflict when there is no such account
   */
  create(owner: NewOwner, audit?: AuditEntry): Promise<boolean>;
  /** Deletes the sessions. Grants stay. @returns false when there is no such owner */
  setPassword(
    id: string,
    change: { readonly passwordHash: string; readonly at: EpochMilliseconds },
    audit: AuditEntry,
  ): Promise<boolean>;
  /** Null: enabled. Disabling deletes the sessions and revokes all grants of the owner. @returns false when there is no such owner */
  setDisabled(id: string, at: EpochMilliseconds | null, audit: AuditEntry): Promise<boolean>;
  /** Deletes the sessions and revokes all grants of the owner. @returns as `revokeGrants`; 0 when there is no such owner */
  logOutEverywhere(id: string, at: EpochMilliseconds, audit: AuditEntry): Promise<number>;
  /**
   * Stores the browser and keeps the `mostKnownBrowsers` with the latest logins. A login that has been ended already is not stored.
   *
   * @param replaces the earlier hash of the same browser, which is deleted
   */
  rememberBrowser(browser: KnownBrowser, replaces?: string): Promise<void>;
  /** Whether the owner of this e-mail, in any case, has logged in with this browser and the current password, and has not logged out everywhere since. */
  isKnownBrowser(email: string, browserHash: string, now: EpochMilliseconds): Promise<boolean>;
}

export interface AuditStore {
  add(entry: AuditEntry): Promise<void>;
  /**
   * Adds an entry about a device while it has this pairing generation. The device is locked, so that of many concurrent callers one is first.
   *
   * @param since an action: adds nothing if the device has such an entry after its last entry of this action. When omitted, always adds.
   * @returns whether the entry was added
   */
  addAtGeneration(entry: AuditEntry, generation: number, since?: string): Promise<boolean>;
  list(accountId: string): Promise<readonly AuditEntry[]>;
}

/** The memory of simulated locks, so that a spent code stays spent after a restart. Opaque and sealed, since it contains digits. */
export interface LockMemoryStore {
  load(deviceId: string): Promise<Uint8Array | undefined>;
  /**
   * One conditional statement, so that of two processes with the same `before` one saves.
   *
   * @param before the memory that was loaded; undefined if there was none
   * @returns false when the memory is no longer `before`: nothing changed
   */
  save(deviceId: string, sealed: Uint8Array, at: EpochMilliseconds, before: Uint8Array | undefined): Promise<boolean>;
}

export interface KeyCheckStore {
  /** Stores the first value that it is ever given. @returns the stored value */
  keep(check: string): Promise<string>;
}

/** An id that belongs to another record. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
}

/**
 * The reason why the store does not answer at the moment, for `/readyz`.
 *
 * - `busy`: others hold its locks or connections for too long
 * - `unreachable`: there is no connection, no answer in time, or the disk fails
 * - `disk_full`: it has no space for new data
 * - `read_only`: it is a standby, or the process may no longer write the file
 * - `replaced`: the file was deleted or replaced since it was opened
 */
export type UnavailableReason = 'busy' | 'unreachable' | 'disk_full' | 'read_only' | 'replaced';

/** The store is busy or unreachable for a moment. Requests are answered 503 and can be repeated. */
export class StoreUnavailable extends WrongUse {
  override readonly name: string = 'StoreUnavailable';
  readonly reason: UnavailableReason;
  /** Whether the database has certainly undone the whole transaction, and may accept it at the next attempt. */
  readonly isUndone: boolean;

  constructor(
    message: string,
    {
      reason = 'busy',
      isUndone = false,
      ...options
    }: ErrorOptions & { readonly reason?: UnavailableReason; readonly isUndone?: boolean } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.isUndone = isUndone;
  }
}

/** Whether a statement may have happened although it failed. After other faults the database has undone it. */
export function isLostConnection(error: unknown): error is StoreUnavailable {
  return error instanceof StoreUnavailable && error.reason === 'unreachable';
}

/** How long the store itself keeps a revocation: the day that access tokens live, and a minute of clock skew. */
export const revocationKeptSeconds = 86_400 + 60;

/** OAuth artifacts (sessions, grants, codes, refresh tokens) by the hash of their id, so that a leaked database contains no usable one. Times are epoch seconds. */
export interface OidcStore {
  /** Upsert that keeps `consumed_at`: a consumed artifact stays consumed. */
  put(artifact: OidcArtifact): Promise<void>;
  /** Finds expired rows too, until they are purged: the OAuth library checks `exp` itself and returns the right error. */
  find(model: string, idHash: string): Promise<(OidcArtifact & { readonly consumedAt: number | null }) | undefined>;
  /** Newest session of that uid. */
  findSession(uid: string): Promise<OidcArtifact | undefined>;
  /** @returns whether this call, and no other, consumed it: one conditional statement */
  consume(model: string, idHash: string, atSeconds: number): Promise<boolean>;
  remove(model: string, idHash: string): Promise<void>;
  /** One idempotent transaction: deletes the grant and its artifacts, and records the revocation until `keepUntilSeconds`. */
  revokeGrant(grantId: string, idHash: string, atSeconds: number, keepUntilSeconds: number): Promise<void>;
  isGrantRevoked(grantId: string): Promise<boolean>;
  /** Grants that can be refreshed (with a refresh token neither expired nor consumed), newest login first. */
  listGrants(query: GrantQuery): Promise<readonly GrantRecord[]>;
  /**
   * `revokeGrant` for all grants that match the filter, in one transaction, also those that can't be refreshed.
   *
   * @param of at least one of its members
   * @param audit written in the same transaction, unless there is nothing to revoke
   * @returns how many of them `listGrants` would have returned
   */
  revokeGrants(of: GrantFilter, atSeconds: number, keepUntilSeconds: number, audit?: AuditEntry): Promise<number>;
  /** @returns the number of deleted rows */
  purge(nowSeconds: number, atMost: number): Promise<number>;
}

export interface OidcArtifact {
  readonly model: string;
  readonly idHash: string;
  readonly grantId: string | null;
  readonly uid: string | null;
  /** JSON, opaque. */
  readonly payload: string;
  readonly expiresAt: number | null;
  readonly purgeAt: number | null;
  /** The owner, who determines the account. Null before a login. */
  readonly ownerId: string | null;
  readonly clientId: string | null;
}

/** Matches grants that have all of these members. */
export interface GrantFilter {
  readonly grantId?: string | undefined;
  readonly ownerId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
}

export interface GrantQuery extends GrantFilter {
  readonly nowSeconds: number;
  readonly limit: number;
}

/** The access that an owner gave a client. */
export interface GrantRecord {
  readonly grantId: string;
  readonly ownerId: string;
  readonly accountId: string;
  readonly clientId: string;
  /** JSON of its refresh token, opaque. */
  readonly payload: string;
  /** Epoch seconds: the expiry of that token. */
  readonly expiresAt: number;
}

/** An OAuth client. The OAuth library reads `metadata`, in which the secret is a SHA-256 hash. */
export interface ClientRecord {
  readonly clientId: string;
  /** JSON. */
  readonly metadata: string;
  /** Epoch seconds. */
  readonly disabledAt: number | null;
  readonly tokensValidAfter: number | null;
}

export interface ClientStore {
  find(clientId: string): Promise<ClientRecord | undefined>;
  list(): Promise<readonly ClientRecord[]>;
  /**
   * @returns false when a client has that id already: nothing changed
   * @throws StoreConflict when an account has that id
   */
  create(client: { readonly clientId: string; readonly metadata: string }): Promise<boolean>;
  setDisabled(clientId: string, atSeconds: number | null): Promise<boolean>;
  /**
   * One conditional statement, so that of two callers with the same `from` one replaces it.
   *
   * @param audit written in the same transaction
   * @returns false when the metadata is no longer `from`
   */
  replaceMetadata(
    change: { readonly clientId: string; readonly from: string; readonly to: string },
    audit: AuditEntry,
  ): Promise<boolean>;
}

/** The subject that a client acts for: its own account, or the owner of a grant. */
export type Subject =
  | { readonly kind: 'own'; readonly accountId: string }
  | { readonly kind: 'owner'; readonly ownerId: string; readonly grantId: string };

/** The account that a client may act for now. */
export interface PrincipalRecord {
  readonly accountId: string;
  /** Null: subscribed. */
  readonly trialEndsAt: EpochMilliseconds | null;
  /** Tokens issued before are rejected: the later time of account and client, 0 if neither has one. */
  readonly tokensValidAfter: EpochMilliseconds;
}

export interface PrincipalStore {
  /**
   * One read, since every request needs it: a revocation takes effect "at once".
   *
   * @returns undefined if the grant is revoked, or if client, owner or account is disabled or deleted
   */
  find(clientId: string, subject: Subject): Promise<PrincipalRecord | undefined>;
}

export interface CounterStore {
  /** Counts in the database, except where one process serves it and the counter would write at every request. */
  readonly open: OpenCounter;
  /** @returns the number of deleted keys, none of which has a count by now */
  purge(now: EpochMilliseconds, atMost: number): Promise<number>;
}

/** All stored data. One implementation per database; one suite (`suite/store-suite.ts`) that each has to pass. */
export interface Store {
  readonly accounts: AccountStore;
  readonly owners: OwnerStore;
  readonly properties: PropertyStore;
  readonly devices: DeviceStore;
  readonly imports: ImportStore;
  readonly audit: AuditStore;
  readonly clients: ClientStore;
  readonly principals: PrincipalStore;
  readonly oidc: OidcStore;
  readonly accessCodes: AccessCodeStore;
  readonly jobs: JobStore;
  readonly activity: ActivityStore;
  readonly lockMemories: LockMemoryStore;
  readonly keyCheck: KeyCheckStore;
  readonly counters: CounterStore;
  /** Runs `act` unless another process does so now. @returns whether it ran */
  lead(act: () => Promise<void>): Promise<boolean>;
  /** A small write for `/readyz`, that changes nothing. @throws StoreUnavailable when requests that write would fail too */
  ping(): Promise<void>;
  close(): Promise<void>;
}
