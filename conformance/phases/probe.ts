// Probes: requests that differ in one way from an accepted one. Each asks the deployment one question, which one check judges.
import type { RunContext } from '../checks/check.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import {
  type Draft,
  type Exchange,
  type Intent,
  isCounted,
  type PartOfProbe,
  type PhaseName,
  undoRole,
} from '../execute/exchange.ts';
import type { Scenario } from '../execute/scenario.ts';
import type { Session } from '../execute/session.ts';
import { dangerOf, isLogIn, kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { addressOf } from '../plan/plan.ts';
import { slotsOf } from '../resources/slots.ts';
import { rankOfProbe } from '../search/ranks.ts';
import { addressOfCreated, createSupply, deletionOf } from './own-objects.ts';
import { draftOfOther, findDraft, moveTo } from './request-objects.ts';

/** One question about an operation. */
export interface Probe {
  readonly name: string;
  /** As reports show it; the name by default. */
  readonly label?: string;
  /** The checks that judge the answers; for each, the name is the place of its obligation. */
  readonly checks: readonly string[];
  readonly pointer: Pointer;
  readonly keyword?: string;
  /** Chance of a defect times its severity, by the cost in requests: the probe of most worth is sent first. */
  readonly worth: number;
  /** Factor of the worth at present. */
  readonly discount?: () => number;
  readonly mostRequests: number;
  /** Whether a change or a deletion may name only an object that the run created: a careless server may carry it out. */
  readonly needsOwn: boolean;
  /** Whether the probe of a read sends a method that may write. */
  readonly isWrite?: boolean;
  /** Whether no other request may be in flight. */
  readonly isAlone?: boolean;
  /** Whether the question arises: if it never does, it is no obligation. */
  readonly isDue?: (context: RunContext) => boolean;
  /** @returns why the question could not be asked; undefined if it was */
  readonly ask: (bench: Bench) => Promise<string | undefined>;
}

export interface OperationProbes {
  readonly operation: Operation;
  readonly probes: readonly Probe[];
  /** Further probes, made from the accepted request when the earlier ones have been sent: roughly those of most worth first. */
  readonly more?: More;
}

export interface More {
  readonly probes: (context: RunContext, accepted: Draft) => Iterator<Probe>;
  /** No probe is worth more: they are made when it is the turn of one of this worth. */
  readonly mostWorth: number;
  /** Number that is made at a time. */
  readonly mostWaiting?: number;
}

/** The means of a probe. */
export interface Bench {
  readonly context: RunContext;
  readonly operation: Operation;
  /** The accepted request from which the probe differs. */
  readonly draft: Draft;
  /** Whether the path names an object that this run created. */
  readonly isOwn: boolean;
  /** @returns the last exchange; undefined if nothing was sent: no such identity, or no budget left */
  readonly send: (
    draft: Draft,
    role: string,
    aim?: Partial<Pick<Intent, 'polarity' | 'place'> & Pick<PartOfProbe, 'groups'>>,
  ) => Promise<Exchange | undefined>;
  /** Sends requests at the same time. @returns their last exchanges, in the order of the drafts; none if the budget does not allow all */
  readonly sendTogether: (drafts: readonly Draft[], role: string) => Promise<readonly Exchange[]>;
  /** Whether the options allow requests of an operation. */
  readonly isSent: (operation: Operation) => boolean;
  /** Deletes the object that an accepted create has created. @returns whether a DELETE of it was sent */
  readonly undo: (created: Exchange) => Promise<boolean>;
  /** Creates another object. @returns the same request about it; undefined unless the path names such an object */
  readonly another: () => Promise<Draft | undefined>;
  /** The last accepted request of another operation, about the same object as far as their paths agree. */
  readonly ofOther: (other: Operation) => Draft | undefined;
  /** Facts that earlier probes of the operation have left for later ones. */
  readonly facts: Set<string>;
  /** Adds a probe of the operation. */
  readonly follow: (probe: Probe) => void;
  /** Failures of this turn that a smaller request shows too: only that one is judged. */
  readonly superseded: Set<Exchange>;
}

/** A cache or replica that answers GET may show a change later than another. Most lag less. */
export const replicaMs = 1_000;

/** Limits of one operation: probes that wait at a time (there may be thousands), and that are made for this: `--check` leaves some out. */
const most = { waiting: 32, tries: 500 } as const;

/** The checks and operations that a run may use. */
interface Allowed {
  readonly isWanted: (check: string) => boolean;
  readonly isSent: (operation: Operation) => boolean;
}

/** One scenario for each operation: in each turn, it asks its next question. */
export function probeScenario(
  contract: Contract,
  { operation, probes, more }: OperationProbes,
  phase: PhaseName,
  { isWanted, isSent }: Allowed,
): Scenario<RunContext> {
  const kind = kindOf(contract, operation);
  const waiting = [...probes];
  const facts = new Set<string>();
  let planned: Probe[] = [];
  let source: Iterator<Probe> | 'none yet' | 'at its end' = more === undefined ? 'at its end' : 'none yet';
  let revision = -1;
  const mayRefill = ({ resources }: RunContext): boolean =>
    waiting.every(({ isDue }) => isDue !== undefined) &&
    (source === 'none yet' ? revision !== resources.revisionFor(operation) : source !== 'at its end');
  const refill = (context: RunContext): void => {
    if (source === 'none yet') {
      revision = context.resources.revisionFor(operation);
      const found = findDraft(context, operation, kind, false);
      if (typeof found === 'object') source = more?.probes(context, found.draft) ?? 'at its end';
    }
    const mostWaiting = more?.mostWaiting ?? most.waiting;
    // `--check` may want none of the probes.
    for (let tries = 0; typeof source === 'object' && tries < most.tries && waiting.length < mostWaiting; tries += 1) {
      const next = source.next();
      if (next.done === true) source = 'at its end';
      else waiting.push(...wantedProbes([next.value], isWanted));
    }
    planned.push(...waiting);
  };
  const supply = createSupply(operation, kind, phase, isSent);
  /** Chosen between two rounds: the worth of others changes while a round is under way. */
  let chosen: Probe | undefined;
  /** The probe of most worth. */
  const next = (context?: RunContext): Probe | undefined =>
    waiting
      .filter(({ isDue }) => isDue === undefined || (context !== undefined && isDue(context)))
      .reduce<Probe | undefined>(
        (best, one) => (best === undefined || worthOf(one) > worthOf(best) ? one : best),
        undefined,
      );
  return {
    id: `${phase} ${operation.id}`,
    operation,
    phase,
    get domain() {
      const probe = chosen ?? next();
      const isRead = kind === 'read' && probe?.isWrite !== true;
      const path = operation.path.replace(/\/?\{.*$/s, '');
      return { path, kind: probe?.isAlone === true ? 'alone' : isRead ? 'reads' : 'writes' } as const;
    },
    get mostRequests() {
      return (chosen ?? next())?.mostRequests ?? 0;
    },
    rank: (context) => {
      if (!context.accepted.has(operation) && kind !== 'remove') return undefined;
      if (more !== undefined && mayRefill(context)) return rankOfProbe(more.mostWorth);
      chosen = next(context);
      return chosen && rankOfProbe(worthOf(chosen));
    },
    prepare: (context) => {
      if (!mayRefill(context)) return false;
      refill(context);
      return true;
    },
    run: async (session, context, allowance) => {
      const probe = chosen;
      chosen = undefined;
      const nothing = { exchanges: [], reasons: [], planned };
      planned = [];
      if (probe === undefined) return nothing;
      waiting.splice(waiting.indexOf(probe), 1);
      const leave = (reason: string) => ({ checks: probe.checks, place: probe.name, reason });
      const found = findDraft(context, operation, kind, probe.needsOwn);
      if (typeof found === 'string') {
        const created = await supply(session, context);
        if (created.length === 0) return { ...nothing, left: leave(found) };
        waiting.push(probe);
        return { ...nothing, exchanges: created };
      }
      const { exchanges, send, sendTogether } = record(session, operation, probe, allowance);
      const ofOther = (other: Operation): Draft | undefined => draftOfOther(context, found.draft, other);
      const undo: Bench['undo'] = async (created) => {
        const deletion = deletionOf(context, created);
        if (deletion === undefined || !isSent(deletion.operation)) return false;
        return (await send(deletion, undoRole)) !== undefined;
      };
      const another: Bench['another'] = async () => {
        const created = await supply(session, context);
        exchanges.push(...created);
        const address = created.flatMap((one) => addressOfCreated(context, one) ?? []).at(-1);
        const isNamed = address !== undefined && address.key === slotsOf(operation.path).at(-1)?.key;
        return isNamed ? moveTo(found.draft, address.values) : undefined;
      };
      const superseded = new Set<Exchange>();
      const follow = (other: Probe): unknown => waiting.push(other);
      const means = {
        context,
        operation,
        send,
        sendTogether,
        isSent,
        undo,
        another,
        ofOther,
        facts,
        follow,
        superseded,
      };
      const reason = await probe.ask({ ...means, ...found });
      const judged = exchanges.map((one) => (superseded.has(one) ? { ...one, isSuperseded: true } : one));
      return { ...nothing, exchanges: judged, ...(reason !== undefined && { left: leave(reason) }) };
    },
  };
}

/** The probes with the checks that `--check` chooses, without those that have none. */
export function wantedProbes(probes: readonly Probe[], isWanted: Allowed['isWanted']): readonly Probe[] {
  return probes.flatMap((probe) => {
    const checks = probe.checks.filter(isWanted);
    if (checks.length === 0) return [];
    return [checks.length === probe.checks.length ? probe : { ...probe, checks }];
  });
}

function worthOf({ worth, discount }: Probe): number {
  return worth * (discount?.() ?? 1);
}

/** Whether probes of an operation may be sent: not if it might end the run, or the run of others. */
export function mayProbe(contract: Contract, operation: Operation): boolean {
  return dangerOf(operation, kindOf(contract, operation)) === 0;
}

/**
 * Whether an operation may be called many times: not if each call does something that nobody can take back, such as opening a door.
 * `--writes all` allows any other action.
 */
export function mayCallOften(contract: Contract, operation: Operation, { writes }: Permissions): boolean {
  const { effect } = operation.extensions;
  if (effect !== undefined && effect !== 'none') return false;
  return kindOf(contract, operation) !== 'action' || writes === 'all';
}

/**
 * Whether an operation gets other valid values: not a log-in, where they are wrong credentials, and nothing without an id, such as the
 * settings of the deployment, where they may change every later answer.
 */
export function mayVary(contract: Contract, operation: Operation, permissions: Permissions): boolean {
  if (!mayProbe(contract, operation) || !mayCallOften(contract, operation, permissions)) return false;
  const isSetting = kindOf(contract, operation) === 'change' && slotsOf(operation.path).length === 0;
  return !isSetting && !isLogIn(contract, operation);
}

function record(
  session: Session,
  operation: Operation,
  { name, label: shown = name, checks }: Probe,
  allowance: number,
) {
  const exchanges: Exchange[] = [];
  const ask = (draft: Draft, role: string, { groups, ...aim }: Parameters<Bench['send']>[2] = {}) => {
    const label = role === 'case' ? shown : `${shown}: ${role}`;
    const obligation = addressOf(operation.id, checks[0] ?? '', name);
    const probe = { checks, name, role, operation: operation.id, ...(groups && { groups }) };
    return session.send({ ...draft, label }, { ...aim, probe, obligation });
  };
  const maySend = (count: number): boolean => exchanges.filter(isCounted).length + count <= allowance;
  const send: Bench['send'] = async (draft, role, aim) => {
    if (!maySend(1)) return undefined;
    const came = await ask(draft, role, aim);
    exchanges.push(...came);
    return came.at(-1);
  };
  const sendTogether: Bench['sendTogether'] = async (drafts, role) => {
    if (!maySend(drafts.length)) return [];
    const timed = drafts.map((draft, index) =>
      index === 0 ? draft : { ...draft, timing: { isWithLast: true } as const },
    );
    const came = await Promise.all(timed.map((draft) => ask(draft, role)));
    exchanges.push(...came.flat());
    return came.flatMap((own) => own.at(-1) ?? []);
  };
  return { exchanges, send, sendTogether };
}
