// Random requests, valid and invalid, operations in turns: combinations that no other phase has planned.
import { hash } from 'node:crypto';
import { createRandom, type Random } from '@lockstep/values/random';
import { type RunContext, wholeAnswer } from '../checks/check.ts';
import { statusOf } from '../checks/parts.ts';
import { serverError } from '../checks/server-failure.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { canonical } from '../contract/document.ts';
import { randomValue } from '../data/random-values.ts';
import type { DataTools } from '../data/value-candidates.ts';
import { validityOf } from '../data/wire-validity.ts';
import { type Draft, isAccepted } from '../execute/exchange.ts';
import type { Scenario } from '../execute/scenario.ts';
import { toolsFor } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import { kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { valueAt } from '../rejections/find-place.ts';
import { rankOfRandom } from '../search/ranks.ts';
import { type Fault, faultsOf, Met, probeOf } from './negative.ts';
import { withNewNames } from './own-objects.ts';
import { mayVary, type OperationProbes, type Probe } from './probe.ts';
import { isGiven, isGivenAt, isSendable } from './text-places.ts';

/** Of each case: operations take turns. */
const worth = 1;

export function planRandom(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  const isTested = (one: Operation): boolean =>
    mayVary(contract, one, permissions) && kindOf(contract, one) !== 'remove';
  const more = { probes: casesOf, mostWorth: worth, mostWaiting: 1 };
  return operations.filter(isTested).map((operation) => ({ operation, probes: [], more }));
}

/** The end of the phase, which all operations share. */
export interface RandomEnd {
  readonly isOver: (context: RunContext) => boolean;
  /** Whether the phase goes on until the budget is spent. */
  readonly hasBudget: boolean;
  readonly countCase: () => void;
}

/**
 * Cases without a discovery for each operation, and for all: then the phase is over. Turns of an operation without a request: it has none
 * left. Turns of an operation that were answered 403: the run has lost its access, and an answer shows nothing about the data.
 */
const mostInVain = { ofOperation: 2, ofAll: 200, unsent: 10, forbidden: 8 } as const;

/** @param operations number of operations of the run */
export function createRandomEnd(operations: number, hasBudget: boolean): RandomEnd {
  let [cases, last, discovered] = [0, 0, -1];
  return {
    hasBudget,
    countCase: () => {
      cases += 1;
    },
    isOver: (context) => {
      const now = context.discovered();
      if (now !== discovered) [last, discovered] = [cases, now];
      return !hasBudget && cases - last >= Math.min(mostInVain.ofAll, mostInVain.ofOperation * operations);
    },
  };
}

/** The scenario of one operation, after all other phases: each turn sends one case. */
export function randomScenario(scenario: Scenario<RunContext>, end: RandomEnd): Scenario<RunContext> {
  let [turns, unsent, forbidden] = [0, 0, 0];
  return {
    id: scenario.id,
    operation: scenario.operation,
    phase: scenario.phase,
    isEndless: end.hasBudget,
    get domain() {
      return scenario.domain;
    },
    get mostRequests() {
      return scenario.mostRequests;
    },
    rank: (context) => {
      const isOver = end.isOver(context) || unsent >= mostInVain.unsent || forbidden >= mostInVain.forbidden;
      return isOver || scenario.rank(context) === undefined ? undefined : rankOfRandom(turns);
    },
    prepare: (context) => scenario.prepare?.(context) === true,
    run: async (session, context, allowance) => {
      turns += 1;
      end.countCase();
      const turn = await scenario.run(session, context, allowance);
      // A change for which the run has no object is never sent.
      unsent = turn.exchanges.length === 0 ? unsent + 1 : 0;
      const own = turn.exchanges.filter(({ operation }) => operation === scenario.operation);
      if (own.length > 0) forbidden = own.every((one) => statusOf(one) === 403) ? forbidden + 1 : 0;
      return turn;
    },
  };
}

/**
 * Limits of one operation: cases in a row that could not be made or are not new, objects that it creates and the contract cannot delete,
 * faults of one request, faults that are skipped before each, and requests that are compared with the next.
 */
const most = { failures: 40, created: 20, faults: 8, skipped: 6, remembered: 2_000 } as const;

/** Numbers of names, apart from those of other phases. */
const firstName = 10_000;

/** One of twenty cases. */
const kinds = [
  { below: 9, make: validCase },
  { below: 16, make: invalidCase },
  { below: 20, make: mixedCase },
] as const;

interface Case extends Based {
  readonly context: RunContext;
  readonly tools: DataTools;
  readonly number: number;
  /** Whether the operation had no such request before. */
  readonly isNew: (plain: Draft) => boolean;
  /** Draws a fault, with the valid request that it is made for: finding the first fault of a request costs most. */
  readonly drawFault: () => (Based & { readonly fault: Fault }) | undefined;
  /** Objects that the run cannot delete. */
  readonly kept: { count: number };
}

/** A valid request, before its objects get names of their own and after. */
interface Based {
  readonly plain: Draft;
  readonly draft: Draft;
}

function* casesOf(context: RunContext, accepted: Draft): Generator<Probe> {
  const { operation } = accepted;
  const isCreate = kindOf(context.contract, operation) === 'create';
  const kept = { count: 0 };
  // Texts of thousands of requests of each operation would be most of the heap. Of two equal numbers, one request is not sent.
  const keyOf = (plain: Draft): number => Number.parseInt(hash('sha1', canonical(seenOf(plain))).slice(0, 7), 16);
  const known = new Set<number>([keyOf(accepted)]);
  const isNew = (plain: Draft): boolean => {
    const key = keyOf(plain);
    if (known.has(key)) return false;
    if (known.size >= most.remembered) known.clear();
    known.add(key);
    return true;
  };
  const faults = createFaultSource();
  for (let [number, failures] = [0, 0]; failures < most.failures && kept.count < most.created; number += 1) {
    const tools = toolsFor(context, operation, 'random', number);
    const random = createRandom(tools.seed);
    const plain = drawRequest(context, tools, accepted, random);
    const draft = plain && isCreate ? withNewNames(tools, plain, firstName + number) : plain;
    const drawFault: Case['drawFault'] = () => plain && draft && faults(tools, { plain, draft }, random);
    const given = plain && draft && { context, tools, number, plain, draft, kept, isNew, drawFault };
    const kind = random(20);
    const probe = given && kinds.find(({ below }) => kind < below)?.make(given);
    failures = probe === undefined ? failures + 1 : 0;
    if (probe !== undefined) yield probe;
  }
}

/** A random valid request about the same object; undefined if it could not be built. */
function drawRequest(context: RunContext, tools: DataTools, accepted: Draft, random: Random): Draft | undefined {
  const { operation } = accepted;
  const parameters = operation.parameters.flatMap((parameter): Draft['parameters'] => {
    const { name, schema, required, in: where } = parameter;
    const known = accepted.parameters.filter((one) => one.parameter === parameter);
    if (where === 'path' || schema === undefined || isGiven(context, name, operation.path)) return known;
    if (!required && random(2) === 0) return [];
    const value = randomValue(tools, schema, name, random, () => undefined);
    return value === undefined ? known : [{ parameter, value }];
  });
  const { body } = accepted;
  const keep = (tokens: readonly string[]): unknown =>
    isGivenAt(context, tokens, operation.path) ? valueAt(body?.value, tokens) : undefined;
  const schema = body?.content.schema;
  const value = schema === undefined ? undefined : randomValue(tools, schema, '', random, keep);
  const drawn: Draft = { ...accepted, parameters, body: body && { ...body, value: value ?? body.value } };
  const isValid = validityOf(context.judge, drawn, context.contract) === 'valid';
  return isValid && isSendable(context, drawn) ? drawn : undefined;
}

/** All response checks judge the answer. That it is a rejection is no defect. */
function validCase(given: Case): Probe | undefined {
  return !given.isNew(given.plain) ? undefined : requestProbe(given, given.draft, `random values, ${given.number}`);
}

function requestProbe({ context, kept }: Case, draft: Draft, label: string): Probe {
  const { operation } = draft;
  const { contract } = context;
  const isCreate = kindOf(contract, operation) === 'create';
  return {
    ...{ name: wholeAnswer, label, checks: [serverError.name], pointer: operation.pointer, worth },
    ...{ mostRequests: 2, needsOwn: true },
    ask: async (bench) => {
      const asked = atPresent(draft, bench.draft);
      const sent = await bench.send(asked, 'case', { polarity: validityOf(context.judge, asked, context.contract) });
      if (sent === undefined) return 'the budget was spent';
      if (!isCreate || !isAccepted(sent)) return undefined;
      if (!(await bench.undo(sent))) kept.count += 1;
      return undefined;
    },
  };
}

/** The same request about an object that is there now. */
function atPresent(draft: Draft, present: Draft): Draft {
  const inPath = present.parameters.filter(({ parameter }) => parameter.in === 'path');
  const others = draft.parameters.filter(({ parameter }) => parameter.in !== 'path');
  return { ...draft, parameters: [...inPath, ...others] };
}

/** One fault in a random request: the check of the phase `negative` judges it. */
function invalidCase({ context, tools, number, kept, isNew, drawFault }: Case): Probe | undefined {
  const { contract, judge } = context;
  const { fault, plain, draft } = drawFault() ?? {};
  // An authorization server treats an empty parameter as omitted (RFC 6749, 3.1 and 3.2).
  if (fault === undefined || (fault.isEmpty && draft?.operation.target === 'auth')) return undefined;
  if (plain === undefined || draft === undefined) return undefined;
  const wrong = fault.apply(draft);
  if (!isSendable(context, wrong) || validityOf(judge, wrong, contract) !== 'invalid') return undefined;
  if (!isNew(fault.apply(plain))) return undefined;
  const probe = probeOf(tools, fault, {
    operation: draft.operation,
    met: new Met(),
    needsOwn: true,
    number: firstName + number,
    accepted: kept,
  });
  return {
    ...probe,
    worth,
    label: `random values, ${number}: ${probe.name}`,
    ask: (bench) => probe.ask({ ...bench, draft: atPresent(draft, bench.draft) }),
  };
}

/** Draws some faults of one request before it begins with another. */
function createFaultSource() {
  let source: (Based & { readonly faults: Iterator<Fault> }) | undefined;
  let left = 0;
  return (tools: DataTools, next: Based, random: Random): ReturnType<Case['drawFault']> => {
    if (left === 0 || source === undefined) {
      source = { ...next, faults: faultsOf(tools, next.draft) };
      left = most.faults;
    }
    left -= 1;
    const { faults, ...based } = source;
    let drawn = faults.next();
    for (let skipped = random(most.skipped); skipped > 0 && drawn.done !== true; skipped -= 1) {
      const following = faults.next();
      if (following.done === true) break;
      drawn = following;
    }
    if (drawn.done !== true) return { ...based, fault: drawn.value };
    source = undefined;
    return undefined;
  };
}

/** Two faults at once, of which one may hide the other: only a failure of the server is a defect. */
function mixedCase(given: Case): Probe | undefined {
  const { context, number, isNew, drawFault } = given;
  const [first, second] = [drawFault(), drawFault()];
  if (first === undefined || second?.draft !== first.draft) return undefined;
  const mix = (draft: Draft): Draft => second.fault.apply(first.fault.apply(draft));
  const mixed = mix(first.draft);
  if (!isSendable(context, mixed) || !isNew(mix(first.plain))) return undefined;
  return requestProbe(given, mixed, `two faults, ${number}`);
}
