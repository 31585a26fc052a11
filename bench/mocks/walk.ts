import type { Operation } from '../../conformance/contract/contract.ts';
import { canonical, isObject } from '../../conformance/contract/document.ts';
import type { CanonicalForm } from '../../conformance/schema/canonical.ts';
import type { Judge } from '../../conformance/schema/create-judge.ts';
import {
  canIdentify,
  distinct,
  type FoundId,
  findList,
  hasId,
  idsAfter,
  idsIn,
  itemInBody,
  itemNode,
  itemsIn,
  keyOf,
  listOfOne,
  placeOfMany,
  successSchema,
} from './find-items.ts';
import { type Pair, slotsOf } from './find-pairs.ts';
import { hasNoRejection, isRejected, isSuccess } from './laws.ts';
import { type MadeBody, type Maker, normal, type PathValues, withMember } from './make-values.ts';
import type { Asked, Client, Reply } from './send-requests.ts';
import { declaredNames, differences, findOverlap, valueAt } from './shared-members.ts';
import { readAll } from './walk-lists.ts';

/** An item that the walk created, or found in a list. */
export interface Item {
  readonly id: FoundId;
  /** The body that created it. */
  readonly sent: unknown;
}

/** Values for the parameters in the path of a collection, and where they come from. */
export interface Slots {
  readonly values: readonly unknown[];
  /** `invented`: no operation of the contract creates or lists the parent. */
  readonly source: 'root' | 'created' | 'listed' | 'invented' | 'missing';
}

/** The walk through one contract. Items that serve as parents are created once. */
export class Walk {
  readonly judge: Judge;
  readonly maker: Maker;
  readonly #client: Client;
  readonly #parents = new Map<string, Promise<Slots>>();
  #serial = 0;
  /** Faults of answers since the last pair. */
  #faults: string[] = [];
  /** Ids that the walk chose itself. */
  readonly #chosen = new Set<string>();

  constructor(judge: Judge, maker: Maker, client: Client) {
    this.judge = judge;
    this.maker = maker;
    this.#client = client;
  }

  get form(): CanonicalForm {
    return this.judge.forms.response;
  }

  /** Bodies of different numbers differ. */
  nextSerial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  /** Whether no item of the pair was sent with this id before. */
  isFree(pair: Pair, id: unknown): boolean {
    const key = `${pair.name} ${String(id)}`;
    return !this.#chosen.has(key) && this.#chosen.add(key).has(key);
  }

  async send(operation: Operation, asked: Asked): Promise<Reply> {
    const reply = await this.#client.send(operation, asked);
    // For an unknown object a contract without any 4xx leaves no valid answer.
    if (!(isRejected(reply) && hasNoRejection(operation))) this.#faults.push(...reply.faults);
    return reply;
  }

  /** An answer that counts for no law, as where the walk looks for an id. */
  async probe(operation: Operation, asked: Asked): Promise<Reply> {
    return this.#client.send(operation, asked);
  }

  takeFaults(): readonly string[] {
    const faults = this.#faults;
    this.#faults = [];
    return faults;
  }

  /** @param number 0 for the parent of the walk, 1 for another one */
  slotsFor(pair: Pair, number: number): Promise<Slots> {
    const key = `${number} ${pair.name}`;
    const known = this.#parents.get(key) ?? this.#findSlots(pair, number);
    this.#parents.set(key, known);
    return known;
  }

  async #findSlots(pair: Pair, number: number): Promise<Slots> {
    if (pair.slots === 0) return { values: [], source: 'root' };
    const base =
      pair.parent === undefined
        ? { values: [], source: 'invented' as const }
        : await this.parentItem(pair.parent, number);
    const operation = pair.list ?? pair.create ?? pair.read ?? pair.remove;
    const rest = slotsOf(operation?.path ?? '').slice(base.values.length, pair.slots);
    const values = rest.map((name) => {
      const parameter = operation?.parameters.find((candidate) => candidate.in === 'path' && candidate.name === name);
      return parameter === undefined ? `walk${number}` : this.maker.parameter(parameter, number);
    });
    return { values: [...base.values, ...values], source: base.source };
  }

  async parentItem(pair: Pair, number: number): Promise<Slots> {
    // Both parents are in one collection.
    const { values } = await this.slotsFor(pair, 0);
    const faults = [...this.#faults];
    try {
      const created = pair.create === undefined ? undefined : await createItem(this, pair, values);
      const id =
        created === undefined || typeof created === 'string'
          ? undefined
          : (await identify(this, pair, values, created)).id;
      if (id !== undefined) return { values: [...values, id.value], source: 'created' };
      const place = findList(this.form, pair);
      const items = place === undefined ? [] : (await readAll(this, pair, values, place)).items;
      const listed = await identifyListed(this, pair, values, items[number]);
      if (listed !== undefined) return { values: [...values, listed.value], source: 'listed' };
    } finally {
      // The pair of the parent has its own walk.
      this.#faults = faults;
    }
    const parameter = keyOf(pair);
    const invented = parameter === undefined ? undefined : this.maker.parameter(parameter, number);
    // A list whose schema has no items shows no parent.
    const isDocumented = pair.create !== undefined || findList(this.form, pair) !== undefined;
    return { values: [...values, invented ?? `walk${number}`], source: isDocumented ? 'missing' : 'invented' };
  }
}

