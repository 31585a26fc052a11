import { WrongUse } from '@lockstep/shell/wrong-use';
import type { EpochMilliseconds } from '../clock.ts';
import type { AccessCodeStore } from './access-codes/access-code-store.ts';
import type { ActivityStore } from './activity/activity-store.ts';
import type { JobStore } from './jobs/job-store.ts';
import type { Account, Device, DeviceType, NewDevice, Owner, Property } from './records.ts';

/** Where a page begins: after this item of the order. */
export interface DevicePlace {
  /** The value sorted by: the NFC name, or `pairedAt` in milliseconds. */
  readonly value: string | number;
  readonly deviceId: string;
}

export interface DeviceQuery {
  readonly accountId: string;
  /** Ties go by `deviceId` in the same direction, so that one order is the exact reverse of the other. Text by code points of NFC. */
  readonly sort: { readonly by: 'deviceName' | 'pairedAt'; readonly descending: boolean };
  readonly type?: DeviceType | undefined;
  /** Part of the name or start of the deviceId, lower case on both sides; `%`, `_`, `*` stand for themselves. */
  readonly search?: string | undefined;
  /** Only those that take algoPIN codes. */
  readonly algoPinOnly?: boolean;
  readonly after?: DevicePlace | undefined;
  /** At most so many devices. */
  readonly limit: number;
}

export interface DeviceStore {
  /** In the order asked for; the caller asks for one more than a page to learn whether there is a next. */
  list(query: DeviceQuery): Promise<readonly Device[]>;
  /** Undefined for an unknown device and for one of another account alike. */
  find(accountId: string, deviceId: string): Promise<Device | undefined>;
  /** Whichever account has it. For operators: what a client asks for is `find`. */
  findAnywhere(deviceId: string): Promise<Device | undefined>;
  /** Whole devices by deviceId, those of the account alone, in no order. */
  findAll(accountId: string, deviceIds: readonly string[]): Promise<readonly Device[]>;
  /** @returns false when there is no such device in the account */
  setBatteryLevel(accountId: string, deviceId: string, batteryLevel: number): Promise<boolean>;
  /** A sign of the device. One that is older than the latest changes nothing. */
  setLastSync(deviceId: string, at: EpochMilliseconds): Promise<void>;
  /**
   * Paired anew: its codes so far open nothing any more. One conditional statement, so that of two callers who name the same generation
   * one raises it.
   *
   * @param from the present generation
   * @param audit written with it: both or neither
   * @returns false when the device is at another one, or there is no such device in the account
   */
  raisePairingGeneration(accountId: string, deviceId: string, from: number, audit?: AuditEntry): Promise<boolean>;
  /** @returns false when there is no such bridge in the account */
  setOnline(accountId: string, bridgeId: string, online: boolean): Promise<boolean>;
}

export interface PropertyStore {
  /** By account and name. */
  list(query: ListQuery): Promise<readonly (Property & { readonly devices: number })[]>;
  /** Those of the account alone, in no order. */
  findAll(accountId: string, ids: readonly string[]): Promise<readonly Property[]>;
  /** @returns false when there is no such property */
  setTimezone(id: string, timezone: string): Promise<boolean>;
}

/** What an operator's list is narrowed to. */
export interface ListQuery {
  /** Left out: all accounts. */
  readonly accountId?: string | undefined;
  /** At most so many rows. */
  readonly limit: number;
}

export type NewAccount = Pick<Account, 'id' | 'name' | 'trialEndsAt'>;

export interface AccountStore {
  find(id: string): Promise<Account | undefined>;
  list(): Promise<readonly Account[]>;
  /** By id, with what each has. */
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
  /** Of the secret that the browser keeps. */
  readonly browserHash: string;
  readonly loggedInAt: EpochMilliseconds;
  /** It is known until then. */
  readonly endsAt: EpochMilliseconds;
}

/** Of one owner. Each has tries of its own, so that somebody who once knew the password must not collect many. */
export const mostKnownBrowsers = 5;

/**
 * Persons who log in. Each change is one transaction with its audit entry. What ends the sessions of a browser sets `loginsValidAfter`
 * too, so that a login under way then ends with them; no browser is known by a login before.
 */
