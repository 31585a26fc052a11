// Jobs: objects that change by themselves until they are at their end.
import { joinPointer } from '../contract/document.ts';
import type { NumberedExchange } from '../execute/exchange.ts';
import { holdsVolatile } from '../schema/annotated-values.ts';
import type { RunContext } from './check.ts';
import { isUnchanged, shownIn } from './compare-objects.ts';
import { type Machine, machineOf, mayFollow, propertiesRead, type Reading, readState } from './states.ts';
import { spelled } from './stored.ts';
import { type Deviation, failureAt, inconclusive, type Story, storyCheck } from './story.ts';

/** The role of a read that shows the state of a job. */
export const pollRole = 'state';

/** A deadline may be missed by this time: clocks differ, and `Date` has whole seconds. */
export const graceMs = 5_000;

interface Poll extends Reading {
  readonly exchange: NumberedExchange;
}

function pollsIn(
  story: Story,
  { contract }: RunContext,
): { readonly machine: Machine; readonly polls: readonly Poll[] } | undefined {
  const steps = story.all(pollRole);
  const machine = steps[0] && machineOf(contract, steps[0].operation);
  if (machine === undefined) return undefined;
  const polls = steps.flatMap((exchange): Poll[] => {
    const reading = readState(machine, exchange);
    return reading === undefined ? [] : [{ ...reading, exchange }];
  });
  return polls.length === 0 ? undefined : { machine, polls };
}

/** A failure against a member of `x-state`; inconclusive where only an enum suggests that the object is a job. */
function failureOf(
  { exchange }: Poll,
  { pointer, isDeclared }: Machine,
  about: { readonly place: string; readonly keyword: string; readonly message: string },
): Deviation {
  if (isDeclared)
    return failureAt(exchange, { ...about, pointer: joinPointer(pointer, about.keyword), clause: 'x-state' });
  const clause = 'OpenAPI: by the values of its enum, the object is a job';
  return inconclusive(failureAt(exchange, { ...about, pointer, clause }));
}

const clauses = ['x-state', 'OpenAPI'];

export const jobRegress = storyCheck(
  {
    name: 'job-regress',
    about: 'a job goes back to a state, by a move that the contract does not declare, or changes after its end',
    effect: 'Clients that wait for the end act too early, twice, or on a result that is not the last one.',
    clauses,
    example: {
      sent: 'GET /exports/7 three times; x-state: running is followed by done, and done by nothing',
      answered: '200 {"status":"running"}, {"status":"done"}, {"status":"running"}',
    },
    fix: 'Change the state of a job only by declared moves, in one statement that compares the state before.',
    allow: 'Declare the move in next of x-state, or the property that changes as x-volatile.',
  },
  (story, context) => {
    const { machine, polls } = pollsIn(story, context) ?? {};
    if (machine === undefined || polls === undefined || polls.length < 2) return undefined;
    for (const [index, now] of polls.entries()) {
      const before = polls[index - 1];
      // A state that the machine does not list may lead anywhere.
      if (before === undefined || !before.isKnown || !now.isKnown) continue;
      const isBack = ({ state }: Poll): boolean => !mayFollow(machine, before.state, state);
      const isOpen = ({ isEnded }: Poll): boolean => before.isEnded && !isEnded;
      const rest = polls.slice(index);
      if (isBack(now)) {
        const message = `the state went from ${spelled(before.state)} to ${spelled(now.state)}`;
        const found = failureOf(now, machine, { place: `answer ${machine.field}`, keyword: 'next', message });
        return [isLasting(rest, isBack) ? found : inconclusive(found)];
      }
      if (isOpen(now) && machine.done !== undefined) {
        const message = `the job was at its end, and is no longer, in the state ${spelled(now.state)}`;
        const found = failureOf(now, machine, { place: `answer ${machine.done}`, keyword: 'done', message });
        return [isLasting(rest, isOpen) ? found : inconclusive(found)];
      }
    }
    return machine.isDeclared ? changesAfterEnd(polls, context) : [];
  },
);

