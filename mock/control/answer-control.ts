import type { ContractDocument } from '@lockstep/json/json-pointer';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import { findResponse, listContents, responseKeys } from '@lockstep/runtime/rejection/declared-response';
import { boundFaults, type Detail } from '@lockstep/runtime/validation/detail';
import { cut, describeUnknown, listOr } from '@lockstep/runtime/validation/sentence';
import { clockYears, isOnClock, readClockTime, type SandboxClock } from './clock.ts';
import type { Faults } from './faults.ts';
import { definePart, type HandlerRequest } from './generated/handlers.gen.ts';
import type { Journal } from './journal.ts';

/** Native from Node 26 on. */
const Temporal: typeof globalThis.Temporal = globalThis.Temporal ?? (await import('temporal-polyfill')).Temporal;

/** The parts of a mock that every control has. */
export interface Controlled {
  readonly clock: SandboxClock;
  /** Makes the change; a sandbox then runs due jobs before it resolves. */
  readonly changeClock: (change: () => void) => Promise<void>;
  readonly faults: Faults;
  readonly journal: Journal;
  /** @returns whether a world of this name existed */
  readonly removeWorld: (name: string) => boolean;
}

export interface ControlledContract {
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
}

type NewFault = HandlerRequest<'addFault'>['body'];

/** Limit of the list in an answer. */
const mostFaults = 1000;
export const mostDetails = 100;

/** The handlers for clock, faults, journal and the removal of worlds. */
export function createControlHandlers({ contract, operations }: ControlledContract, controlled: Controlled) {
  const known = Object.values(operations);
  const readClock = () =>
    ({
      status: 200,
      body: { now: new Date(controlled.clock.now()).toISOString(), ticking: controlled.clock.isTicking },
    }) as const;
  return definePart()({
    readClock,
    changeClock: async ({ body: { now, by, ticking } }) => {
      if (now !== undefined && by !== undefined)
        return invalid(inBody('/by', 'by does not go with now: send one of them'));
      const move = by === undefined ? undefined : readMove(controlled.clock.now(), by);
      const at = now === undefined ? undefined : readInstant(now);
      const fault = [move, at].find((read) => read?.kind === 'fault');
      if (fault?.kind === 'fault') return invalid(fault.detail);
      await controlled.changeClock(() => {
        controlled.clock.set({
          ...(at?.kind === 'ms' && { at: at.ms }),
          ...(ticking !== undefined && { isTicking: ticking }),
        });
        if (move?.kind === 'ms') controlled.clock.move(move.ms);
      });
      return readClock();
    },
    listFaults: () => ({ status: 200, body: { faults: [...controlled.faults.list()] } }),
    addFault: ({ body }) => {
      if (body.operationId !== '*' && !isOperation(body.operationId))
        return refuse('unknown_operation', describeOperation('body', '/operationId', body.operationId));
      const fault = findFaultOfFault(body);
      if (fault !== undefined) return invalid(fault);
      if (controlled.faults.list().length >= mostFaults)
        return refuse(
          'too_many_faults',
          inBody('', `${mostFaults} faults are left, and no more are kept: remove some, or give one fault more times`),
        );
      return { status: 201, body: controlled.faults.add({ ...body, times: body.times ?? 1 }) };
    },
    removeFaults: () => {
      controlled.faults.clear();
      return { status: 204 };
    },
    removeFault: ({ path: { faultId } }) =>
      controlled.faults.remove(faultId)
        ? { status: 204 }
        : { status: 404, body: { error: `There is no fault ${faultId}`, code: 'fault_not_found' } },
    listRequests: ({ query }) => {
      const { operationId } = query;
      if (operationId !== undefined && !isOperation(operationId))
        return refuse('unknown_operation', describeOperation('query', 'operationId', operationId));
      return { status: 200, body: { requests: controlled.journal.list(query) } };
    },
    removeRequests: () => {
      controlled.journal.clear();
      return { status: 204 };
    },
    removeWorld: ({ path: { name } }) =>
      controlled.removeWorld(name)
        ? { status: 204 }
        : { status: 404, body: { error: `There is no world ${cut(name)}`, code: 'world_not_found' } },
  });

  function isOperation(operationId: string): boolean {
    return Object.hasOwn(operations, operationId);
  }

  function describeOperation(place: Detail['in'], at: string, sent: string): Detail {
    const operationIds = known.map(({ operationId }) => operationId);
    return { in: place, at, ...describeUnknown(`the operation ${cut(sent)}`, sent, operationIds) };
  }

  /** Checks rules for a fault that a schema can't express. */
  function findFaultOfFault({ operationId, status, example, drop, body, delayMs }: NewFault): Detail | undefined {
    const answer = Object.entries({ status, example, body }).find(([, value]) => value !== undefined);
    if (drop === undefined && delayMs === undefined && answer === undefined)
      return inBody('', 'the fault does nothing: send delayMs, status, example, drop or body');
    if (drop !== undefined && answer !== undefined)
      return inBody(`/${answer[0]}`, `${answer[0]} does not go with drop, which leaves no answer: send one of them`);
    const meant = operationId === '*' ? known : known.filter((operation) => operation.operationId === operationId);
    const statuses = [...new Set(meant.flatMap(readStatuses))].sort((a, b) => a - b);
    // A gateway in front of the service may answer any status from 500 on.
    if (status !== undefined && status < 500 && !statuses.includes(status))
      return inBody(
        '/status',
        `${operationId === '*' ? 'no operation answers' : `${operationId} never answers`} ${status}: use ${listOr(statuses.map(String))}, or any from 500 on`,
        statuses.map(String),
      );
    if (example === undefined) return undefined;
    if (operationId === '*') return inBody('/example', 'example goes with one operation: name it instead of *');
    const names = meant.flatMap((operation) =>
      readExampleNames(operation, status === undefined ? readStatuses(operation) : [status]),
    );
    if (names.includes(example)) return undefined;
    const { says, nearest } = describeUnknown(
      `the example ${cut(example)} of ${operationId}${status === undefined ? '' : ` ${status}`}`,
      example,
      names,
    );
    return inBody('/example', says, nearest);
  }

  function readStatuses({ pointer }: Operation): number[] {
    return responseKeys(contract, pointer).map(Number).filter(Number.isInteger);
  }

  function readExampleNames({ pointer }: Operation, statuses: readonly number[]): string[] {
    const names = statuses.flatMap((status) => {
      const response = findResponse(contract, pointer, status);
      const contents = response === undefined ? [] : listContents(contract, response.node);
      return contents.flatMap(({ examples }) => examples.map(({ name }) => name));
    });
    return [...new Set(names)];
  }
}

