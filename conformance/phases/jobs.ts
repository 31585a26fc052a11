// Jobs that the run starts: each is read at its own pace until it is at its end.
import { readDuration } from '@lockstep/values/instant';
import { graceMs, isPast, jobRegress, jobStuck, pollRole } from '../checks/jobs.ts';
import { type Machine, machineOf, readState } from '../checks/states.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isSame } from '../contract/document.ts';
import { type Draft, type Exchange, headerOf, isAccepted } from '../execute/exchange.ts';
import { readRetryAfter } from '../execute/limits.ts';
import { toolsFor } from '../execute/session.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { linkedValues, readAddress } from '../resources/addresses.ts';
import { plainPath, slotsOf } from '../resources/slots.ts';
import { addressOfCreated, withNewKey, withNewNames } from './own-objects.ts';
import { mayCallOften, mayProbe, type OperationProbes } from './probe.ts';
import { draftAbout } from './request-objects.ts';
import { keepsNoState, readsUnknown, storyProbe, type Teller } from './story.ts';

/** An operation that starts jobs, and the one that reads them. */
interface Job {
  readonly start: Operation;
  readonly read: Operation;
  readonly machine: Machine;
}

export function planJobs(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  const reads = contract.operations.filter(({ method, path }) => method === 'get' && slotsOf(path).length > 0);
  const jobs = reads.flatMap((read): Job[] => {
    const machine = machineOf(contract, read);
    if (machine === undefined) return [];
    return operations
      .filter((start) => mayStart(start, read) && mayProbe(contract, start))
      .filter((start) => {
        // Only a declared machine is worth an effect: the user has allowed it.
        if (machine.isDeclared) return true;
        return kindOf(contract, start) === 'create' && mayCallOften(contract, start, permissions);
      })
      .map((start) => ({ start, read, machine }));
  });
  return jobs.map((job) => {
    const { start, read, machine } = job;
    const checks = machine.deadline === undefined ? [jobRegress] : [jobRegress, jobStuck];
    const row = { worth: 2.6, mostRequests: mostPolls + 3, tell: (teller: Teller) => tellJob(teller, job) };
    return { operation: start, probes: [storyProbe(`job until its end, by ${read.id}`, checks, machine.pointer, row)] };
  });
}

/** Whether a write may answer with the address of an object that the other operation reads. */
function mayStart(start: Operation, read: Operation): boolean {
  if (isSafe(start) || start.method === 'delete') return false;
  const isLinked = start.responses.some(({ links }) => links.some(({ to }) => to === read.id));
  const isOwn = start.method === 'post' && `${plainPath(start.path)}/{}` === plainPath(read.path);
  // A monitor of an asynchronous request has an address of its own.
  const isLocated = start.responses.some(
    ({ status, headers }) => status === '202' && headers.some(({ name }) => name.toLowerCase() === 'location'),
  );
  return isLinked || isOwn || (isLocated && read.extensions.states !== undefined);
}

async function tellJob(teller: Teller, { start, read, machine }: Job): Promise<string | undefined> {
  const { bench, context, turn, step } = teller;
  const tools = toolsFor(context, start, 'story', 6);
  const isCreate = kindOf(context.contract, start) === 'create';
  const named = (isCreate ? withNewNames : withNewKey)(tools, bench.draft, 240 + turn);
  const started = await step(named, 'create');
  if (started === undefined) return 'the budget was spent';
  if (!isAccepted(started)) return 'the server accepted no further job';
  const values = addressOf(teller, started, read);
  const draft = values && draftAbout(context, read, values);
  if (draft === undefined) return 'the answer to the request has no address of a job';
  const reason = (await readsUnknown(teller, draft))
    ? keepsNoState
    : await poll(teller, draft, machine, askedPause(started) ?? 0);
  if (isCreate) await bench.undo(started);
  return reason;
}

