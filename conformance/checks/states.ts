// States of an object, such as a job: as `x-state` declares them, or as the values of an enum suggest.
import { type Contract, isJson, type Operation } from '../contract/contract.ts';
import {
  arrayAt,
  childOf,
  follow,
  isObject,
  joinPointer,
  type Place,
  type Pointer,
  placeAt,
  readPointer,
} from '../contract/document.ts';
import type { StateMachine } from '../contract/extensions.ts';
import { type Exchange, headerOf, isAccepted } from '../execute/exchange.ts';
import { isScalar } from '../resources/read-items.ts';
import { normal } from '../resources/slots.ts';

export interface Machine extends StateMachine {
  /** Whether the contract declares it; an enum only suggests an order. */
  readonly isDeclared: boolean;
  /** The part of the contract that describes it. */
  readonly pointer: Pointer;
  /** States in which the object stays. */
  readonly ends: ReadonlySet<string>;
}

/** The states of the object that an operation reads; undefined if the contract neither declares nor suggests any. */
export function machineOf(contract: Contract, read: Operation): Machine | undefined {
  const { states } = read.extensions;
  if (states === undefined) return suggestedIn(contract, read);
  const known = statesOf(states);
  const ends = new Set([...known].filter((state) => (states.next[state] ?? []).length === 0));
  // An object that goes to and fro for ever is no job.
  if (ends.size === 0 && states.done === undefined) return undefined;
  return { ...states, ends, isDeclared: true, pointer: joinPointer(read.pointer, 'x-state') };
}

/** Values that many APIs have for the states of a job. */
const families = {
  open: /^(new|created|pending|(en)?queued|submitted|scheduled|waiting|accepted|received|requested|notstarted)$/,
  running: /^(running|processing|inprogress|started|working|executing|building|deploying|provisioning|(im|ex)porting)$/,
  over: /^(done|completed?|succeeded|success(ful)?|finished|failed|failure|error(ed)?|cancell?ed|aborted|expired|timedout)$/,
} as const;

const ofState = /^(job|task|run)?(status|state|phase)$/;

/** A state machine without an order of its own: only the way back from an end is none of its moves. */
function suggestedIn(contract: Contract, read: Operation): Machine | undefined {
  for (const [name, place] of propertiesRead(contract, read)) {
    const values = arrayAt(place.value, 'enum').map(String);
    const are = (family: RegExp): readonly string[] => values.filter((value) => family.test(normal(value)));
    const [open, running, over] = [are(families.open), are(families.running), are(families.over)];
    if (!ofState.test(normal(name)) || running.length === 0 || over.length === 0) continue;
    const next = [...open, ...running, ...over].map((value) => [
      value,
      over.includes(value) ? over : [...open, ...running, ...over],
    ]);
    const machine = { done: undefined, deadline: undefined, every: undefined, next: Object.fromEntries(next) };
    const field = joinPointer('', name);
    return { ...machine, field, ends: new Set(over), isDeclared: false, pointer: place.pointer };
  }
  return undefined;
}

/** The properties that the contract declares for the object of an accepted read, with their schemas. */
export function propertiesRead({ root }: Contract, { responses }: Operation): ReadonlyMap<string, Place> {
  const success = responses.find(({ status }) => status.startsWith('2'));
  const schema = success?.contents.find(({ mediaType }) => isJson(mediaType))?.schema;
  const found = new Map<string, Place>();
  const read = (start: Place, depth: number): void => {
    const place = follow(root, start);
    if (place === undefined || depth > 4) return;
    const own = childOf(place, 'properties');
    for (const name of Object.keys(isObject(own.value) ? own.value : {})) {
      const property = follow(root, childOf(own, name));
      if (property !== undefined) found.set(name, property);
    }
    for (const index of arrayAt(place.value, 'allOf').keys()) read(childOf(place, 'allOf', index), depth + 1);
  };
  if (schema !== undefined) read(placeAt(root, schema), 0);
  return found;
}

function statesOf({ next }: StateMachine): ReadonlySet<string> {
  return new Set([...Object.keys(next), ...Object.values(next).flat()]);
}

/** Whether declared moves lead from one state to another; a client that reads seldom misses some. */
export function mayFollow({ next }: StateMachine, from: string, to: string): boolean {
  const reached = new Set([from]);
  for (const state of reached) for (const other of next[state] ?? []) reached.add(other);
  return reached.has(to);
}

/** The state of an object in the answer to an accepted read. */
export interface Reading {
  readonly state: string;
  /** False for a value that the machine does not list. */
  readonly isKnown: boolean;
  readonly isEnded: boolean;
  /** In milliseconds, as `at`: the time of the answer by the clock of the server. */
  readonly deadline: number | undefined;
  readonly at: number | undefined;
}

/** @returns undefined if the answer shows no state */
export function readState(machine: Machine, exchange: Exchange): Reading | undefined {
  const { outcome, seen } = exchange;
  if (outcome.kind === 'none' || outcome.status >= 300 || !isAccepted(exchange)) return undefined;
  const at = (place: string | undefined): unknown =>
    place === undefined ? undefined : readPointer(seen.responseBody, place);
  const value = at(machine.field);
  if (!isScalar(value)) return undefined;
  const state = String(value);
  const done = at(machine.done);
  const isDone = ![undefined, null, false, '', 0].some((none) => none === done);
  const timeOf = (text: unknown): number | undefined => {
    const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? undefined : time;
  };
  return {
    ...{ state, isKnown: statesOf(machine).has(state) },
    isEnded: machine.done === undefined ? machine.ends.has(state) : isDone,
    ...{ deadline: timeOf(at(machine.deadline)), at: timeOf(headerOf(outcome, 'date')) },
  };
}
