import { judgeChanges } from './change-items.ts';
import {
  canIdentify,
  type FoundId,
  findList,
  hasId,
  idInAddress,
  idsIn,
  itemInBody,
  itemsIn,
  keyOf,
  type ListPlace,
  successSchema,
} from './find-items.ts';
import { createsByPut, mayCreateByPut, type Pair } from './find-pairs.ts';
import { isSuccess, nameOf, notSuccess, notUnknown, type PairResult, Verdicts } from './laws.ts';
import type { Reply } from './send-requests.ts';
import {
  compareWithSent,
  createItem,
  fixedValues,
  type Item,
  identify,
  identifyListed,
  type Slots,
  type Walk,
} from './walk.ts';
import { filtersOf, judgeFilter, judgePages, readAll } from './walk-lists.ts';

/** Walks one pair, from the first list to the second deletion. */
export async function walkPair(walk: Walk, pair: Pair): Promise<PairResult> {
  const verdicts = new Verdicts();
  try {
    await judgePair(walk, pair, verdicts);
  } catch (error) {
    const reason = (error as Error).cause === undefined ? (error as Error).message : String((error as Error).cause);
    for (const law of lawsOf(walk, pair)) verdicts.failIfOpen(law, 'unjudged', reason);
    verdicts.fail('valid', 'unjudged', reason);
  }
  verdicts.judge('valid', walk.takeFaults());
  return { pair: pair.name, laws: verdicts.all() };
}

/** Laws that need an item, as far as the contract makes them possible. They are open until an item is found. */
function lawsOf(walk: Walk, { list, create, read, replace, merge, remove, ...pair }: Pair) {
  const hasList =
    list !== undefined && findList(walk.form, { list, create, read, replace, merge, remove, ...pair }) !== undefined;
  const has = (...parts: readonly unknown[]): boolean => parts.every((part) => part !== undefined && part !== false);
  return (
    [
      ['id', has(create)],
      ['read', has(read)],
      ['listed', has(create, hasList)],
      ['replace', has(replace)],
      ['merge', has(merge)],
      ['others', has(create, successSchema(read), replace ?? merge ?? remove)],
      ['delete', has(remove)],
      ['gone', has(remove, read)],
      ['unlisted', has(remove, hasList)],
      ['again', has(remove)],
    ] as const
  ).flatMap(([law, isPossible]) => (isPossible ? [law] : []));
}

async function judgePair(walk: Walk, pair: Pair, verdicts: Verdicts): Promise<void> {
  const slots = await walk.slotsFor(pair, 0);
  const { values } = slots;
  const place = pair.list === undefined ? undefined : findList(walk.form, pair);
  let before: readonly unknown[] | undefined;
  if (pair.list !== undefined) {
    const reply = await walk.send(pair.list, { slots: values });
    verdicts.judge('list', [...notSuccess(reply), ...reply.faults]);
    before = place && itemsIn(reply.body, place);
    if (place !== undefined && isSuccess(reply) && before === undefined)
      verdicts.fail('list', 'broken', `${nameOf(reply)} without a list at /${place.path.join('/')}`);
  }
  await judgeUnknown(walk, pair, values, verdicts);
  await judgeParent(walk, pair, slots, verdicts);
  const items = await findItems(walk, pair, values, place, verdicts, before);
  const [item, other] = items;
  if (item === undefined) {
    // The contract describes no way to the item: then no law about it can be judged.
    if (!verdicts.hasFailed('create') && !canIdentify(walk.form, pair)) return;
    for (const law of lawsOf(walk, pair)) verdicts.fail(law, 'unjudged', 'there is no item');
    return;
  }
  if (place !== undefined) await judgeLists(walk, pair, values, place, items, verdicts);
  await judgeChanges(walk, pair, values, place, [item, other], verdicts);
}

