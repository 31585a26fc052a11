import type { CodeRequest } from '../../algopin/plan-code.ts';
import { Temporal } from '../../temporal.ts';

/** The members of the five bodies, after validation. */
export interface AlgoPinBody {
  readonly accessName: string;
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly durationHours?: number | undefined;
  readonly variance?: number | undefined;
}

/**
 * Reads a body for the window rules: times become instants, next to the text that was sent; omitted members stay undefined.
 *
 * @throws RangeError for a time that validation rejects, such as 30 February or 24:00
 */
export function readCodeRequest({
  startDate,
  endDate,
  durationHours,
  variance,
}: AlgoPinBody): Omit<CodeRequest, 'kind'> {
  return {
    startDate: readTime(startDate),
    endDate: readTime(endDate),
    durationHours,
    variance,
    written: { startDate, endDate },
  };
}

function readTime(text: string | undefined): Temporal.Instant | undefined {
  return text === undefined ? undefined : Temporal.Instant.from(text);
}