interface Created {
  readonly reply: Reply;
  readonly body: MadeBody | 'none';
  /** The id in the request of a PUT. */
  readonly ownId: FoundId | undefined;
}

/** Values of a path by the names that a body may have too. Names that any object has are no part of it, but for the item's own. */
export function fixedValues(path: string, values: readonly unknown[]): PathValues {
  const names = slotsOf(path).map(normal);
  const pairs = names.map((name, index): [string, unknown] => [name, values[index]]);
  const isOwn = (index: number): boolean => index === names.length - 1 && path.endsWith('}');
  return new Map(pairs.filter(([name], index) => isOwn(index) || !/^(id|name|key|uuid|slug|number)$/.test(name)));
}

/** Values of the required parameters of the list: without the same value, it would not show a new item. */
function filterValues({ maker }: Walk, { list }: Pair): PathValues {
  const required = list?.parameters.filter((parameter) => parameter.in === 'query' && parameter.required) ?? [];
  return new Map(required.map((parameter) => [normal(parameter.name), maker.parameter(parameter, 0)]));
}

/** @returns why nothing could be sent, as a text */
export async function createItem(walk: Walk, pair: Pair, slots: readonly unknown[]): Promise<Created | string> {
  const create = pair.create as Operation;
  const serial = walk.nextSerial();
  const key = keyOf(pair);
  const own = pair.isCreatedByPut && key !== undefined ? walk.maker.parameter(key, serial) : undefined;
  const values = own === undefined ? slots : [...slots, own];
  const fixed = new Map([...filterValues(walk, pair), ...fixedValues(create.path, values)]);
  const built = walk.maker.body(create, serial, fixed);
  const body = built === undefined || built === 'none' ? built : withFreeId(walk, pair, built, serial);
  if (body === undefined) return `no valid body for ${create.method.toUpperCase()} ${create.path} was built`;
  const reply = await walk.send(create, { slots: values, body });
  const ownId = typeof own === 'string' || typeof own === 'number' ? { value: own, path: undefined } : undefined;
  return { reply, body, ownId };
}

/** A body whose own id no earlier body had, and the path allows, as far as its schema allows one. */
function withFreeId(walk: Walk, pair: Pair, body: MadeBody, serial: number): MadeBody {
  const any = { ...walk.maker, accepts: () => true };
  const own = idsIn(pair, any, body.value).find(({ path, isNamed }) => isNamed === true && path !== undefined);
  const key = keyOf(pair);
  const isInPath = [own?.value, String(own?.value)].some((id) => walk.maker.accepts(key?.schema, id));
  if (own?.path === undefined || (isInPath && walk.isFree(pair, own.value))) return body;
  const numbered = String(own.value).replace(/\d{4}$/, String(serial).padStart(4, '0'));
  for (const id of [isInPath ? numbered : undefined, key && walk.maker.parameter(key, serial)]) {
    const changed = withMember(walk.maker, body, own.path, id);
    if (id !== undefined && changed !== undefined && walk.isFree(pair, id)) return changed;
  }
  return body;
}

/**
 * Finds the id of a new item: in the answer, in the request, or in the list.
 *
 * @param known ids of earlier items
 * @param before the list before the create, if it is known
 */