/** Two new items, or the first two of the list where the contract has no create. */
async function findItems(
  walk: Walk,
  pair: Pair,
  slots: readonly unknown[],
  place: ListPlace | undefined,
  verdicts: Verdicts,
  before: readonly unknown[] | undefined,
): Promise<readonly Item[]> {
  if (pair.create === undefined) {
    if (place === undefined) return [];
    const { items } = await readAll(walk, pair, slots, place);
    const found: Item[] = [];
    for (const listed of items.slice(0, 2)) {
      const id = await identifyListed(walk, pair, slots, listed);
      if (id !== undefined) found.push({ id, sent: listed });
    }
    if (found[0] !== undefined) await judgeRead(walk, pair, slots, found[0], verdicts);
    return found;
  }
  const made: Item[] = [];
  for (let number = 0; number < 3; number += 1) {
    const created = await createItem(walk, pair, slots);
    if (typeof created === 'string') {
      verdicts.fail('create', 'unjudged', created);
      return [];
    }
    const { reply, body } = created;
    if (!verdicts.judge('create', [...notSuccess(reply), ...reply.faults]) && !isSuccess(reply)) return made;
    const { id } = await identify(
      walk,
      pair,
      slots,
      created,
      made.map((item) => item.id),
      before,
    );
    judgeLocation(pair, reply, id, verdicts);
    if (id === undefined && !canIdentify(walk.form, pair)) return made;
    if (id === undefined) {
      verdicts.fail('id', 'broken', `nothing in the answer to ${nameOf(reply)} leads to the item`);
      return made;
    }
    const item = { id, sent: body === 'none' ? undefined : itemInBody(walk.form, pair, body.value) };
    const earlier = made.findIndex((known) => known.id.value === id.value);
    if (earlier >= 0 && pair.isCreatedByPut && unknownId(walk, pair) === undefined) {
      // The enum has few ids: this PUT has replaced the item.
      made[earlier] = item;
      return made;
    }
    if (earlier >= 0) verdicts.fail('id', 'broken', `two new items have the id ${String(id.value)}`);
    verdicts.hold('id');
    made.push(item);
    await judgeRead(walk, pair, slots, item, verdicts);
  }
  return made;
}

function judgeLocation(pair: Pair, reply: Reply, id: FoundId | undefined, verdicts: Verdicts): void {
  const response = reply.operation.responses.find(({ status }) => status === String(reply.status));
  if (response?.headers.some(({ name }) => name.toLowerCase() === 'location') !== true) return;
  const location = reply.headers.get('location');
  // The path of a create may have another item path: `/refs` next to `/ref/{ref}`.
  const names = [pair.name, `${reply.operation.path}/{${pair.key}}`];
  const ids = location === null ? [] : names.map((name) => idInAddress({ ...pair, name }, location));
  const found = ids.find((one) => one !== undefined);
  const isIt = found !== undefined && String(found.value) === String(id?.value);
  verdicts.judge(
    'location',
    isIt ? [] : [`Location is ${location ?? 'missing'}, the item has the id ${String(id?.value)}`],
  );
}

async function judgeRead(
  walk: Walk,
  pair: Pair,
  slots: readonly unknown[],
  { id, sent }: Item,
  verdicts: Verdicts,
): Promise<void> {
  if (pair.read === undefined) return;
  const reply = await walk.send(pair.read, { slots: [...slots, id.value] });
  const named = idsIn(pair, walk.maker, reply.body).filter(({ isNamed }) => isNamed);
  const shown = named.find(({ path }) => String(path) === String(id.path)) ?? named[0];
  const isOther =
    isSuccess(reply) && shown !== undefined && id.isNamed === true && String(shown.value) !== String(id.value);
  const other = isOther ? [`the item ${String(id.value)} has the id ${String(shown.value)}`] : [];
  const { faults } = compareWithSent(walk, pair, sent, reply);
  verdicts.judge('read', [...notSuccess(reply), ...other, ...faults]);
}

