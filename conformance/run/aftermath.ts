import type { Contract, Operation } from '../contract/contract.ts';
import { type Exchange, isSuccess } from '../execute/exchange.ts';
import { kindOf } from '../plan/operation-kinds.ts';
import type { Resources } from '../resources/resources.ts';
import { slotsOf } from '../resources/slots.ts';

/**
 * What the run itself did to things that are not its own, and which reads were accepted before: what fails later may be no more
 * than a consequence, where they fail as well.
 */
export interface Aftermath {
  /** Takes what was sent into account, in the order of the plan. */
  readonly see: (exchanges: readonly Exchange[]) => void;
  /**
   * Reads that were accepted before, to be sent again beside a failure: the nearest one and the plainest one.
   *
   * @returns none where the exchange is no failure, or nothing foreign was changed
   */
  readonly controlsFor: (exchange: Exchange) => readonly Exchange[];
  /** Names of the accepted writes to what is not the run's, the last one first. */
  readonly writes: () => readonly string[];
}

/** Most writes that one sentence names. */
const mostNamed = 3;

export function watchAftermath(contract: Contract, resources: Pick<Resources, 'isMade'>): Aftermath {
  const reads = new Map<Operation, Exchange>();
  let writes: readonly string[] = [];

  const isForeign = ({ operation, seen }: Exchange): boolean => {
    const kind = kindOf(contract, operation);
    return kind !== 'read' && kind !== 'create' && !resources.isMade(operation, seen);
  };

  return {
    writes: () => writes,
    see: (exchanges) => {
      for (const exchange of exchanges) {
        const { operation, outcome, intent } = exchange;
        if (!isSuccess(outcome) || exchange.isPause || intent.identity !== 'own') continue;
        if (isForeign(exchange)) {
          writes = [operation.id, ...writes.filter((name) => name !== operation.id)].slice(0, mostNamed);
        }
        // What needs an id may be gone with it; what needs none was there before and has to be there still.
        const isPlain = operation.method === 'get' && slotsOf(operation.path).length === 0;
        if (isPlain && writes.length === 0) reads.set(operation, exchange);
      }
    },
    controlsFor: (exchange) => {
      if (writes.length === 0 || !isFailure(exchange)) return [];
      const others = [...reads.values()];
      const nearest = best(others, (one) => sharedSegments(one.operation.path, exchange.operation.path));
      const plainest = best(
        others.filter((one) => one !== nearest),
        (one) => -one.request.path.length,
      );
      return [nearest, plainest].filter((one) => one !== undefined);
    },
  };
}

function isFailure({ outcome, isPause, isAlone }: Exchange): boolean {
  if (isPause || isAlone === true || outcome.kind === 'none') return false;
  return outcome.status === 404 || (outcome.status >= 500 && outcome.status !== 501);
}

function best(candidates: readonly Exchange[], worth: (one: Exchange) => number): Exchange | undefined {
  return candidates.reduce<Exchange | undefined>(
    (found, next) => (found === undefined || worth(next) > worth(found) ? next : found),
    undefined,
  );
}

function sharedSegments(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  const first = left.findIndex((segment, index) => segment !== right[index]);
  return first < 0 ? left.length : first;
}
