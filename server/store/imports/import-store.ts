import type { AuditEntry, Device, NewAccount, NewDevice, Property } from '../records.ts';

/** The data that `import` writes in one transaction. */
export interface Import {
  /** Created, or its name changed; trial and flags of an existing account stay. Omitted when it exists already. */
  readonly account?: NewAccount;
  readonly audit?: AuditEntry;
  readonly properties: readonly Property[];
  readonly devices: readonly NewDevice[];
}

/** A device without its links, which are written once both of their devices exist. */
export type DeviceRecord = Omit<NewDevice, 'linked' | 'bridgeId'>;

/** A part of a long import, in its own transaction. */
export interface ImportPart extends Omit<Import, 'devices'> {
  readonly devices: readonly DeviceRecord[];
}

/** The ids that an import contains. */
export interface ImportScope {
  readonly accountId: string;
  readonly propertyIds: readonly string[];
  readonly deviceIds: readonly string[];
}

/** The accounts that have an import's ids, and all records of its own account. */
export interface NamesTaken {
  /** `client`: there is no such account, and none can be created, since a client has the id. */
  readonly account: 'stored' | 'new' | 'client';
  readonly properties: readonly Pick<Property, 'id' | 'accountId'>[];
  readonly devices: readonly Pick<Device, 'deviceId' | 'id' | 'accountId' | 'type'>[];
}

export type ImportCounts = { readonly properties: number; readonly devices: number };

/** How long a part held the write lock, to the end of its commit. */
export type LockTime = { readonly lockedMs: number };

export interface ImportStore {
  /**
   * Creates or replaces properties and devices by their ids; running it again changes nothing.
   *
   * @throws StoreConflict when an id belongs to another account, or a new account would have the id of a client
   */
  write(data: Import): Promise<ImportCounts>;
  /**
   * Finds the records with ids of the scope or these object ids, of any account, and all records of the account. Nothing is locked: `rebuild`
   * and `relink` check again.
   */
  findTaken(scope: ImportScope, objectIds: readonly string[]): Promise<NamesTaken>;
  /**
   * Writes the result of `build` from the stored records, in one transaction, so that a value set meanwhile is not overwritten. Links stay as
   * they are, except those that a device with a changed type can't have.
   *
   * @param build gets the account's records of the scope, in no order; it must be synchronous
   * @throws StoreConflict as `write`
   */
  rebuild(scope: ImportScope, build: (stored: Import) => ImportPart): Promise<LockTime>;
  /**
   * Replaces the links of the devices in one transaction. A lock or keypad leaves its earlier bridge, so that two bridges never have it.
   *
   * @throws StoreConflict when the account does not have both devices, or their types don't fit
   */
  relink(
    accountId: string,
    links: readonly { readonly deviceId: string; readonly linked: readonly string[] }[],
  ): Promise<LockTime>;
}