/** The values of the path by which the job is read: from a link of the contract, from `Location`, or from the created object. */
function addressOf({ context }: Teller, started: Exchange, read: Operation) {
  const { operation, seen, outcome } = started;
  if (outcome.kind === 'none') return undefined;
  const slots = slotsOf(read.path);
  const links = operation.responses.flatMap(({ links }) => links.filter(({ to }) => to === read.id));
  for (const { parameters } of links) {
    const linked = linkedValues(parameters, 0, seen) ?? {};
    const values = slots.map(({ parameter }) => linked[parameter]).filter((value) => value !== undefined);
    if (values.length === slots.length) return values;
  }
  const own = slots.at(-1);
  const location = headerOf(outcome, 'location');
  const located = location === undefined || own === undefined ? undefined : readAddress(location, [own]);
  if (located !== undefined) return located.values;
  const created = addressOfCreated(context, started);
  return created?.key === plainPath(read.path) ? created.values : undefined;
}

/** Reads of one job. */
const mostPolls = 24;

/** Longest time for a job that only its enum suggests. */
const suggestedMs = 4_000;

/** Most jobs are short: the pause grows only after some equal ones. */
const pace = { firstMs: 250, equal: 4, growth: 1.5, mostMs: 10_000, ofReplicasMs: 1_000 } as const;

/** @param first pause before the first read */
async function poll(
  { context, turn, step }: Teller,
  draft: Draft,
  machine: Machine,
  first: number,
): Promise<string | undefined> {
  const most = machine.isDeclared ? context.maxWaitMs : suggestedMs;
  // Replicas may show an earlier state.
  const least = Math.max(readDuration(machine.every ?? '') ?? 0, turn === 1 ? pace.ofReplicasMs : pace.firstMs);
  let pause = Math.min(first, most);
  let waited = pause;
  let afterEnd = 0;
  let hasState = false;
  let end: unknown;
  for (let count = 0; count < mostPolls; count += 1) {
    const answer = await step({ ...draft, timing: { afterMs: pause } }, pollRole);
    if (answer === undefined) return 'the budget was spent';
    const reading = readState(machine, answer);
    hasState ||= reading !== undefined;
    if (reading?.isEnded === true || afterEnd > 0) afterEnd += 1;
    // A job that is over may be removed, or lead to its result.
    if (hasState && reading === undefined && isElsewhere(answer)) return undefined;
    if (afterEnd === 1) end = answer.seen.responseBody;
    // A third read shows whether a difference is one of each read.
    if (afterEnd === 3 || (afterEnd === 2 && isSame(answer.seen.responseBody, end))) return undefined;
    if (reading !== undefined && !reading.isEnded && isPast(reading.at, reading.deadline)) return undefined;
    const grown = Math.min(least * pace.growth ** Math.max(0, count - pace.equal), Math.max(least, pace.mostMs));
    const asked = Math.max(pace.firstMs, askedPause(answer) ?? (afterEnd > 0 ? least : grown));
    pause = Math.min(asked, untilPast(reading));
    if (waited + pause > most && afterEnd > 0) return undefined;
    if (waited + pause > most) break;
    waited += pause;
  }
  const span = `${Math.round(most / 1_000)} s`;
  return hasState ? `the job was not at its end after ${span}: pass a longer --max-wait` : 'no answer has a state';
}

function isElsewhere({ outcome }: Exchange): boolean {
  return outcome.kind === 'answer' && [301, 302, 303, 307, 308, 404, 410].includes(outcome.status);
}

/** The pause that an answer asks for (RFC 9110, 10.2.3). */
function askedPause({ outcome }: Exchange): number | undefined {
  return outcome.kind === 'answer' ? readRetryAfter(headerOf(outcome, 'retry-after')) : undefined;
}

/** The time until a read shows whether the deadline was kept. */
function untilPast(reading: ReturnType<typeof readState>): number {
  if (reading?.at === undefined || reading.deadline === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, reading.deadline - reading.at) + graceMs + 1_000;
}