/** Reads of most replicas show a state later by no more than this. */
const lateMs = 5_000;

/** Whether a failure is still there in the last read, or was there in each for longer than replicas are late. */
function isLasting(polls: readonly Poll[], isFailing: (poll: Poll) => boolean): boolean {
  const end = polls.findIndex((poll) => !isFailing(poll));
  if (end < 0) return true;
  const [first, last] = [polls[0], polls[end - 1]].map((poll) => poll?.at ?? poll?.exchange.atMs ?? 0);
  return (last ?? 0) - (first ?? 0) > lateMs;
}

/** A value of a clock, of an address with a signature, or of a counter differs in each read, or with each minute. */
const isOfTime = (value: unknown): boolean => /^\d{4}-\d\d-\d\d|^https?:|^\d{1,2}:\d\d/.test(String(value));

/** Members that the end did not yet have as they are afterwards: only two equal reads after it show that they do not vary. */
function changesAfterEnd(polls: readonly Poll[], { contract }: RunContext): readonly Deviation[] {
  const [end, next, last] = polls.slice(polls.findIndex(({ isEnded }) => isEnded));
  if (end === undefined || !end.isEnded || next === undefined || last === undefined) return [];
  const [first, second, third] = [end, next, last].map(({ exchange }) => shownIn(exchange) ?? {});
  const declared = propertiesRead(contract, end.exchange.operation);
  return Object.keys({ ...first, ...second }).flatMap((name): Deviation[] => {
    const property = declared.get(name);
    const [from, to] = [first?.[name], second?.[name]];
    if (property === undefined || holdsVolatile(contract.root, property.pointer)) return [];
    if (isUnchanged(from, to) || !isUnchanged(to, third?.[name]) || [from, to].some(isOfTime)) return [];
    const message = `after the end, ${name} changed from ${spelled(from)} to ${spelled(to)}`;
    const about = { place: `answer /${name}`, pointer: property.pointer, keyword: 'end', clause: 'x-state', message };
    // Reads may show the last write late.
    return [inconclusive(failureAt(next.exchange, about))];
  });
}

export const jobStuck = storyCheck(
  {
    name: 'job-stuck',
    about: 'a job has not reached its end after the deadline that its own answer shows',
    effect: 'Clients wait forever, or give up on a job that may still have its effect.',
    clauses,
    example: {
      sent: 'GET /exports/7 at 12:00:10; x-state: deadline /expiresAt',
      answered: '200 {"status":"running","expiresAt":"2026-12-01T12:00:00Z"}',
    },
    fix: 'Move each job to an end, such as failed or expired, when its deadline has passed: at the latest when it is read.',
    allow: 'Remove deadline from x-state, or show a later deadline before the first one has passed.',
  },
  (story, context) => {
    const { machine, polls } = pollsIn(story, context) ?? {};
    const [first] = polls ?? [];
    if (machine?.deadline === undefined || first?.at === undefined || first.deadline === undefined) return undefined;
    // A deployment with a simulated clock has another time in its answers than in its Date.
    if (first.at >= first.deadline) return undefined;
    // `job-regress` judges a job that was at its end before.
    if (polls?.some(({ isEnded }) => isEnded)) return [];
    const late = polls?.find(({ at, deadline }) => isPast(at, deadline));
    if (late === undefined) return undefined;
    const [at, deadline] = [late.at, late.deadline].map((time) => new Date(time ?? 0).toISOString());
    const message = `the deadline was ${deadline}, and at ${at} the state is still ${spelled(late.state)}`;
    return [failureOf(late, machine, { place: `answer ${machine.deadline}`, keyword: 'deadline', message })];
  },
);

/** Whether an answer came so late that the job has to be at its end. */
export function isPast(at: number | undefined, deadline: number | undefined): boolean {
  return at !== undefined && deadline !== undefined && at > deadline + graceMs;
}
