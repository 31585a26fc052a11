import { randomInt } from 'node:crypto';
import type { ContractDocument } from '@lockstep/json/json-pointer';
import { usualLimits } from '@lockstep/state/store';
import type { OperationTable } from '../operation.ts';
import { notImplemented } from '../rejection.ts';
import { createStatefulHandlers, type StatefulOptions } from './answer-from-state.ts';

export interface StoredOptions extends Partial<Pick<StatefulOptions, 'now' | 'seed' | 'limits' | 'store'>> {
  /** The bundled contract: every reference in it points into itself. */
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
}

/**
 * Creates a handler for each operation of a contract. The handlers share one store, by default in memory, which begins with the examples of the
 * contract. An operation without a resource, which `lockstep mock --explain` lists as `none`, answers 501.
 *
 * A handler of yours can call one of these with its own request. In an absolute address of a further page, the host is `localhost` then.
 *
 * ```ts
 * const stored = createStoredHandlers<Handlers<Account>>({ contract, operations });
 * definePart<Account>()({ addThing: (request) => (isKnown(request.body) ? { status: 409 } : stored.addThing(request)) });
 * ```
 */
export function createStoredHandlers<Handlers extends object>({
  contract,
  operations,
  now = Date.now,
  store,
  // A store that lasts has the ids that the same seed gave before.
  seed = store === undefined ? 1 : randomInt(2 ** 31),
  limits = usualLimits,
}: StoredOptions): Handlers {
  const { handlers } = createStatefulHandlers(contract, operations, { now, store, seed, limits });
  const others = Object.keys(operations).map((operationId) => [operationId, notImplemented] as const);
  return { ...Object.fromEntries(others), ...handlers } as Handlers;
}
