import type { Code, CodeWindow } from './code.ts';
import { type CodeKind, codeKinds, type KindOfCode } from './kinds.ts';
import { lastWholeHour } from './local-clock/whole-hours.ts';
import { findDuration, isGivenByEnd } from './rules/find-duration.ts';
import { judgeStart } from './rules/judge-start.ts';
import type { WindowFault } from './rules/window-fault.ts';
import { windowOf } from './window-of.ts';

export type { WindowFault } from './rules/window-fault.ts';

/** A client's request for a code, already valid by the contract's schema. */
export interface CodeRequest {
  readonly kind: CodeKind;
  /** When omitted, it is the current hour of the local clock. */
  readonly startDate?: Temporal.Instant | undefined;
  /** Hourly and daily codes only. When omitted, the code has the shortest duration of its kind. */
  readonly endDate?: Temporal.Instant | undefined;
  /** Passage codes only. When omitted, it is 1. */
  readonly durationHours?: number | undefined;
  /** When omitted, it is 1. */
  readonly variance?: number | undefined;
  /** The times as the client wrote them, for messages. When omitted, messages contain local times. */
  readonly written?: { readonly startDate?: string | undefined; readonly endDate?: string | undefined };
}

export type CodePlan =
  | { readonly kind: 'planned'; readonly code: Code; readonly window: CodeWindow }
  | { readonly kind: 'fault'; readonly fault: WindowFault };

/**
 * Decides by the rules of windows whether a code is possible. Nothing is rounded: a time that does not fit is a fault with the nearest valid
 * times.
 *
 * @param now the clock, in the zone of the device's property
 * @returns the code and its window, or the first fault: an end is judged by its start, hence only after a valid start
 * @throws RangeError for a member that the kind does not have, a duration or a variance out of its bounds: bugs of the caller
 * @see docs/algopin.md, "Windows"
 */
export function planCode(request: CodeRequest, now: Temporal.ZonedDateTime): CodePlan {
  const kind: KindOfCode = codeKinds[request.kind];
  checkMembers(request, kind);
  const currentHour = lastWholeHour(now);
  const start = request.startDate?.toZonedDateTimeISO(now.timeZoneId) ?? currentHour;
  const startFault = judgeStart(start, currentHour, request.written?.startDate);
  if (startFault !== undefined) return { kind: 'fault', fault: startFault };
  const duration = durationOf(request, kind, start);
  if (typeof duration !== 'number') return { kind: 'fault', fault: duration };
  const code = { kind: request.kind, startsAt: start.toInstant(), duration, variance: request.variance ?? 1 };
  return { kind: 'planned', code, window: windowOf(code, now.timeZoneId) };
}

function durationOf(
  { kind: name, endDate, durationHours, written }: CodeRequest,
  { shortest }: KindOfCode,
  start: Temporal.ZonedDateTime,
): number | WindowFault {
  if (endDate !== undefined && isGivenByEnd(name)) {
    return findDuration(name, start, endDate.toZonedDateTimeISO(start.timeZoneId), written?.endDate);
  }
  return durationHours ?? shortest;
}

function checkMembers(request: CodeRequest, { durationFrom, shortest, longest, variances }: KindOfCode): void {
  for (const member of ['endDate', 'durationHours'] as const) {
    if (request[member] !== undefined && durationFrom !== member)
      throw new RangeError(`a code of the kind ${request.kind} has no ${member}`);
  }
  checkNumber('durationHours', request.durationHours, shortest, longest);
  checkNumber('variance', request.variance, 1, variances);
}

function checkNumber(name: string, value: number | undefined, from: number, to: number): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= from && value <= to))
    throw new RangeError(`${name} must be ${from} to ${to}, not ${value}`);
}
