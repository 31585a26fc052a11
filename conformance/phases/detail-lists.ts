// Items of a list, each read by its own address too.

import { detailRoles, differencesIn, listDetail, missingIn } from '../checks/list-detail.ts';
import { again } from '../checks/paging.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { readPointer } from '../contract/document.ts';
import type { Draft, Exchange } from '../execute/exchange.ts';
import { type ListShape, listShapeOf } from '../resources/list-shape.ts';
import { isScalar } from '../resources/read-items.ts';
import { identify, type Page, readPage } from '../resources/read-page.ts';
import { operationAt, plainPath, type Slot, slotsOf } from '../resources/slots.ts';
import { isMock, plainDraft } from './list-requests.ts';
import { type Bench, mayProbe, type OperationProbes, replicaMs } from './probe.ts';

/** Items that are read alone: the first and the last of the page. */
const mostItems = 2;

export function planDetails(contract: Contract, operations: readonly Operation[]): readonly OperationProbes[] {
  return operations.flatMap((operation): OperationProbes[] => {
    const shape = mayProbe(contract, operation) ? listShapeOf(contract, operation) : undefined;
    const item = operationAt(contract, 'get', `${plainPath(operation.path)}/{}`);
    if (shape === undefined || item === undefined) return [];
    const probe = {
      ...{ name: 'details', checks: [listDetail.name], pointer: operation.pointer, worth: 4.4 },
      mostRequests: 1 + 2 * (1 + mostItems),
      needsOwn: false,
      isWrite: true,
      ask: (bench: Bench) => askDetails(bench, shape, item),
    };
    return [{ operation, probes: [probe] }];
  });
}

async function askDetails(bench: Bench, shape: ListShape, read: Operation): Promise<string | undefined> {
  const { draft, ofOther, send } = bench;
  const reading = ofOther(read);
  const slot = slotsOf(read.path).at(-1);
  if (reading === undefined || slot === undefined) return 'the server accepted no read of an item';
  const exchanges: Exchange[] = [];
  const sendAs = async (asked: Draft, role: string): Promise<Exchange | undefined> => {
    const sent = await send(asked, role);
    if (sent !== undefined) exchanges.push(sent);
    return sent;
  };
  const ask = async (toRole: (role: string) => string): Promise<number> => {
    const list = await sendAs(plainDraft(draft), toRole(detailRoles.list));
    const ids = idsOf(shape, list && readPage(shape, list), slot);
    for (const [index, id] of ids.entries()) {
      const parameters = reading.parameters.map((one) =>
        one.parameter.in === 'path' && one.parameter.name === slot.parameter ? { ...one, value: id } : one,
      );
      await sendAs({ ...reading, parameters }, toRole(detailRoles.detail(index)));
    }
    return ids.length;
  };
  if ((await ask((role) => role)) === 0) return 'the list has no item with an id';
  const isSuspicious =
    differencesIn(shape, exchanges, false).length > 0 || missingIn(shape, exchanges, false).length > 0;
  if (isSuspicious && !(await isMock(bench))) {
    await bench.context.wait(replicaMs);
    await ask(again);
  }
  return undefined;
}

function idsOf(shape: ListShape, page: Page | undefined, slot: Slot): readonly unknown[] {
  const items = page?.items ?? [];
  const { key } = identify(shape, items, slot);
  const ids = items.map((item) => (key === undefined ? undefined : readPointer(item, key))).filter(isScalar);
  return [...new Set([...ids.slice(0, 1), ...ids.slice(-1)])].slice(0, mostItems);
}