export async function identify(
  walk: Walk,
  pair: Pair,
  slots: readonly unknown[],
  { reply, body, ownId }: Created,
  known: readonly FoundId[] = [],
  before: readonly unknown[] = [],
): Promise<{ readonly id: FoundId | undefined }> {
  if (!isSuccess(reply)) return { id: undefined };
  if (ownId !== undefined) return { id: ownId };
  const sent = body === 'none' ? undefined : itemInBody(walk.form, pair, body.value);
  const many = placeOfMany(walk.form, pair);
  const answered = many === undefined ? [] : (itemsIn(reply.body, many) ?? []);
  const after =
    many === undefined ? idsAfter(pair, walk.maker, reply) : answered.flatMap((item) => idsIn(pair, walk.maker, item));
  const own = idsIn(pair, walk.maker, sent);
  const candidates = distinct(isObject(sent) ? [...after, ...own] : [...own, ...after]).slice(0, 6);
  const place = findList(walk.form, pair);
  const listed = async (): Promise<readonly unknown[]> =>
    place === undefined ? [] : (await readAll(walk, pair, slots, place)).items;
  const { read } = pair;
  const found = async (ids: readonly FoundId[]): Promise<FoundId | undefined> => {
    if (read === undefined) {
      const items = await listed();
      return ids.find((id) => items.some((item) => hasId(item, id)));
    }
    for (const id of ids) if (isSuccess(await walk.probe(read, { slots: [...slots, id.value] }))) return id;
    return undefined;
  };
  const direct = await found(candidates);
  if (direct !== undefined) return { id: await withMemberOf(pair, walk, direct, listed) };
  // Without a described way to the item, a sent member that cannot be read is not taken for the id.
  const likeliest = canIdentify(walk.form, pair) ? candidates[0] : undefined;
  if (place === undefined) return { id: likeliest };
  if (candidates.length === 0 && before.length > 0) {
    const earlier = new Set(before.map(canonical));
    const gained = (await listed()).filter(
      (item) => !earlier.has(canonical(item)) && !known.some((id) => hasId(item, id)),
    );
    if (gained.length === 1) return { id: await found(idsIn(pair, walk.maker, gained[0])) };
  }
  if (sent === undefined) return { id: likeliest };
  const { inSent, inAnswer, nodes, count } = findOverlap(walk.form, place.item, sent);
  const isSame = (item: unknown): boolean =>
    differences(walk.form, nodes, valueAt(sent, inSent), valueAt(item, inAnswer)).length === 0;
  const same = (count === 0 ? [] : await listed()).findLast(
    (item) => isSame(item) && !known.some((id) => hasId(item, id)),
  );
  return { id: (await found(idsIn(pair, walk.maker, same))) ?? likeliest };
}

/** The id with the member of listed items that has it, if it comes from an address: another member may have the same value. */
async function withMemberOf(
  pair: Pair,
  { maker }: Walk,
  id: FoundId,
  listed: () => Promise<readonly unknown[]>,
): Promise<FoundId> {
  if (id.path !== undefined) return id;
  const members = (await listed()).flatMap((item) => idsIn(pair, maker, item));
  return members.find(({ value, isNamed }) => isNamed === true && String(value) === String(id.value)) ?? id;
}

/**
 * The id of a listed item. Where the contract leaves the member open, because the item has none with the usual name at its root, it is the
 * first candidate that can be read.
 */
export async function identifyListed(
  walk: Walk,
  { read, ...pair }: Pair,
  slots: readonly unknown[],
  item: unknown,
): Promise<FoundId | undefined> {
  const ids = distinct(idsIn({ read, ...pair }, walk.maker, item));
  const [first] = ids;
  const isClear = first?.isNamed === true && first.path?.length === 1;
  if (read === undefined || isClear) return first;
  for (const id of ids.slice(0, 6)) if (isSuccess(await walk.probe(read, { slots: [...slots, id.value] }))) return id;
  return first;
}

/** Differences between the sent body and an answer that shows the item, and how many members the two share. */
export function compareWithSent(
  walk: Walk,
  pair: Pair,
  sent: unknown,
  reply: Reply,
): { readonly faults: readonly string[]; readonly shared: number } {
  const schema = successSchema(pair.read);
  if (schema === undefined || sent === undefined || !isSuccess(reply)) return { faults: [], shared: 0 };
  const place = listOfOne(walk.form, pair);
  const node = place?.item ?? walk.form.at(schema);
  // A list of names, whose items are objects.
  if (!isObject(sent) && declaredNames(walk.form, node).length > 0) return { faults: [], shared: 0 };
  const { inSent, inAnswer, nodes, count } = findOverlap(walk.form, node, sent);
  return {
    faults: differences(walk.form, nodes, valueAt(sent, inSent), valueAt(shownItem(walk, pair, reply.body), inAnswer)),
    shared: count,
  };
}

/** The schema of an item that is read; undefined if the contract describes none. */
export function readNode({ form }: Walk, pair: Pair) {
  return listOfOne(form, pair)?.item ?? itemNode(form, pair);
}

/** The item in the answer to a read. */
export function shownItem({ form }: Walk, pair: Pair, body: unknown): unknown {
  const place = listOfOne(form, pair);
  return place === undefined ? body : itemsIn(body, place)?.[0];
}
