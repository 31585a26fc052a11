import type { CodeRequest } from '../../algopin/plan-code.ts';
import { Temporal } from '../../temporal.ts';

/** What the five bodies have between them, once their form is checked. */
export interface AlgoPinBody {
  readonly accessName: string;
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly durationHours?: number | undefined;
  readonly variance?: number | undefined;
}

/**
 * Reads a body as what the rules judge: times become instants beside the text that was sent, what was left out stays out.
 *
 * @throws RangeError for a time that the form check refuses, such as 30 February or 24:00
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
