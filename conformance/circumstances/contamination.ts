import type { Contract, Operation } from '../contract/contract.ts';
import { type Exchange, isOrdinary, isSuccess, type Since } from '../execute/exchange.ts';
import type { Controls } from '../execute/queue.ts';
import { kindOf } from '../plan/operation-kinds.ts';
import type { Resources } from '../resources/resources.ts';
import { slotsOf } from '../resources/slots.ts';

const mostNamed = 3;

/**
 * Detects state contamination. It records the run's own writes to foreign objects, and the reads accepted before them: if these reads
 * fail too, a later failure may be a consequence of the writes. After a failure, the read with the nearest path and the one with the
 * shortest are repeated, each once in a round.
 *
 * @param again sends the same request once more, while no other request is in flight
 */
export function watchContamination(
  contract: Contract,
  resources: Pick<Resources, 'isOwned'>,
  again: (exchange: Exchange) => Promise<Exchange | undefined>,
): Controls {
  const reads = new Map<Operation, Exchange>();
  let writes: readonly string[] = [];

  const isForeign = ({ operation, seen }: Exchange): boolean => {
    const kind = kindOf(contract, operation);
    return kind !== 'read' && kind !== 'create' && !resources.isOwned(operation, seen);
  };

  /** Reads to repeat; none if the exchange is no failure, or no foreign object was changed. */
  const controlsFor = (exchange: Exchange): readonly Exchange[] => {
    if (writes.length === 0 || !isOrdinary(exchange) || !isFailure(exchange)) return [];
    const others = [...reads.values()];
    const nearest = best(others, (one) => sharedSegments(one.operation.path, exchange.operation.path));
    const plainest = best(
      others.filter((one) => one !== nearest),
      (one) => -one.request.path.length,
    );
    return [nearest, plainest].filter((one) => one !== undefined);
  };

  return {
    onRound: (exchanges) => {
      for (const exchange of exchanges) {
        const { operation, outcome } = exchange;
        if (!isSuccess(outcome) || exchange.isPause || !isOrdinary(exchange)) continue;
        if (isForeign(exchange)) {
          writes = [operation.id, ...writes.filter((name) => name !== operation.id)].slice(0, mostNamed);
        }
        // An object may be deleted since; a read without an id has to succeed again.
        const isPlain = operation.method === 'get' && slotsOf(operation.path).length === 0;
        if (isPlain && writes.length === 0) reads.set(operation, exchange);
      }
    },
    beginControls: () => {
      const known = new Map<Exchange, Exchange | undefined>();
      return async (exchanges, left) => {
        const sent: Exchange[] = [];
        const found: Exchange[] = [];
        for (const exchange of exchanges) {
          let since: Since | undefined;
          for (const before of controlsFor(exchange)) {
            if (!known.has(before) && sent.length < left) {
              const now = await again(before);
              known.set(before, now);
              if (now !== undefined) sent.push({ ...now, isControl: true });
            }
            const now = known.get(before);
            if (now === undefined || isSuccess(now.outcome) || isAboutAccess(now)) continue;
            const status = now.outcome.kind === 'none' ? 0 : now.outcome.status;
            since ??= { writes, control: before.operation.id, status };
          }
          found.push(since === undefined ? exchange : { ...exchange, since });
        }
        return [...found, ...sent];
      };
    },
  };
}

/** Whether the answer is about the token or the quota, which the run itself may have used up since. */
function isAboutAccess({ outcome }: Exchange): boolean {
  return outcome.kind === 'answer' && [401, 402, 429].includes(outcome.status);
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