/** An id that is valid by its schema, and that nothing has. */
export function unknownId(walk: Walk, pair: Pair): unknown {
  const parameter = keyOf(pair);
  if (parameter === undefined) return undefined;
  const { values } =
    parameter.schema === undefined ? { values: undefined } : walk.form.branch(walk.form.at(parameter.schema));
  // The members of an enum may all exist.
  return values === undefined ? walk.maker.parameter(parameter, 7_700 + walk.nextSerial()) : undefined;
}

async function judgeUnknown(walk: Walk, pair: Pair, slots: readonly unknown[], verdicts: Verdicts): Promise<void> {
  const { read, replace, merge, remove, isCreatedByPut } = pair;
  const creates = isCreatedByPut || mayCreateByPut(pair) || (replace !== undefined && createsByPut(replace, pair.noun));
  for (const operation of [read, creates ? undefined : replace, merge, remove]) {
    const id = unknownId(walk, pair);
    if (operation === undefined || id === undefined) continue;
    const values = [...slots, id];
    const body = walk.maker.body(operation, walk.nextSerial(), fixedValues(operation.path, values));
    if (body === undefined)
      verdicts.fail('unknown', 'unjudged', `no valid body for ${operation.method.toUpperCase()} was built`);
    else verdicts.judge('unknown', notUnknown(await walk.send(operation, { slots: values, body })));
  }
}

async function judgeParent(walk: Walk, pair: Pair, slots: Slots, verdicts: Verdicts): Promise<void> {
  const { parent, list, create } = pair;
  if (parent === undefined || slots.source === 'invented') return;
  const id = unknownId(walk, parent);
  if (id === undefined) return;
  const at = parent.slots;
  const values = slots.values.map((value, index) => (index === at ? id : value));
  if (list !== undefined) verdicts.judge('parent', notUnknown(await walk.send(list, { slots: values })));
  if (create === undefined || pair.isCreatedByPut) return;
  const body = walk.maker.body(create, walk.nextSerial(), fixedValues(create.path, values));
  if (body !== undefined) verdicts.judge('parent', notUnknown(await walk.send(create, { slots: values, body })));
}

async function judgeLists(
  walk: Walk,
  pair: Pair,
  slots: readonly unknown[],
  place: ListPlace,
  items: readonly Item[],
  verdicts: Verdicts,
): Promise<void> {
  const made = pair.create === undefined ? [] : items.map(({ id }) => id);
  if (made.length > 0) {
    const { items: listed, faults } = await readAll(walk, pair, slots, place);
    const lost = made.filter((id) => !listed.some((found) => hasId(found, id)));
    verdicts.judge('listed', [
      ...faults,
      ...lost.map(({ value }) => `${String(value)} is not in the list of ${listed.length}`),
    ]);
    const { values, source } =
      pair.parent === undefined ? { values: [], source: 'root' } : await walk.slotsFor(pair, 1);
    if (source === 'created' && values.some((value, index) => value !== slots[index])) {
      const there = await readAll(walk, pair, values, place);
      const leaked = made.filter((id) => there.items.some((found) => hasId(found, id)));
      const isClientChosen = pair.isCreatedByPut;
      verdicts.judge('nested', [
        ...there.faults,
        ...(isClientChosen ? [] : leaked.map(({ value }) => `another parent lists ${String(value)}`)),
      ]);
    } else if (source === 'missing' && pair.parent?.create !== undefined)
      verdicts.fail('nested', 'unjudged', 'there is no created parent');
  }
  const pages = await judgePages(walk, pair, slots, place, made);
  if (pages !== undefined) verdicts.judge('pages', pages);
  const [first, second] = items;
  if (first === undefined) return;
  for (const parameter of filtersOf(walk, pair, place)) {
    const faults = await judgeFilter(walk, pair, slots, place, parameter, [first.id, second?.id]);
    if (faults !== undefined) verdicts.judge('filter', faults);
  }
}