export function refuse<Code extends string>(code: Code, first: Detail, ...others: readonly Detail[]) {
  const { text, details } = boundFaults(first, [first, ...others]);
  return { status: 400, body: { error: text, code, details: details.slice(0, mostDetails) } } as const;
}

export function invalid(detail: Detail) {
  return refuse('invalid_request', detail);
}

export function inBody(at: string, says: string, nearest: readonly string[] = []): Detail {
  return { in: 'body', at, says, nearest };
}

type ReadMs = { readonly kind: 'ms'; readonly ms: number } | { readonly kind: 'fault'; readonly detail: Detail };

function readInstant(now: string): ReadMs {
  const ms = readClockTime(now);
  if (ms !== undefined) return { kind: 'ms', ms };
  return { kind: 'fault', detail: inBody('/now', `now must be ${clockYears}, not ${cut(now)}`) };
}

/** Days, months and years are counted in UTC, where `P1D` is always 24 hours. */
function readMove(from: number, by: string): ReadMs {
  const refuse = (says: string, nearest: readonly string[] = []): ReadMs => ({
    kind: 'fault',
    detail: inBody('/by', says, nearest),
  });
  const duration = calculate(() => Temporal.Duration.from(by));
  if (duration === undefined)
    return refuse(`by must be a duration such as PT3S or -P1D, not "${cut(by)}"`, ['PT3S', '-P1D']);
  const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO('UTC');
  const to = calculate(() => start.add(duration).epochMilliseconds);
  if (to === undefined || !isOnClock(to)) return refuse(`by ${cut(by)} leads beyond what the clock has, ${clockYears}`);
  return { kind: 'ms', ms: to - from };
}

/** @returns undefined if Temporal throws: for an invalid text, or a time beyond its range */
function calculate(make: () => number): number | undefined;
function calculate(make: () => Temporal.Duration): Temporal.Duration | undefined;
function calculate<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
