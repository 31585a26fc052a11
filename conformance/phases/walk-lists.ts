// Walks through the pages of lists, in several lengths of a page.
import { again, deviationsIn, pageRoles, readWalks } from '../checks/paging.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import type { Permissions } from '../plan/permissions.ts';
import { type ListShape, listShapeOf } from '../resources/list-shape.ts';
import { itemsOf, type PageLaw } from '../resources/walk.ts';
import { createItems, createWalker, isMock, largestOf, type Walker, wholeList } from './list-requests.ts';
import { type Bench, mayProbe, type OperationProbes, type Probe } from './probe.ts';

/** Numbers of one probe. */
const most = {
  /** Items of a page of the second walk. */
  longer: 7,
  /** Pages of the whole list that are read. */
  wholePages: 3,
  /** Pages of one item that are read. */
  shortPages: 3,
  /** Readings of a short list after a walk that breaks a law. */
  readings: 4,
  /** Pages of the walk to the end. */
  pages: 5,
} as const;

/** With fewer items, a list without an order may have the same one by chance. */
const fewItems = 5;

/** Items that show the usual faults: the first page, one in the middle, and the last. */
const wantedItems = 3;

/** The laws of pages that a list can break. */
function checksOf({ limit, step, total }: ListShape): readonly PageLaw[] {
  const isLinked = step?.kind === 'cursor' || step?.kind === 'link';
  return [
    ...(limit === undefined ? [] : (['page-size', 'page-gap', 'limit-neutral'] as const)),
    ...(step === undefined ? [] : (['page-duplicate'] as const)),
    ...(isLinked ? (['page-ends'] as const) : []),
    ...(step?.kind === 'cursor' && limit !== undefined ? (['page-cursor'] as const) : []),
    ...(total === undefined ? [] : (['page-total'] as const)),
  ];
}

export function planPages(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  return operations.flatMap((operation): OperationProbes[] => {
    const shape = mayProbe(contract, operation) ? listShapeOf(contract, operation) : undefined;
    return shape === undefined ? [] : [{ operation, probes: probesOf(shape, permissions) }];
  });
}

function probesOf(shape: ListShape, permissions: Permissions): readonly Probe[] {
  const { operation, limit, step } = shape;
  const mayCreate = !permissions.readOnly;
  if (limit === undefined && step === undefined) return [];
  return [
    {
      ...{ name: 'pages', checks: checksOf(shape), pointer: operation.pointer, worth: 8 },
      mostRequests:
        2 * (most.wholePages + most.shortPages + most.pages + 1) +
        1 +
        most.readings +
        (mayCreate ? 2 * wantedItems : 0),
      needsOwn: false,
      // The runner's own writes would move the items between two pages.
      isWrite: true,
      ask: (bench) => askPages(bench, shape),
    },
  ];
}

/** Repeats each walk that breaks a law, and reads the whole list before and after it: it may have changed meanwhile. */
async function repeatDeviations(
  bench: Bench,
  shape: ListShape,
  { walk, sendPage, secondOf, exchanges }: Walker,
  largest: number | undefined,
  count: number,
): Promise<void> {
  const first = readWalks(shape, exchanges, false);
  const found = first === undefined ? [] : deviationsIn(shape, first);
  const { whole } = first ?? {};
  if (found.length === 0 || (await isMock(bench))) return;
  await walk(again(pageRoles.whole), largest, most.wholePages);
  for (const broken of new Set(found.map((one) => one.walk))) {
    const role = again(broken.role);
    if (broken !== whole) await walk(role, broken.size, broken.pages.length, count);
    const second = secondOf(role);
    const isOfCursor = found.some((one) => one.walk === broken && one.deviation.law === 'page-cursor');
    if (isOfCursor && second !== undefined) await sendPage(second, again(pageRoles.second));
  }
  const times = count < fewItems ? most.readings : 1;
  for (let time = 1; time <= times; time += 1) await walk(again(pageRoles.end(time)), largest, most.wholePages);
}

async function askPages(bench: Bench, shape: ListShape): Promise<string | undefined> {
  const { limit, step } = shape;
  const walker = createWalker(bench, shape, wholeList(bench));
  const { walk } = walker;
  const largest = largestOf(shape);
  let whole = await walk(pageRoles.whole, largest, most.wholePages);
  if (whole.pages.length === 0) return 'the answer has no list';
  const missing = wantedItems - itemsOf(whole).length;
  const created = missing > 0 && limit !== undefined ? await createItems(bench, missing) : [];
  if (created.length > 0) whole = await walk(pageRoles.grown, largest, most.wholePages);
  const count = itemsOf(whole).length;
  const size = limit?.least ?? 1;
  // Pages of this length were seen: it is none that the server shortens.
  const longest = Math.max(...whole.pages.map(({ items }) => items.length));
  const third = Math.ceil(count / wantedItems);
  const longer = Math.min(longest, Math.max(size + 1, third > most.longer ? most.longer : third));
  const isShown = limit !== undefined && size < count;
  if (isShown) {
    await walk(pageRoles.of(size), size, step === undefined ? 1 : most.shortPages, count);
    const second = step?.kind === 'cursor' ? walker.secondOf(pageRoles.of(size)) : undefined;
    if (second !== undefined) await walker.sendPage(second, pageRoles.second);
    if (step !== undefined && longer > size && longer < count)
      await walk(pageRoles.of(longer), longer, most.pages, count);
  }
  await repeatDeviations(bench, shape, walker, largest, count);
  for (const one of created.toReversed()) await bench.undo(one);
  return isShown || whole.pages.length > 1 ? undefined : 'the list has too few items for two pages';
}