export interface OwnerStore {
  find(id: string): Promise<Owner | undefined>;
  /** In any case. */
  findByEmail(email: string): Promise<Owner | undefined>;
  /** By account, then e-mail. */
  list(query: ListQuery): Promise<readonly Owner[]>;
  /**
   * @returns false when the e-mail is taken: nothing changed
   * @throws StoreConflict when there is no such account
   */
  create(owner: NewOwner, audit?: AuditEntry): Promise<boolean>;
  /** Ends the sessions. Grants stay. @returns false when there is no such owner */
  setPassword(
    id: string,
    change: { readonly passwordHash: string; readonly at: EpochMilliseconds },
    audit: AuditEntry,
  ): Promise<boolean>;
  /** Null: enabled. Disabling ends the sessions and revokes all grants of the owner. @returns false when there is no such owner */
  setDisabled(id: string, at: EpochMilliseconds | null, audit: AuditEntry): Promise<boolean>;
  /** Ends the sessions and revokes all grants of the owner. @returns how many, as `revokeGrants`; 0 when there is no such owner */
  logOutEverywhere(id: string, at: EpochMilliseconds, audit: AuditEntry): Promise<number>;
  /**
   * The `mostKnownBrowsers` in which the owner has logged in last stay. Nothing is kept of a login that is over already.
   *
   * @param replaces the hash that the same browser had: known no more
   */
  rememberBrowser(browser: KnownBrowser, replaces?: string): Promise<void>;
  /** Whether an owner of this e-mail, in any case, has logged in in it: with the password of now, and not logged out everywhere since. */
  isKnownBrowser(email: string, browserHash: string, now: EpochMilliseconds): Promise<boolean>;
}

/** One line of the audit table: who did what to which device, or to which client. Never a secret, never a digit of a code. */
export interface AuditEntry {
  readonly at: EpochMilliseconds;
  /** Of a partner's client, which has no account, its own id. */
  readonly accountId: string;
  /** Who did it. Of what an operator alone can do to a client: that client. */
  readonly clientId: string;
  /** `read_admin_key`, `import` and the like. */
  readonly action: string;
  readonly deviceId: string | null;
  readonly requestId: string | null;
  /** The person who did it, or to whom it was done. */
  readonly ownerId?: string | null;
}

export interface AuditStore {
  add(entry: AuditEntry): Promise<void>;
  /**
   * Adds an entry about a device while it is at this pairing generation. One statement, so that of many callers at once one is first.
   *
   * @param since not where the device has such an entry after its last one of this action; left out: as often as asked
   * @returns whether it was added
   */
  addAtGeneration(entry: AuditEntry, generation: number, since?: string): Promise<boolean>;
  list(accountId: string): Promise<readonly AuditEntry[]>;
}

/** Everything `import` writes, in one transaction: all of it or nothing. */
export interface Import {
  /** Created, or its name changed; trial and flags of an existing one stay. Left out: it is there already. */
  readonly account?: NewAccount;
  /** Written with the rest. */
  readonly audit?: AuditEntry;
  readonly properties: readonly Property[];
  readonly devices: readonly NewDevice[];
}

/** A device without its links. They are written apart, once both of their ends are there. */
export type DeviceRecord = Omit<NewDevice, 'linked' | 'bridgeId'>;

/** A part of a long import, in a transaction of its own. */
export interface ImportPart extends Omit<Import, 'devices'> {
  readonly devices: readonly DeviceRecord[];
}

/** Names what an import is about, before it is known what is stored of it. */
export interface ImportScope {
  readonly accountId: string;
  readonly propertyIds: readonly string[];
  readonly deviceIds: readonly string[];
}

/** Who has the names that an import gives, and what its account has besides. */
export interface NamesTaken {
  /** `client`: there is no such account, and none can be made, since a client has the id. */
  readonly account: 'stored' | 'new' | 'client';
  readonly properties: readonly Pick<Property, 'id' | 'accountId'>[];
  readonly devices: readonly Pick<Device, 'deviceId' | 'id' | 'accountId' | 'type'>[];
}

export type ImportCounts = { readonly properties: number; readonly devices: number };

/** For how long a part kept everybody else from writing, to the end of its commit. */
export type LockTime = { readonly lockedMs: number };

export interface ImportStore {
  /**
   * Creates or replaces properties and devices by their ids; running it again changes nothing.
   *
   * @throws StoreConflict when an id belongs to another account, or a new account would have the id of a client
   */
  write(data: Import): Promise<ImportCounts>;
  /**
   * What is stored under the names of the scope or under these object ids, whatever account has it, and all that the account has.
   * Nothing is locked: `rebuild` and `relink` look again.
   */
  findTaken(scope: ImportScope, objectIds: readonly string[]): Promise<NamesTaken>;
  /**
   * Writes what `build` makes of what is stored. Both are one transaction, so that a value set meanwhile isn't put back. Links stay as
   * they are, but for those that a device of another type than before can't have.
   *
   * @param build gets what the account has of the scope, in no order; it must not wait for anything
   * @throws StoreConflict as `write`
   */
  rebuild(scope: ImportScope, build: (stored: Import) => ImportPart): Promise<LockTime>;
  /**
   * Replaces what the devices link, in one transaction. A lock or keypad leaves the bridge that had it, so that at no moment two have it.
   *
   * @throws StoreConflict when the account does not have both ends, or their types don't fit
   */
  relink(
    accountId: string,
    links: readonly { readonly deviceId: string; readonly linked: readonly string[] }[],
  ): Promise<LockTime>;
}

/** What simulated locks remember, so that a code spent before a restart is spent after it. Opaque and sealed: digits are in it. */
export interface LockMemoryStore {
  load(deviceId: string): Promise<Uint8Array | undefined>;
  save(deviceId: string, sealed: Uint8Array, at: EpochMilliseconds): Promise<void>;
}

