import { createHash } from 'node:crypto';
import { readActivityKind } from '../activity/activity-types.ts';
import type { ActivityDetails } from '../activity/describe-activity.ts';
import { deriveEntryId } from '../activity/read-log-item.ts';
import type { EpochMilliseconds } from '../clock.ts';
import type { NewActivity } from '../store/activity/activity-store.ts';
import type { Store } from '../store/store.ts';
import { Temporal } from '../temporal.ts';
import { demoDevices, demoProperties } from './demo-data.ts';

/** The device with a log: ten rounds of six days, so that the list of any week contains every activity. */
const deviceId = 'LK2A00000001';
const rounds = 10;
const daysPerRound = 6;
const receivedAfterMs = 30_000;

interface Happening {
  readonly day: number;
  /** On the property's clock. */
  readonly time: string;
  /** The lock's own number. */
  readonly raw: number;
  readonly name?: string;
  /** A custom PIN has a name and no offline code. */
  readonly isCustom?: true;
  readonly hours?: number;
}

/** Placeholder for a name that differs in each round. */
const guest = 'Guest';

const round: readonly Happening[] = [
  { day: 0, time: '07:58:00', raw: 206 },
  { day: 0, time: '08:02:11', raw: 18, name: 'Cleaner' },
  { day: 0, time: '08:02:41', raw: 13 },
  { day: 0, time: '10:40:05', raw: 18, name: 'Cleaner' },
  { day: 0, time: '10:41:52', raw: 51 },
  { day: 0, time: '15:02:30', raw: 203, name: 'Reception', isCustom: true },
  { day: 0, time: '15:20:08', raw: 22, name: guest },
  { day: 0, time: '15:20:38', raw: 13 },
  { day: 0, time: '19:05:44', raw: 18, name: guest },
  { day: 0, time: '19:06:14', raw: 13 },
  { day: 1, time: '09:12:00', raw: 50 },
  { day: 1, time: '09:13:27', raw: 49 },
  { day: 1, time: '17:45:02', raw: 16 },
  { day: 1, time: '17:45:19', raw: 16 },
  { day: 1, time: '17:45:31', raw: 16 },
  { day: 1, time: '17:45:31', raw: 202 },
  { day: 1, time: '18:10:50', raw: 11 },
  { day: 1, time: '18:12:06', raw: 37 },
  { day: 2, time: '08:01:37', raw: 18, name: 'Cleaner' },
  { day: 2, time: '08:02:07', raw: 13 },
  { day: 2, time: '18:00:21', raw: 200, name: 'Party', hours: 3 },
  { day: 2, time: '21:00:21', raw: 201 },
  { day: 3, time: '10:00:13', raw: 208 },
  { day: 3, time: '10:04:40', raw: 209 },
  { day: 3, time: '12:30:55', raw: 43 },
  { day: 3, time: '12:31:25', raw: 13 },
  { day: 4, time: '02:14:09', raw: 53 },
  { day: 4, time: '09:30:00', raw: 52 },
  { day: 4, time: '09:31:18', raw: 51 },
  { day: 4, time: '16:20:46', raw: 56 },
  { day: 4, time: '16:21:16', raw: 13 },
  { day: 5, time: '07:30:00', raw: 207 },
  { day: 5, time: '11:00:33', raw: 204, name: 'Reception', isCustom: true },
  { day: 5, time: '11:05:12', raw: 205 },
  { day: 5, time: '13:37:00', raw: 99 },
];

/** The log of the demo, oldest first: 350 entries of every type, in the 60 days before the local day of the first start. */
export function makeDemoActivity(firstStart: EpochMilliseconds, timezone: string): NewActivity[] {
  const today = Temporal.Instant.fromEpochMilliseconds(firstStart).toZonedDateTimeISO(timezone).toPlainDate();
  const days = new Map<number, Day>();
  return Array.from({ length: rounds }, (_, index) =>
    round.map((happening, place): NewActivity => {
      const daysAgo = (rounds - index) * daysPerRound - happening.day;
      const day = days.get(daysAgo) ?? readDay(today.subtract({ days: daysAgo }), timezone);
      days.set(daysAgo, day);
      const at = readTimeOn(day, happening.time);
      const name = happening.name === guest ? `${guest} ${index + 1}` : happening.name;
      const details: ActivityDetails = happening.hours === undefined ? {} : { hours: happening.hours };
      return {
        ...readActivityKind(happening.raw),
        id: deriveEntryId(deviceId, `demo-${index}-${place}`),
        deviceId,
        at,
        receivedAt: at + receivedAfterMs,
        rawType: happening.raw,
        pinId: name === undefined || happening.isCustom ? null : makePinId(name),
        accessName: name ?? null,
        details: JSON.stringify(details),
      };
    }),
  ).flat();
}

interface Day {
  readonly start: Temporal.ZonedDateTime;
  /** No change of the clock on this day, so that its times follow from its start. */
  readonly isPlain: boolean;
}

function readDay(date: Temporal.PlainDate, timeZone: string): Day {
  const start = date.toZonedDateTime({ timeZone });
  return { start, isPlain: start.hoursInDay === 24 };
}

/** On a day without a change, plain arithmetic: with the Temporal polyfill, 350 entries took half as long as the rest of a start. */
function readTimeOn({ start, isPlain }: Day, time: string): EpochMilliseconds {
  if (!isPlain) return start.withPlainTime(time).epochMilliseconds;
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return start.epochMilliseconds + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** Writes the log of the demo's lock once, before the first start, whose time follows from the lock's `pairedAt`. */
export async function seedDemoActivity(store: Pick<Store, 'devices' | 'activity'>): Promise<void> {
  const demoDevice = demoDevices.find((device) => device.deviceId === deviceId);
  const device = demoDevice && (await store.devices.find(demoDevice.accountId, deviceId));
  const property = demoProperties.find(({ id }) => id === demoDevice?.propertyIds[0]);
  if (demoDevice === undefined || device === undefined || property?.timezone == null) return;
  const firstStart = device.pairedAt + demoDevice.pairedBefore;
  const before = { deviceId, from: null, before: firstStart, descending: false, after: null, limit: 1 };
  if ((await store.activity.list(before)).length > 0) return;
  await store.activity.add(makeDemoActivity(firstStart, property.timezone));
}

/** The id of no real code: the demo shows that entries of one code have one id. */
function makePinId(name: string): string {
  return createHash('sha256').update(`demo code ${name}`).digest('hex').slice(0, 24);
}
