import { reject } from '../../error-catalogue.ts';
import type { ActivityBound, ActivityQuery } from './activity-list.ts';
import { dayOf, endOf, isReversed, type LogTime, readLogTime, startOf } from './read-log-time.ts';

/** The filters of a log as they were sent; undefined when omitted. */
export interface ActivityRange {
  readonly kind: 'range';
  readonly startDate: LogTime | undefined;
  readonly endDate: LogTime | undefined;
}

/** Reads both filters, or rejects every one that is no date or time. It needs no timezone, so it precedes any look-up. */
export function readActivityRange(query: ActivityQuery) {
  const read = { startDate: readSent(query.startDate), endDate: readSent(query.endDate) };
  const details = (['startDate', 'endDate'] as const).flatMap((at) => {
    const time = read[at];
    if (time?.kind !== 'fault') return [];
    return [{ in: 'query', at, says: `${at} ${time.says}`, nearest: time.nearest } as const];
  });
  const [first] = details;
  if (first === undefined) return { kind: 'range', ...read } as ActivityRange;
  return { kind: 'rejected', answer: reject('invalid_request', { text: first.says, details }) } as const;
}

/** The instants of the filters on the property's clock. */
export function resolveRange({ startDate, endDate }: ActivityRange, timezone: string) {
  return {
    startDate: startDate && bound(startDate, startOf(startDate, timezone)),
    endDate: endDate && bound(endDate, endOf(endDate, timezone)),
  };
}

/** Rejects a range whose end is before its start; undefined for any other. */
export function rejectReversed({ startDate, endDate }: ActivityRange, timezone: string) {
  if (startDate === undefined || endDate === undefined || !isReversed(startDate, endDate, timezone)) return undefined;
  return reject('range_reversed', {
    text: `endDate ${endDate.text} is not after startDate ${startDate.text}`,
    details: [
      {
        in: 'query',
        at: 'endDate',
        says: 'must be after startDate',
        nearest: [dayOf(startDate, timezone) ?? []].flat(),
      },
    ],
  });
}

function readSent(sent: string | undefined) {
  return sent === undefined ? undefined : readLogTime(sent);
}

function bound({ text }: LogTime, at: number): ActivityBound {
  return { text, at };
}