export interface KeyCheckStore {
  /** Keeps the first value that it was ever given. @returns the one that is kept */
  keep(check: string): Promise<string>;
}

/** An id that is taken by somebody else. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
}

/** The store is busy or gone for a moment: 503, try again. */
export class StoreUnavailable extends WrongUse {
  override readonly name = 'StoreUnavailable';
}

/** For how long the store itself keeps a revocation: the day that access tokens live, and a minute between clocks. */
export const revocationKeptSeconds = 86_400 + 60;

/** OAuth artifacts (sessions, grants, codes, refresh tokens), by hash of their id: a leaked database opens nothing. Times in epoch seconds. */
export interface OidcStore {
  /** Upsert that leaves `consumed_at` alone: a spent row never becomes fresh. */
  put(artifact: OidcArtifact): Promise<void>;
  /** Expired rows too, until they are purged: the OAuth library checks `exp` itself and then gives the right error. */
  find(model: string, idHash: string): Promise<(OidcArtifact & { readonly consumedAt: number | null }) | undefined>;
  /** Newest session of that uid. */
  findSession(uid: string): Promise<OidcArtifact | undefined>;
  /** @returns whether this call, and no other, consumed it: one conditional statement */
  consume(model: string, idHash: string, atSeconds: number): Promise<boolean>;
  remove(model: string, idHash: string): Promise<void>;
  /** One idempotent transaction: the grant, all that came of it, and a row that says so until `keepUntilSeconds`. */
  revokeGrant(grantId: string, idHash: string, atSeconds: number, keepUntilSeconds: number): Promise<void>;
  isGrantRevoked(grantId: string): Promise<boolean>;
  /** Newest login first. One per grant that can be refreshed: its refresh token is neither expired nor consumed. */
  listGrants(query: GrantQuery): Promise<readonly GrantRecord[]>;
  /**
   * `revokeGrant` for all grants that the filter names, in one transaction. Those that can't be refreshed go too.
   *
   * @param of at least one of its members
   * @param audit written with it, unless there is nothing to revoke
   * @returns how many of them `listGrants` would have given
   */
  revokeGrants(of: GrantFilter, atSeconds: number, keepUntilSeconds: number, audit?: AuditEntry): Promise<number>;
  /** @returns how many rows went */
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
  /** Who it stands for, and so for which account. Null where nobody has logged in yet. */
  readonly ownerId: string | null;
  readonly clientId: string | null;
}

/** What grants are narrowed to: those that have all of it. */
export interface GrantFilter {
  readonly grantId?: string | undefined;
  readonly ownerId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
}

export interface GrantQuery extends GrantFilter {
  readonly nowSeconds: number;
  /** At most so many grants. */
  readonly limit: number;
}

/** What an owner gave a client. */
export interface GrantRecord {
  readonly grantId: string;
  readonly ownerId: string;
  readonly accountId: string;
  readonly clientId: string;
  /** JSON of its refresh token, opaque. */
  readonly payload: string;
  /** Epoch seconds: when that ends. */
  readonly expiresAt: number;
}

/** An OAuth client. `metadata` is what the OAuth library reads; its secret is a SHA-256 there. */
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
  /** @returns false when there is one of that id already: nothing changed */
  create(client: { readonly clientId: string; readonly metadata: string }): Promise<boolean>;
  setDisabled(clientId: string, atSeconds: number | null): Promise<boolean>;
  /**
   * One conditional statement, so that of two callers who start from the same metadata one replaces it.
   *
   * @param audit written with it: both or neither
   * @returns false when it is no longer what it is to be replaced from
   */
  replaceMetadata(
    change: { readonly clientId: string; readonly from: string; readonly to: string },
    audit: AuditEntry,
  ): Promise<boolean>;
}

/** For whom a client acts: the one account that it belongs to, or the owner who logged in, by a grant. */
export type Subject =
  | { readonly kind: 'own'; readonly accountId: string }
  | { readonly kind: 'owner'; readonly ownerId: string; readonly grantId: string };

/** As whom a client may act now. */
export interface PrincipalRecord {
  readonly accountId: string;
  /** Null: subscribed. */
  readonly trialEndsAt: EpochMilliseconds | null;
  /** Tokens issued before are refused: the later of what account and client say, 0 where neither says anything. */
  readonly tokensValidAfter: EpochMilliseconds;
}

export interface PrincipalStore {
  /**
   * One read, since it is asked on every request: revocation is promised "at once".
   *
   * @returns undefined where the grant is revoked, or where client, owner or account is disabled or gone
   */
  find(clientId: string, subject: Subject): Promise<PrincipalRecord | undefined>;
}

/** All that is kept. One implementation per database; one suite (`suite/store-suite.ts`) that each has to pass. */
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
  /** A read that fails when the database can't answer: what `/healthz` asks. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
