import type { HandlerRequest } from '@lockstep/contract/handlers';
import type { components } from '@lockstep/contract/types';
import { describeActivity } from '../../activity/describe-activity.ts';
import type { Language } from '../../activity/messages/catalogues.ts';
import { reject } from '../../error-catalogue.ts';
import type { Principal } from '../../principal.ts';
import type { Activity } from '../../store/activity/activity-store.ts';
import type { Store } from '../../store/store.ts';
import type { Cursors } from '../cursor.ts';
import { rejectCursor } from '../cursor-fault.ts';
import { formatLocalTime } from '../local-time.ts';
import { packActivityCursor } from './activity-cursor.ts';
import { continueActivity, startActivity } from './continue-activity.ts';
import { readActivityRange, rejectReversed, resolveRange } from './read-activity-range.ts';

interface Needs {
  readonly store: Pick<Store, 'devices' | 'activity'>;
  readonly cursors: Cursors;
}

/** Answers one page of a device's log. It reads one entry more than the page has, to find out whether there is a next page. */
export async function getDeviceActivity(
  { store, cursors }: Needs,
  { path, query, principal: { accountId } }: HandlerRequest<'getDeviceActivity', Principal>,
) {
  const range = readActivityRange(query);
  if (range.kind === 'rejected') return range.answer;
  const device = await store.devices.find(accountId, path.deviceId);
  if (device === undefined) return reject('device_not_found');
  if (device.propertyIds.length === 0) return reject('property_not_found');
  const { timezone } = device;
  if (timezone === null) return reject('no_timezone');

  const { deviceId } = device;
  const { sort, locale, limit } = query;
  const asked = { deviceId, sort, language: readLanguage(locale), limit, ...resolveRange(range, timezone) };
  const place =
    query.cursor === undefined
      ? ({ kind: 'place', list: startActivity(asked), last: null } as const)
      : continueActivity(asked, cursors.open(accountId, query.cursor));
  if (place.kind === 'faulty') return rejectCursor(place.faults);
  const { list } = place;
  const reversed = rejectReversed(range, timezone);
  if (reversed !== undefined) return reversed;

  const found = await store.activity.list({
    deviceId,
    from: list.startDate?.at ?? null,
    before: list.endDate?.at ?? null,
    descending: list.sort === '-activityTimeAt',
    after: place.last,
    limit: list.limit + 1,
  });
  const page = found.slice(0, list.limit);
  const last = found.length > page.length ? page.at(-1) : undefined;
  return {
    status: 200,
    body: {
      payload: page.map((entry) => describeEntry(entry, timezone, list.language)),
      nextCursor: last === undefined ? '' : cursors.seal(accountId, packActivityCursor({ list, last })),
    },
  } as const;
}

/** Lists each member, so that no other member of the record gets into the answer. */
function describeEntry(entry: Activity, timezone: string, language: Language): components['schemas']['ActivityEntry'] {
  const { id, at, type, method, receivedAt, pinId, accessName, firstUse, rawType } = entry;
  return {
    id,
    activityTimeAt: formatLocalTime(at, timezone),
    activityType: type,
    description: describeActivity(entry, language),
    method,
    receivedAt: formatLocalTime(receivedAt, timezone),
    ...(pinId === null ? {} : { pinId }),
    ...(accessName === null ? {} : { accessName }),
    ...(firstUse === null ? {} : { firstUse }),
    ...(rawType === null ? {} : { rawType }),
  };
}

/** The schema allows five languages of two letters each; the region after them is ignored. */
function readLanguage(locale: string | undefined): Language | undefined {
  return locale === undefined ? undefined : (locale.slice(0, 2) as Language);
}
