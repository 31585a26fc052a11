// Valid requests at the bounds of their schemas. One row reaches many bounds; a rejected row is halved until one part of it is left.
import type { RunContext } from '../checks/check.ts';
import { validRefused } from '../checks/valid-refused.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isSame } from '../contract/document.ts';
import { absentParts, type Factor, factorsOf } from '../data/boundaries.ts';
import type { BoundaryClass } from '../data/boundary-classes.ts';
import { type CoveringArray, createCoveringArray } from '../data/covering-array.ts';
import { applyChange, type Change, isSamePart, overlaps, type RequestPart } from '../data/request-parts.ts';
import type { DataTools } from '../data/value-candidates.ts';
import { validityOf } from '../data/wire-validity.ts';
import { type Draft, type Exchange, isAccepted, isCounted, isRejectedByState } from '../execute/exchange.ts';
import type { Scenario, Turn } from '../execute/scenario.ts';
import { type Session, toolsFor } from '../execute/session.ts';
import { kindOf, type OperationKind } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { addressOf, type PlannedProbe } from '../plan/plan.ts';
import { namesItemAt } from '../resources/slots.ts';
import { freshOf } from '../search/apply-constraints.ts';
import { rankOfProbe } from '../search/ranks.ts';
import { boundaryOf, type Choice, changeOf, choiceOf, labelOf } from './boundary-choices.ts';
import { createSupply, withNewKey, withNewNames } from './own-objects.ts';
import { mayVary } from './probe.ts';
import { findDraft, withOtherReferences } from './request-objects.ts';
import { isGiven, isSendable } from './text-places.ts';

/** Limits for one operation: rows of a read, rows of a write (each may create an object), requests of one turn, requests about other objects. */
const most = { rows: 24, writes: 12, turn: 20, others: 12 } as const;

export function planBoundary(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
  isSent: (operation: Operation) => boolean,
): readonly Scenario<RunContext>[] {
  return operations
    .filter((one) => mayVary(contract, one, permissions) && kindOf(contract, one) !== 'remove')
    .filter(({ parameters, body }) => body !== undefined || parameters.some(({ in: where }) => where !== 'path'))
    .map((operation) => boundaryScenario(contract, operation, isSent));
}

/** The facts that all turns of an operation share. */
interface State {
  /** Number of requests: each has names of its own. */
  sent: number;
  /** Names of accepted classes, and of those that no later row has. */
  readonly met: Set<string>;
  readonly out: Set<string>;
  /** Number of requests about other objects than the accepted request names. */
  others: number;
  /** Whether rows also have values that the contract does not name: servers reject these more often, and then prove little. */
  hasAll: boolean;
}

/** The rows of an accepted request. */
interface Progress {
  /** Optional parts that the accepted request lacks, and that the server accepts in addition. */
  readonly added: readonly Change[];
  readonly factors: readonly Factor[];
  readonly array: CoveringArray;
}

