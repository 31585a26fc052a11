// Orders of lists: each value of the parameter that orders, and the list without it.
import { nameOfOrder, orderRoles, readOrdered, sortWrong, wrongPair } from '../checks/orders.ts';
import { again } from '../checks/paging.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isObject, readPointer } from '../contract/document.ts';
import { replaceAt } from '../data/time.ts';
import type { Draft, Exchange } from '../execute/exchange.ts';
import type { Permissions } from '../plan/permissions.ts';
import { type ListShape, listShapeOf } from '../resources/list-shape.ts';
import { readPage } from '../resources/read-page.ts';
import { createItems, isMock, largestOf, wholeList, withValues } from './list-requests.ts';
import { type Bench, mayProbe, type OperationProbes } from './probe.ts';

const most = {
  /** Orders of one list. */
  orders: 4,
  /** Items that are created to have two values. */
  created: 2,
} as const;

export function planOrders(
  contract: Contract,
  operations: readonly Operation[],
  { readOnly }: Permissions,
): readonly OperationProbes[] {
  return operations.flatMap((operation): OperationProbes[] => {
    const shape = mayProbe(contract, operation) ? listShapeOf(contract, operation) : undefined;
    const [order] = shape?.orders ?? [];
    if (shape === undefined || order === undefined) return [];
    const probe = {
      ...{ name: nameOfOrder(order), checks: [sortWrong.name], pointer: order.parameter.pointer, worth: 4.25 },
      mostRequests: 3 + 2 * (most.orders + 1) + (readOnly ? 0 : 2 * most.created),
      needsOwn: false,
      isWrite: true,
      ask: (bench: Bench) => askOrders(bench, shape),
    };
    return [{ operation, probes: [probe] }];
  });
}

async function askOrders(bench: Bench, shape: ListShape): Promise<string | undefined> {
  const { send } = bench;
  const list = wholeList(bench);
  const base = shape.limit === undefined ? list : withValues(list, [[shape.limit.parameter, largestOf(shape)]]);
  const orders = shape.orders.slice(0, most.orders);
  const exchanges: Exchange[] = [];
  const read = async (asked: Draft, role: string): Promise<readonly unknown[] | undefined> => {
    const sent = await send(asked, role);
    if (sent !== undefined) exchanges.push(sent);
    return sent && readPage(shape, sent)?.items;
  };
  const items = await read(base, orderRoles.usual);
  if (items === undefined) return 'the answer has no list';
  const isOrdered = orders.some((order) => wrongPair(order, items) !== 'unjudged');
  const vary = (content: unknown, index: number) => [
    varied(shape, content, index, true),
    varied(shape, content, index),
  ];
  const created = isOrdered ? [] : await createItems(bench, most.created, vary);
  for (const [index, order] of orders.entries()) {
    const { parameter, value, direction } = order;
    const values = [
      [parameter, value] as const,
      ...(direction ? [[direction.parameter, direction.value] as const] : []),
    ];
    await read(withValues(base, values), orderRoles.of(index));
  }
  const broken = readOrdered(shape, exchanges, false).filter(({ order, page }) =>
    Array.isArray(wrongPair(order, page.items)),
  );
  const repeated = broken.length > 0 && !(await isMock(bench)) ? broken : [];
  for (const { exchange } of repeated)
    if (exchange.draft !== undefined) await read(exchange.draft, again(exchange.intent.probe?.role ?? ''));
  for (const one of created.toReversed()) await bench.undo(one);
  const isJudged = readOrdered(shape, exchanges, false).some(
    ({ order, page }) => wrongPair(order, page.items) !== 'unjudged',
  );
  return isJudged ? undefined : 'no two items of the list have different values of a member that orders them';
}

/**
 * The content of a create with other numbers in the members that order the list.
 *
 * @param isLonger whether one has a digit more than the other: their texts have another order
 */
function varied({ orders }: ListShape, content: unknown, index: number, isLonger = false): unknown {
  // Both directions of an order have one member.
  const fields = new Set(orders.map(({ field }) => field));
  return [...fields].reduce<unknown>((whole, field) => {
    const present = readPointer(whole, field);
    if (!isObject(whole) || typeof present !== 'number') return whole;
    const longest = 10 ** String(Math.floor(Math.abs(present))).length;
    return replaceAt(whole, field, isLonger ? longest - index : present + 1 - 2 * index);
  }, content);
}
