// The steps of a turn that a failure needs. They are chosen by the recorded answers, without a request.
import type { NumberedExchange, Trace } from '../execute/exchange.ts';
import { repetitionOf } from './shown-exchange.ts';

/**
 * Leaves out steps while a check still finds the failure in the answers to the others, the last ones first. The rest has to be a turn
 * that a correct server passes, so steps that belong together stay or go together:
 *
 * - all of one role, such as the pages of a walk;
 * - a write and the reads of its object up to the next write, so that no read shows the effect of two;
 * - a write that is repeated later stays with its repetition.
 *
 * @param shown the step that shows the failure
 * @param isFoundIn whether the check finds the failure with these steps of the turn
 */
export function neededSteps(
  turn: Trace,
  shown: NumberedExchange,
  isFoundIn: (steps: ReadonlySet<NumberedExchange>) => boolean,
): ReadonlySet<NumberedExchange> {
  let needed: ReadonlySet<NumberedExchange> = new Set(turn);
  if (turn.length === 1 || !isFoundIn(needed)) return needed;
  const roles = Map.groupBy(turn, ({ intent }) => intent.probe?.role ?? '');
  for (const role of [...roles.values()].reverse()) {
    if (role.includes(shown)) continue;
    const steps = turn.filter((one) => needed.has(one));
    const left = new Set(role.flatMap((one) => (isRead(one) ? one : [one, ...readsOf(one, steps)])));
    if (left.has(shown) || !role.every((one) => (isRead(one) ? isSpare(one, steps) : !isRepeated(one, steps))))
      continue;
    const fewer = needed.difference(left);
    if (isFoundIn(fewer)) needed = fewer;
  }
  return needed;
}

function isRead({ request }: NumberedExchange): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
}

function targetOf({ request }: NumberedExchange): string {
  return request.path.split('?')[0] ?? '';
}

/** The reads of the written object up to the next write. */
function readsOf(write: NumberedExchange, steps: Trace): Trace {
  const after = steps.slice(steps.indexOf(write) + 1);
  const end = after.findIndex((one) => !isRead(one));
  return (end < 0 ? after : after.slice(0, end)).filter((one) => targetOf(one) === targetOf(write));
}

function isRepeated(write: NumberedExchange, steps: Trace): boolean {
  return steps.some(
    (one) =>
      one.number > write.number &&
      one.request.method === write.request.method &&
      targetOf(one) === targetOf(write) &&
      isSameBody(one, write),
  );
}

function isSameBody({ request: { body: a } }: NumberedExchange, { request: { body: b } }: NumberedExchange): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

/** Whether the same is read again before the next write, or nothing else is about the object from there on. */
function isSpare(read: NumberedExchange, steps: Trace): boolean {
  // The steps with the second object are another story.
  const own = steps.filter((one) => one !== read && repetitionOf(one) === repetitionOf(read));
  const same = own.filter((one) => targetOf(one) === targetOf(read));
  const writesBetween = (other: NumberedExchange): boolean => {
    const [from, to] = [read, other].map((one) => steps.indexOf(one)).sort((a, b) => a - b);
    return steps.slice(from, to).some((one) => !isRead(one));
  };
  const isAgain = same.some((one) => one.request.path === read.request.path && isRead(one) && !writesBetween(one));
  return isAgain || same.every((one) => one.number < read.number);
}