function boundaryScenario(
  contract: Contract,
  operation: Operation,
  isSent: (operation: Operation) => boolean,
): Scenario<RunContext> {
  const kind = kindOf(contract, operation);
  const state: State = { sent: 0, others: 0, met: new Set(), out: new Set(), hasAll: false };
  const known = new Set<string>();
  const supply = createSupply(operation, kind, 'boundary', isSent);
  let progress: Progress | undefined;
  let turns = 0;
  let isOver = false;
  return {
    id: `boundary ${operation.id}`,
    operation,
    phase: 'boundary',
    domain: { path: operation.path.replace(/\/?\{.*$/s, ''), kind: kind === 'read' ? 'reads' : 'writes' },
    mostRequests: most.turn,
    rank: ({ accepted }) => {
      if (isOver || !accepted.has(operation)) return undefined;
      // The first row reaches a bound of every part, each later one fewer new bounds.
      const worth = turns === 0 ? 4.2 : turns < 4 ? 2 : progress?.array.hasOpen() === true ? 1.5 : 1;
      return rankOfProbe(worth);
    },
    run: async (session, context, allowance): Promise<Turn> => {
      const found = findDraft(context, operation, kind, true);
      const refusal = typeof found === 'string' ? found : refuseChange(context, kind, found.isOwn);
      if (typeof found === 'string' || refusal !== undefined) {
        const created = await supply(session, context);
        if (created.length > 0) return { exchanges: created, reasons: [] };
        isOver = true;
        const left = { checks: [validRefused.name], place: 'valid values at their bounds', reason: refusal ?? '' };
        return { exchanges: [], reasons: [], ...(turns === 0 && { left }) };
      }
      const tools = toolsFor(context, operation, 'boundary', 0);
      const isOfServer = (name: string, isOuter: boolean): boolean =>
        isGiven(context, name, '') || (isOuter && namesItemAt(operation.path, name));
      const options = { draft: found.draft, isOfServer };
      const plan = (added: readonly Change[]): Progress => {
        const factors = factorsOf(tools, { ...options, draft: added.reduce(applyChange, found.draft) });
        return { added, factors, array: arrayOf(factors, state) };
      };
      progress ??= plan([]);
      const absent = () => absentParts(tools, options);
      const given = { session, context, tools, kind, allowance, state, absent };
      const attempt = createAttempt({ ...given, progress, plain: found.draft });
      const added = turns === 1 ? await attempt.complete() : [];
      if (added.length > 0) progress = plan(added);
      if (attempt.exchanges.length === 0) isOver = (await attempt.row()) === 'no longer accepted';
      turns += 1;
      if (!progress.array.hasOpen() && !state.hasAll) {
        state.hasAll = true;
        progress = plan(progress.added);
      }
      const { array, factors } = progress;
      // Deletions wait for all changes: pairs are not worth that.
      const isDone = turns > 1 && !(kind === 'change' ? array.hasOpen() : array.next().length > 0);
      isOver ||= isDone || turns >= (kind === 'read' ? most.rows : most.writes);
      const planned = factors.flatMap(({ classes }) => classes).filter(({ name }) => !known.has(name));
      for (const { name } of planned) known.add(name);
      if (isOver) progress = undefined;
      return { exchanges: attempt.exchanges, reasons: [], planned: planned.map(plannedOf) };
    },
  };
}

/** A change reaches only objects that the run created: their bounds are valid, but no values of their owners. */
function refuseChange({ permissions }: RunContext, kind: OperationKind, isOwn: boolean): string | undefined {
  const isAllowed = kind !== 'change' || isOwn || permissions.writes === 'all';
  return isAllowed ? undefined : 'the run did not create the object that it would change';
}

function arrayOf(factors: readonly Factor[], { met, out, hasAll }: State): CoveringArray {
  const mayMeet = (a: number, b: number): boolean => {
    const [some, other] = [factors[a], factors[b]];
    return some !== undefined && other !== undefined && !overlaps(some.part, other.part);
  };
  const array = createCoveringArray(
    factors.map(({ classes }) => classes.length),
    mayMeet,
  );
  for (const [factor, { classes }] of factors.entries())
    for (const [index, { name, omitted, isNamed }] of classes.entries()) {
      if (omitted !== undefined || out.has(name) || !(isNamed || hasAll)) array.drop({ factor, index });
      else if (met.has(name)) array.cover([{ factor, index }]);
    }
  return array;
}

function plannedOf({ name, pointer, keyword, omitted }: BoundaryClass): PlannedProbe {
  return { checks: [validRefused.name], name, pointer, keyword, ...(omitted !== undefined && { omitted }) };
}

interface Given {
  readonly session: Session;
  readonly context: RunContext;
  readonly tools: DataTools;
  readonly kind: OperationKind;
  readonly allowance: number;
  readonly progress: Progress;
  /** The accepted request, without the added parts. */
  readonly plain: Draft;
  readonly state: State;
  /** Optional parts that the accepted request lacks. */
  readonly absent: () => readonly Change[];
}

/** Whether a request was accepted, rejected for its values or its effect, or answered without either. */
type Result = 'accepted' | 'rejected' | 'silent';

/** Statuses about the account, the rate and the server's own state. */
const silent = new Set([401, 402, 407, 429, 503]);

function resultOf(exchange: Exchange | undefined): Result {
  if (exchange === undefined || exchange.outcome.kind === 'none') return 'silent';
  if (isAccepted(exchange)) return 'accepted';
  return exchange.outcome.status < 400 || silent.has(exchange.outcome.status) ? 'silent' : 'rejected';
}

/** Sends the requests of one turn. */
function createAttempt({ session, context, tools, kind, allowance, progress, state, plain, absent }: Given) {
  const { added, factors, array } = progress;
  const { operation } = plain;
  const base = added.reduce(applyChange, plain);
  const exchanges: Exchange[] = [];
  // If the accepted request may be invalid to some reader, so may all others, and no verdict is sure.
  const polarity = validityOf(tools.judge, base, tools.contract);

  const drop = ({ cell, of }: Choice): void => {
    array.drop(cell);
    state.out.add(of.name);
  };

  const mayBeSent = (draft: Draft): boolean =>
    ['valid', polarity].includes(validityOf(tools.judge, draft, tools.contract)) && isSendable(context, draft);

  /** A row without its choices that would make it invalid; those that are invalid alone are dropped. */
  const compose = (choices: readonly Choice[], from: Draft = base): Choice[] => {
    if (mayBeSent(choices.map((choice) => changeOf(choice, '')).reduce(applyChange, from))) return [...choices];
    let draft = from;
    return choices.filter((choice) => {
      const next = applyChange(draft, changeOf(choice, ''));
      const isKept = mayBeSent(next);
      if (isKept) draft = next;
      else if (!mayBeSent(applyChange(base, changeOf(choice, '')))) drop(choice);
      return isKept;
    });
  };

  interface Sending {
    readonly choices: readonly Choice[];
    readonly role: string;
    readonly name: string;
    readonly from?: Draft;
    /** Whether the values are similar ones that are no boundaries. */
    readonly isSimilar?: boolean;
  }

  const send = async ({ choices, role, name, from = base, isSimilar }: Sending): Promise<Exchange | undefined> => {
    if (exchanges.filter(isCounted).length >= allowance) return undefined;
    state.sent += 1;
    const mark = freshOf(tools, state.sent);
    const changes = choices.map((choice) => changeOf(choice, mark, isSimilar));
    const draft = changes.reduce(applyChange, kind === 'read' ? from : withNewNames(tools, from, state.sent));
    const boundaries = isSimilar
      ? []
      : choices.map((choice, index) => boundaryOf(choice, base, changes[index]?.value, polarity === 'valid'));
    const probe = { checks: [validRefused.name], name, role, operation: operation.id, boundaries };
    const obligation = addressOf(operation.id, validRefused.name, name);
    const label = choices.length > 1 ? labelOf(choices) : role === 'case' ? name : `${name}: ${role}`;
    const sendAs = async (one: Draft): Promise<Exchange | undefined> => {
      const came = await session.send({ ...one, label }, { probe, obligation });
      exchanges.push(...came);
      return came.at(-1);
    };
    let last = await sendAs(draft);
    // The object that the content names may be taken: a copy of a book is lent once.
    for (const other of kind === 'create' ? withOtherReferences(context, draft) : []) {
      const isTaken = last !== undefined && isRejectedByState(last);
      if (!isTaken || state.others >= most.others || exchanges.filter(isCounted).length >= allowance) break;
      state.others += 1;
      state.sent += 1;
      last = await sendAs(withNewKey(tools, other, state.sent));
    }
    return last;
  };

  const settle = (choices: readonly Choice[]): void => {
    array.cover(choices.map(({ cell }) => cell));
    for (const { of } of choices) state.met.add(of.name);
  };

  /** @param name of the row */
  const sendAll = async (choices: readonly Choice[], name: string): Promise<Result> => {
    const [only, ...others] = choices;
    const isOne = only !== undefined && others.length === 0;
    const result = resultOf(await send({ choices, role: isOne ? 'case' : 'row', name: isOne ? only.of.name : name }));
    if (result === 'accepted') settle(choices);
    return result;
  };

  /** Halves a rejected row. @returns the one part that is rejected alone; undefined if only parts together are */
  const narrow = async (row: readonly Choice[], name: string): Promise<Choice | undefined> => {
    let choices = row;
    while (choices.length > 1) {
      const middle = Math.ceil(choices.length / 2);
      const halves = [choices.slice(0, middle), choices.slice(middle)];
      let rejected: readonly Choice[] | undefined;
      for (const half of halves) {
        const result = await sendAll(half, name);
        if (result === 'silent') return undefined;
        if (result === 'rejected') {
          rejected = half;
          break;
        }
      }
      if (rejected === undefined) return undefined;
      choices = rejected;
    }
    return choices[0];
  };

  /** Other valid requests with the same value: a rule about two parts may reject only one of them. */
  const contextsOf = (choice: Choice): readonly Pick<Sending, 'choices' | 'from'>[] => {
    const parts = added.length > 0 ? [] : absent();
    const isOther = added.length > 0 || parts.length > 0;
    const others = factors.flatMap((factor, index): Choice[] => {
      const at = factor.classes.findIndex(({ keyword, how }) => keyword === choice.of.keyword && how === choice.of.how);
      const of = factor.classes[at];
      return of === undefined || factor === choice.factor ? [] : [{ cell: { factor: index, index: at }, factor, of }];
    });
    const together = compose([choice, ...others.filter(({ factor }) => !overlaps(factor.part, choice.factor.part))]);
    return [
      ...(isOther ? [{ choices: [choice], from: parts.reduce(applyChange, plain) }] : []),
      ...(together.length > 1 ? [{ choices: together }] : []),
    ].filter(({ choices, from = base }: Pick<Sending, 'choices' | 'from'>) => compose(choices, from).length > 0);
  };

  /** Drops the classes of a factor that the server would reject for the same reason. */
  const dropAlike = ({ factor, cell }: Choice, isAlike: (of: BoundaryClass) => boolean): void => {
    for (const [index, of] of factor.classes.entries())
      if (isAlike(of)) drop({ factor, of, cell: { factor: cell.factor, index } });
  };

  /** Sends the rejected request again between two controls. @returns whether the accepted request is still accepted */
  const confirm = async (choice: Choice): Promise<boolean> => {
    const { name, similar, isNamed } = choice.of;
    if (!isNamed) {
      dropAlike(choice, (of) => !of.isNamed);
      return true;
    }
    const choices = similar === undefined ? [] : [choice];
    const control = () => send({ choices, role: 'control', name, isSimilar: similar !== undefined });
    if (resultOf(await control()) !== 'accepted') {
      dropAlike(choice, (of) => of.similar !== undefined);
      return similar !== undefined;
    }
    for (const one of contextsOf(choice)) {
      const result = resultOf(await send({ ...one, role: 'other request', name }));
      if (result !== 'accepted') continue;
      settle(one.choices);
      return true;
    }
    if (resultOf(await send({ choices: [choice], role: 'case', name })) === 'rejected') await control();
    return true;
  };

  return {
    exchanges,
    row: async (): Promise<'no longer accepted' | undefined> => {
      let row: Choice[] = [];
      // Each pass drops a class that is never valid.
      for (let cells = array.next(); row.length === 0 && cells.length > 0; cells = array.next())
        row = compose(cells.flatMap((cell) => choiceOf(factors, cell)));
      const name = `row ${state.sent + 1}`;
      const result = row.length === 0 ? 'accepted' : await sendAll(row, name);
      if (result === 'silent') for (const choice of row) drop(choice);
      if (result !== 'rejected') return undefined;
      const found = await narrow(row, name);
      if (found === undefined) {
        // The server rejects only some of these values together.
        array.cover(row.map(({ cell }) => cell));
        return undefined;
      }
      drop(found);
      return (await confirm(found)) ? undefined : 'no longer accepted';
    },
    /** Sends the request with all its optional parts. @returns the parts that the server accepts in addition */
    complete: async (): Promise<readonly Change[]> => {
      const parts: Change[] = [];
      for (const change of absent()) if (mayBeSent([...parts, change].reduce(applyChange, plain))) parts.push(change);
      if (parts.length === 0) return [];
      const from = parts.reduce(applyChange, plain);
      const isSent = (part: RequestPart, value: unknown): boolean =>
        parts.some((one) => isSamePart(one.part, part) && isSame(one.value, value));
      const choices = factors.flatMap(({ part, classes }, factor) =>
        [...classes.keys()]
          .filter((index) => isSent(part, classes[index]?.make('')))
          .flatMap((index) => choiceOf(factors, { factor, index })),
      );
      const result = resultOf(await send({ choices, role: 'row', name: 'all optional parts', from }));
      if (result === 'accepted') settle(choices);
      return result === 'accepted' ? parts : [];
    },
  };
}
