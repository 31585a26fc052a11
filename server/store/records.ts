import type { EpochMilliseconds } from '../clock.ts';
import { searchForm } from './devices/text-forms.ts';

/** An account, the tenant of everything else. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** Null: subscribed. */
  readonly trialEndsAt: EpochMilliseconds | null;
  readonly disabledAt: EpochMilliseconds | null;
  /** Tokens issued before this time are rejected: log out everywhere. */
  readonly tokensValidAfter: EpochMilliseconds | null;
}

/** A person who logs in to an account's connected apps. An account may have several. */
export interface Owner {
  /** `owner-` and 24 hexadecimal digits: `sub` of the tokens. */
  readonly id: string;
  readonly accountId: string;
  /** As given, in NFC. Unique without regard to case. */
  readonly email: string;
  readonly name: string;
  /** A PHC string: `$scrypt$ln=17,r=8,p=1$SALT$HASH`. */
  readonly passwordHash: string;
  readonly createdAt: EpochMilliseconds;
  /** Last change of name or e-mail. */
  readonly updatedAt: EpochMilliseconds;
  readonly passwordSetAt: EpochMilliseconds;
  readonly disabledAt: EpochMilliseconds | null;
  /** Logins before this time have ended, and with them their browser sessions. */
  readonly loginsValidAfter: EpochMilliseconds | null;
}

/** A place that devices belong to. */
export interface Property {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** IANA name; null until the operator sets one. */
  readonly timezone: string | null;
}

/** The canonical form by which e-mails are compared, without regard to case and Unicode normalization. */
export function emailKey(email: string): string {
  return searchForm(email);
}

export type DeviceType = 'Lock' | 'Keypad' | 'Bridge';

/** The types that a device of each type may link. */
export const linkable: Readonly<Record<DeviceType, readonly DeviceType[]>> = {
  Bridge: ['Lock', 'Keypad'],
  Lock: ['Keypad'],
  Keypad: [],
};

/** A device as it is read. The operations build the answers from it. */
export interface Device {
  /** 24 hexadecimal digits. */
  readonly id: string;
  readonly deviceId: string;
  readonly accountId: string;
  readonly deviceName: string;
  readonly type: DeviceType;
  /** In the account's order; the first gives the timezone. May be empty. */
  readonly propertyIds: readonly string[];
  /** The IANA name of its clock's zone, which is that of its first property. Null without a property, or if the property has none. */
  readonly timezone: string | null;
  /** The locks and keypads of a bridge, or the keypads of a lock, in the order of deviceId. */
  readonly linked: readonly { readonly deviceId: string; readonly type: DeviceType }[];
  /** The bridge that links it; null for none and for bridges. */
  readonly bridgeId: string | null;
  /** 0 to 100; null for bridges. */
  readonly batteryLevel: number | null;
  readonly pairedAt: EpochMilliseconds;
  readonly lastSyncAt: EpochMilliseconds;
  readonly supportsAlgoPin: boolean;
  readonly supportsPassagePin: boolean;
  /** Bridges only; null otherwise. */
  readonly online: boolean | null;
  /** From 1. Each pairing raises it, which invalidates all earlier codes. An import does not change it. */
  readonly pairingGeneration: number;
}

/** A device as it is written: its zone is that of its property. */
export type NewDevice = Omit<Device, 'timezone'>;

export type NewAccount = Pick<Account, 'id' | 'name' | 'trialEndsAt'>;

/** A row of the audit table: the actor, the action, and its device or client. It contains no secret and no digit of a code. */
export interface AuditEntry {
  readonly at: EpochMilliseconds;
  /** For a partner's client, which has no account, the client id. */
  readonly accountId: string;
  /** The client that acted. For an operator's action on a client, that client. */
  readonly clientId: string;
  /** `read_admin_key` or `import`, for example. */
  readonly action: string;
  readonly deviceId: string | null;
  readonly requestId: string | null;
  /** The owner who acted, or on whom an operator acted. */
  readonly ownerId?: string | null;
}
