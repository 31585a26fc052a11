import type { JobData } from '../../bridge/job-data.ts';
import type { EpochMilliseconds } from '../../clock.ts';
import { reject } from '../../error-catalogue.ts';
import { Temporal } from '../../temporal.ts';
import type { SentJobData } from './read-job-data.ts';

const minuteMs = 60_000;

/** Rejects a custom PIN whose end is before its start or in the past. The text quotes times as the request wrote them. */
export function checkJobWindow(sent: SentJobData, data: JobData, now: EpochMilliseconds) {
  if (data.startDate === undefined || data.endDate === undefined) return undefined;
  const startDate = Temporal.Instant.from(data.startDate).epochMilliseconds;
  const endDate = Temporal.Instant.from(data.endDate).epochMilliseconds;
  if (endDate > Math.max(startDate, now)) return undefined;
  const bound = endDate <= startDate ? `startDate ${sent.startDate}` : `now, ${writeLike(sent.endDate ?? '', now)}`;
  const earliest = Math.floor(Math.max(startDate, now) / minuteMs) * minuteMs + minuteMs;
  return reject('window_length', {
    text: `endDate ${sent.endDate} is not after ${bound}`,
    details: [
      {
        in: 'body',
        at: '/jobData/endDate',
        says: 'must be after startDate and after now',
        // Years in requests have four digits.
        nearest: [writeLike(sent.endDate ?? '', earliest)].filter((time) => /^\d{4}-/.test(time)),
      },
    ],
  });
}

/** Writes an instant with the offset of the sent text, for a text that a caller can compare and send. */
function writeLike(text: string, at: EpochMilliseconds): string {
  const timeZone = /[+-]\d{2}:\d{2}$/.exec(text)?.[0].replace('-00:00', '+00:00') ?? 'UTC';
  return Temporal.Instant.fromEpochMilliseconds(at).toString({
    smallestUnit: 'second',
    roundingMode: 'floor',
    timeZone,
  });
}
