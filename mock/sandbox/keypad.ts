import type { OpenLocks } from '@lockstep/server/bridge/open-locks';
import type { EpochMilliseconds } from '@lockstep/server/clock';
import type { Device } from '@lockstep/server/store/records';
import type { Store } from '@lockstep/server/store/store';
import type { Entry, EntryRefusal, PinWindow } from '@lockstep/server/virtual-lock/enter-pin';
import type { components } from './control/generated/types.gen.ts';

type Schemas = components['schemas'];

export type ListedLock = Schemas['LockList']['locks'][number];
export type KeypadEntry = Schemas['Entry'];

/** The keypads of all locks of a sandbox, for people who try codes. */
export interface Keypads {
  /** By account and name. */
  readonly list: (limit: number) => Promise<readonly ListedLock[]>;
  /**
   * Enters digits, as a guest does: the lock remembers the entry, and logs it.
   *
   * @returns undefined if no lock or keypad has this id
   */
  readonly enter: (deviceId: string, digits: string) => Promise<KeypadEntry | undefined>;
}

const refusals: Readonly<Record<EntryRefusal, string>> = {
  malformed:
    'These digits are no code: a code has nine digits and begins with 1 to 9, and a custom PIN has four to six.',
  unknown: 'These digits are no code of this lock, or the lock accepts no such codes.',
  too_early: 'The window of this code has not begun.',
  expired: 'The window of this code is over.',
  lapsed: 'This code was not used within 24 hours of its start, so it is invalid.',
  spent: 'This one-time code was used before.',
  forgotten: 'A person cancelled this code at the lock.',
  memory_full: 'The code is valid, but the lock remembers no further code.',
  locked_out: 'The keypad is locked after too many wrong entries. The digits were not judged.',
};

const kinds: Readonly<Record<PinWindow['kind'], string>> = {
  hourly: 'an hourly code',
  daily: 'a daily code',
  onetime: 'a one-time code',
  permanent: 'a permanent code',
  passage: 'a passage code, and stays open',
  custom: 'a custom PIN',
};

export function createKeypads({ accounts, devices }: Store, locks: OpenLocks): Keypads {
  return {
    list: async (limit) => {
      const listed: ListedLock[] = [];
      for (const { id: accountId } of await accounts.list())
        for (const type of ['Lock', 'Keypad'] as const) {
          const sort = { by: 'deviceName', descending: false } as const;
          if (listed.length < limit)
            for (const device of await devices.list({ accountId, type, sort, limit: limit - listed.length }))
              listed.push({ deviceId: device.deviceId, name: device.deviceName, type, timezone: zoneOf(device) });
        }
      return listed;
    },
    enter: async (deviceId, digits) => {
      const device = await devices.findAnywhere(deviceId);
      if (device === undefined || device.type === 'Bridge') return undefined;
      return locks.use(device, (lock) => {
        // Before the entry, which may use the PIN up.
        const window = lock.findWindow(digits);
        const entry = lock.enter(digits);
        const { clock, lockState, lockedOutUntil } = lock.state();
        return {
          ...describe(entry),
          code: window === undefined ? null : writeWindow(window),
          at: writeTime(clock),
          timezone: zoneOf(device),
          lockState,
          lockedOutUntil: writeOptional(lockedOutUntil),
        };
      });
    },
  };
}

function describe(entry: Entry): Pick<KeypadEntry, 'opened' | 'reason' | 'message'> {
  if (entry.opened) return { opened: true, reason: null, message: `The lock opened by ${kinds[entry.by]}.` };
  return { opened: false, reason: entry.reason, message: refusals[entry.reason] };
}

function writeWindow({ kind, startsAt, endsAt, activateBy }: PinWindow): NonNullable<KeypadEntry['code']> {
  return {
    kind,
    startsAt: writeTime(startsAt),
    endsAt: writeOptional(endsAt),
    activateBy: writeOptional(activateBy),
  };
}

/** As the lock itself does without a property. */
function zoneOf({ timezone }: Device): string {
  return timezone ?? 'UTC';
}

function writeTime(at: EpochMilliseconds): string {
  return new Date(at).toISOString();
}

function writeOptional(at: EpochMilliseconds | null): string | null {
  return at === null ? null : writeTime(at);
}
