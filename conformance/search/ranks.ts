import type { RunContext } from '../checks/check.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import type { Rank } from '../execute/scenario.ts';
import { isOfAccess, type OperationKind } from '../plan/operation-kinds.ts';
import { nounOf, plainPath, slotsOf } from '../resources/slots.ts';

/** Stages of the search, in their order. Operations that may end the run itself come last. */
const stages = [
  /** Reads, creates and changes. */
  'reach',
  'complete',
  'relist late',
  'action',
  /** Deletions of what the run made. */
  'remove',
  /** Operations that may take away the credentials. */
  'end access',
  'remove of others',
  /** Deletions of accounts and the like that are not the run's. */
  'remove access of others',
  /** Operations that may stop or empty the deployment. */
  'end service',
] as const;

export type Stage = (typeof stages)[number];

/**
 * The place of one search in the queue: its stage, then, of two in the same stage, the one that was rejected less often, that is no
 * change, that waits for fewer ids of others, and that others wait for. Deletions go from the deepest path up, the newest item first.
 */
export function rankOf(stage: Stage | 'own', { context, operation, kind }: Ranked, state: Standing): Rank {
  if (stage !== 'own') return [stages.indexOf(stage), 0, 0, 0, 0, state.level];
  const { isPromising, turns, waits, level } = state;
  const own = stageOf(operation, kind, state);
  if (kind === 'remove')
    return [stages.indexOf(own), -depthOf(context.contract, operation), turns, -ageOf(context, operation), waits];
  return [stages.indexOf(own), isPromising ? 0 : 1, turns, kind === 'change' ? 1 : 0, waits, level];
}

interface Ranked {
  readonly context: RunContext;
  readonly operation: Operation;
  readonly kind: OperationKind;
}

interface Standing {
  /** Rounds of producers that come before it. */
  readonly level: number;
  readonly turns: number;
  /** Something was seen that may be its id. */
  readonly isPromising: boolean;
  /** Ids that it needs, and others may find at less cost. */
  readonly waits: number;
  /** The item that it would delete first is not the run's. */
  readonly isForeign: boolean;
  /** 0: harmless; 1: it may take the credentials away; 2: it may stop the deployment or empty it. */
  readonly danger: 0 | 1 | 2;
}

function stageOf(operation: Operation, kind: OperationKind, { isForeign, danger }: Standing): Stage {
  if (danger === 2) return 'end service';
  if (isForeign) return isOfAccess(operation) ? 'remove access of others' : 'remove of others';
  if (danger === 1) return 'end access';
  return kind === 'remove' || kind === 'action' ? kind : 'reach';
}

/** Segments of the path; one item goes before all of its kind: `/tasks/{id}`, then `/projects/{id}/tasks`. */
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

/** Place of its collection among those seen, the first 0. An item that was created last may depend on the first. */
function ageOf({ resources }: RunContext, { path }: Operation): number {
  return resources.collections.get(slotsOf(path).at(-1)?.collection ?? '')?.age ?? 0;
}
