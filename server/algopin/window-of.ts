import type { Code, CodeWindow } from './code.ts';
import { codeKinds, firstUseWithinHours, type KindOfCode } from './kinds.ts';

/**
 * The window in which a code opens its lock.
 *
 * @param timeZone IANA name; the window is written in it, and the days of a daily code are those of its calendar
 * @throws RangeError for a zone that the runtime's time zone data does not have
 */
export function windowOf(code: Code, timeZone: string): CodeWindow {
  const kind: KindOfCode = codeKinds[code.kind];
  const start = code.startsAt.toZonedDateTimeISO(timeZone);
  const end = kind.end(start, code.duration);
  const lapse = start.add({ hours: firstUseWithinHours });
  return { start, end, activateBy: end !== null && end.epochMilliseconds < lapse.epochMilliseconds ? end : lapse };
}
