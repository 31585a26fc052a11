import type { RunContext } from '../checks/check.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import type { Rank } from '../execute/scenario.ts';
import { isOfAccess, type OperationKind } from '../plan/operation-kinds.ts';
import { nounOf, plainPath, slotsOf } from '../resources/slots.ts';

/** Stages of the search, in their order. Operations that may end the run itself come last. */
const stages = [
  'reach',
  'complete',
  'relist late',
  'action',
  /** Probes of objects that the run created. */
  'probe',
  /** Deletions of items that the run created. */
  'remove',
  'late probe',
  /** Operations that may invalidate the run's credentials. */
  'end access',
  'remove of others',
  /** Deletions of accounts, roles and other items of access that the run did not create. */
  'remove access of others',
  /** Operations that may stop or empty the deployment. */
  'end service',
  'random',
] as const;

export type Stage = (typeof stages)[number];

/**
 * The place of one search in the queue: its stage first. Within a stage, searches with fewer turns, no change and fewer missing ids
 * go first, then those that others wait for. Deletions go from the deepest path up, the newest collection first.
 */
export function rankOf(stage: Stage | 'own', { context, operation, kind }: Ranked, state: Standing): Rank {
  if (stage !== 'own') return [stages.indexOf(stage), 0, 0, 0, 0, state.level];
  const { isPromising, turns, waits, level } = state;
  const own = stageOf(operation, kind, state);
  if (kind === 'remove')
    return [stages.indexOf(own), -depthOf(context.contract, operation), turns, -ageOf(context, operation), waits];
  return [stages.indexOf(own), isPromising ? 0 : 1, turns, kind === 'change' ? 1 : 0, waits, level];
}

/** Probes of worth up to this do not delay the deletions that belong to the plan: only those of access do. */
const leastUrgent = 5;

/** The place of a probe in the queue: the one of most worth first, so that operations take turns. */
export function rankOfProbe(worth: number): Rank {
  return [stages.indexOf(worth <= leastUrgent ? 'late probe' : 'probe'), -worth, 0, 0, 0, 0];
}

/** The place of a random case: operations take turns. */
export function rankOfRandom(turns: number): Rank {
  return [stages.indexOf('random'), turns, 0, 0, 0, 0];
}

interface Ranked {
  readonly context: RunContext;
  readonly operation: Operation;
  readonly kind: OperationKind;
}

interface Standing {
  /** Number of rounds of producers before it. */
  readonly level: number;
  readonly turns: number;
  /** Whether a value was seen that may be its id. */
  readonly isPromising: boolean;
  /** Number of missing ids that other operations may find at less cost. */
  readonly waits: number;
  /** Whether the run did not create the item that it would delete first. */
  readonly isForeign: boolean;
  /** 0: harmless; 1: it may invalidate the credentials; 2: it may stop or empty the deployment. */
  readonly danger: 0 | 1 | 2;
}

function stageOf(operation: Operation, kind: OperationKind, { isForeign, danger }: Standing): Stage {
  if (danger === 2) return 'end service';
  if (isForeign) return isOfAccess(operation) ? 'remove access of others' : 'remove of others';
  if (danger === 1) return 'end access';
  return kind === 'remove' || kind === 'action' ? kind : 'reach';
}

/** Number of path segments; one item is deleted before all of its kind: `/tasks/{id}`, then `/projects/{id}/tasks`. */
function depthOf({ operations }: Contract, { path }: Operation): number {
  const own = plainPath(path);
  const depth = own.split('/').length;
  if (!own.endsWith('{}')) return depth;
  const ofAll = operations
    .filter((other) => other.method === 'delete' && !plainPath(other.path).endsWith('{}'))
    .filter((other) => nounOf(other.path) === nounOf(path))
    .map((other) => plainPath(other.path).split('/').length + 0.5);
  return Math.max(depth, ...ofAll);
}

/** Index of its collection among those seen. An item that was created last may depend on the first. */
function ageOf({ resources }: RunContext, { path }: Operation): number {
  return resources.collections.get(slotsOf(path).at(-1)?.collection ?? '')?.age ?? 0;
}
