import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import { findResponse, listContents, responseKeys } from '@lockstep/runtime/rejection/declared-response';
import { boundFaults, type Detail } from '@lockstep/runtime/validation/detail';
import { cut, describeUnknown, listOr } from '@lockstep/runtime/validation/sentence';
import { Temporal } from '@lockstep/server/temporal';
import { clockYears, isOnClock, readClockTime } from '../clock.ts';
import { type Sandbox, ScenarioFault, type ScenarioName } from '../sandbox.ts';
import { defineHandlers, type HandlerRequest } from './generated/handlers.gen.ts';

/** A scenario to choose by its name. */
export interface NamedScenario {
  readonly name: ScenarioName;
  /** Its purpose, in one line. */
  readonly shows: string;
}

type NewFault = HandlerRequest<'addFault'>['body'];

const table: OperationTable = operations;
const known = Object.values(table);

/** Limit of the list in an answer. */
const mostFaults = 1000;
const mostDetails = 100;

/** The handlers of the control's operations. */
export function createControlHandlers(sandbox: Sandbox, scenarios: readonly NamedScenario[]) {
  const readState = () => ({ status: 200, body: sandbox.readState() }) as const;
  const readClock = () =>
    ({
      status: 200,
      body: { now: new Date(sandbox.clock.now()).toISOString(), ticking: sandbox.clock.isTicking },
    }) as const;
  return defineHandlers()({
    readState,
    reset: async () => ({ status: 200, body: await sandbox.reset() }),
    listScenarios: () => ({ status: 200, body: { scenarios } }),
    useScenario: async ({ body: { name, import: files } }) => {
      try {
        if (name !== undefined) return { status: 200, body: await sandbox.useScenario({ name }) };
        if (files !== undefined) return { status: 200, body: await sandbox.useScenario({ import: files }) };
        return invalid(inBody('', 'send name or import'));
      } catch (error) {
        if (!(error instanceof ScenarioFault)) throw error;
        const [first = inBody('/import', 'is refused'), ...others] = error.faults
          .slice(0, mostDetails)
          .map(placeInImport);
        return refuse('scenario_refused', first, ...others);
      }
    },
    readClock,
    changeClock: async ({ body: { now, by, ticking } }) => {
      const { clock } = sandbox;
      if (now !== undefined && by !== undefined)
        return invalid(inBody('/by', 'by does not go with now: send one of them'));
      const move = by === undefined ? undefined : readMove(clock.now(), by);
      const at = now === undefined ? undefined : readInstant(now);
      const fault = [move, at].find((read) => read?.kind === 'fault');
      if (fault?.kind === 'fault') return invalid(fault.detail);
      await sandbox.changeClock(() => {
        clock.set({
          ...(at?.kind === 'ms' && { at: at.ms }),
          ...(ticking !== undefined && { isTicking: ticking }),
        });
        if (move?.kind === 'ms') clock.move(move.ms);
      });
      return readClock();
    },
    listLocks: async ({ query }) => ({ status: 200, body: { locks: [...(await sandbox.keypads.list(query.limit))] } }),
    enterDigits: async ({ path: { deviceId }, body: { digits } }) => {
      const entry = await sandbox.keypads.enter(deviceId, digits);
      if (entry !== undefined) return { status: 200, body: entry };
      return { status: 404, body: { error: `There is no lock or keypad ${deviceId}`, code: 'lock_not_found' } };
    },
    listFaults: () => ({ status: 200, body: { faults: [...sandbox.faults.list()] } }),
    addFault: ({ body }) => {
      if (body.operationId !== '*' && !isOperation(body.operationId))
        return refuse('unknown_operation', describeOperation('body', '/operationId', body.operationId));
      const fault = findFaultOfFault(body);
      if (fault !== undefined) return invalid(fault);
      if (sandbox.faults.list().length >= mostFaults)
        return refuse(
          'too_many_faults',
          inBody('', `${mostFaults} faults are left, and no more are kept: remove some, or give one fault more times`),
        );
      return { status: 201, body: sandbox.faults.add({ ...body, times: body.times ?? 1 }) };
    },
    removeFaults: () => {
      sandbox.faults.clear();
      return { status: 204 };
    },
    removeFault: ({ path: { faultId } }) =>
      sandbox.faults.remove(faultId)
        ? { status: 204 }
        : { status: 404, body: { error: `There is no fault ${faultId}`, code: 'fault_not_found' } },
    expireTokens: async ({ body: { what } }) => {
      await sandbox.tokens.expire(what);
      return readState();
    },
    changeTokenLifetime: ({ body: { seconds } }) => {
      sandbox.tokens.setLifetime(seconds);
      return readState();
    },
    listRequests: ({ query }) => {
      const { operationId } = query;
      if (operationId !== undefined && !isOperation(operationId))
        return refuse('unknown_operation', describeOperation('query', 'operationId', operationId));
      return { status: 200, body: { requests: sandbox.journal.list(query) } };
    },
    removeRequests: () => {
      sandbox.journal.clear();
      return { status: 204 };
    },
  });
}

function refuse<Code extends string>(code: Code, first: Detail, ...others: readonly Detail[]) {
  const { text, details } = boundFaults(first, [first, ...others]);
  return { status: 400, body: { error: text, code, details: details.slice(0, mostDetails) } } as const;
}

function invalid(detail: Detail) {
  return refuse('invalid_request', detail);
}

function inBody(at: string, says: string, nearest: readonly string[] = []): Detail {
  return { in: 'body', at, says, nearest };
}

/** Converts `#/devices/0 reason`, of a file, to a location in the body. */
function placeInImport(fault: string): Detail {
  const [, pointer = '', reason = fault] = /^#(\S*) (.*)$/s.exec(fault) ?? [];
  return inBody(`/import${pointer}`, `import${pointer} ${reason}`);
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

function isOperation(operationId: string): boolean {
  return Object.hasOwn(table, operationId);
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
