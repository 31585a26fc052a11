import type { Operation } from '../../conformance/contract/contract.ts';
import { isObject, type JsonObject } from '../../conformance/contract/document.ts';
import { hasId, type ListPlace, successSchema } from './find-items.ts';
import type { Pair } from './find-pairs.ts';
import { isSuccess, notSuccess, notUnknown, type Verdicts } from './laws.ts';
import { type MadeBody, normal, withMember } from './make-values.ts';
import { declaredNames, findOverlap, isSame, spell, valueAt } from './shared-members.ts';
import { compareWithSent, fixedValues, type Item, readNode, shownItem, type Walk } from './walk.ts';
import { readAll } from './walk-lists.ts';

/** Members that change by themselves. */
const moving =
  /(updat|modif|chang|edited|version|revision|etag|generation|last|timestamp|status|state|links?$|count$)/i;

/** Replaces, updates and deletes the item, and looks at another one after it. */
export async function judgeChanges(
  walk: Walk,
  pair: Pair,
  slots: readonly unknown[],
  place: ListPlace | undefined,
  [item, other]: readonly [Item, Item | undefined],
  verdicts: Verdicts,
): Promise<void> {
  const values = [...slots, item.id.value];
  const readAt = async (path: readonly unknown[]): Promise<unknown> => {
    const reply = pair.read === undefined ? undefined : await walk.send(pair.read, { slots: path });
    return reply !== undefined && isSuccess(reply) ? shownItem(walk, pair, reply.body) : undefined;
  };
  const otherValues = other === undefined ? undefined : [...slots, other.id.value];
  const before = otherValues === undefined ? undefined : await readAt(otherValues);
  if (pair.replace !== undefined) await judgeChange(walk, pair, pair.replace, values, item, 'replace', verdicts);
  if (pair.merge !== undefined) await judgeChange(walk, pair, pair.merge, values, item, 'merge', verdicts);
  if (pair.remove !== undefined) await judgeDeletion(walk, pair, slots, place, item, verdicts);
  const hasWrite = pair.replace !== undefined || pair.merge !== undefined || pair.remove !== undefined;
  // Content without a schema, such as a file, is not compared.
  if (otherValues === undefined || successSchema(pair.read) === undefined || !hasWrite || pair.create === undefined)
    return;
  if (before === undefined) verdicts.fail('others', 'unjudged', 'the other item could not be read');
  else
    verdicts.judge(
      'others',
      changes(before, await readAt(otherValues), (name) => moving.test(name)),
    );
}

async function judgeChange(
  walk: Walk,
  pair: Pair,
  operation: Operation,
  values: readonly unknown[],
  item: Item,
  law: 'replace' | 'merge',
  verdicts: Verdicts,
): Promise<void> {
  const { read } = pair;
  const before =
    read === undefined ? undefined : shownItem(walk, pair, (await walk.send(read, { slots: values })).body);
  const body =
    law === 'replace'
      ? replacementFor(walk, operation, values, item)
      : updateFor(walk, pair, operation, values, before ?? item.sent);
  if (body === undefined) {
    verdicts.fail(law, 'unjudged', `no valid body for ${operation.method.toUpperCase()} ${operation.path} was built`);
    return;
  }
  // The schema allows no step that sets a member of the item.
  if (body === 'inexpressible') return;
  const reply = await walk.send(operation, { slots: values, body });
  if (!isSuccess(reply)) verdicts.judge(law, notSuccess(reply));
  if (!isSuccess(reply) || body === 'none') return;
  const sent = isJsonPatch(body) ? patched(body.value) : body.value;
  const after = read === undefined ? reply : await walk.send(read, { slots: values });
  const { faults, shared } = compareWithSent(
    walk,
    read === undefined ? { ...pair, read: operation } : pair,
    sent,
    after,
  );
  // Nothing of the change can be seen: the law is about no member.
  if (shared === 0 && isSuccess(after)) return;
  verdicts.judge(law, [...notSuccess(after), ...faults]);
  const node = readNode(walk, pair);
  if (read === undefined || node === undefined || !isSuccess(after)) return;
  const { inSent, inAnswer } = findOverlap(walk.form, node, sent);
  const names = law === 'replace' ? settable(walk, body, inSent) : Object.keys(objectOf(valueAt(sent, inSent)));
  const set = new Set(names.map(normal));
  const kept = changes(
    valueAt(before, inAnswer),
    valueAt(shownItem(walk, pair, after.body), inAnswer),
    (name) => set.has(normal(name)) || moving.test(name),
  );
  verdicts.judge(
    law,
    kept.map((fault) => `it did not keep the rest: ${fault}`),
  );
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Names that a replacement can set, or leave out. */
function settable(walk: Walk, { content, value }: MadeBody, inSent: readonly string[]): readonly string[] {
  const form = walk.judge.forms.request;
  const sent = Object.keys(objectOf(valueAt(value, inSent)));
  if (content.schema === undefined) return sent;
  const [wrapper] = inSent;
  const root = form.at(content.schema);
  const nodes = form
    .shapes(root)
    .flatMap((shape) => (wrapper === undefined ? [root] : [form.property(shape, wrapper)]));
  return [...sent, ...nodes.flatMap((node) => declaredNames(form, node))];
}

/** Members that differ, but for those that may change. */
function changes(before: unknown, after: unknown, mayChange: (name: string) => boolean): readonly string[] {
  if (!isObject(before)) return isSame(before, after) ? [] : [`${spell(before)} became ${spell(after)}`];
  if (!isObject(after)) return [`the item became ${spell(after)}`];
  return Object.entries(before).flatMap(([name, value]) => {
    if (mayChange(name) || isSame(value, after[name])) return [];
    return isObject(value) && isObject(after[name])
      ? changes(value, after[name], mayChange)
      : [`${name} was ${spell(value)}, is ${spell(after[name])}`];
  });
}

/** A body whose id, if it has one, is that of the path. */
function replacementFor(
  walk: Walk,
  operation: Operation,
  values: readonly unknown[],
  { id }: Item,
): MadeBody | 'none' | undefined {
  const body = walk.maker.body(operation, walk.nextSerial(), fixedValues(operation.path, values));
  if (body === undefined || body === 'none' || id.path === undefined || valueAt(body.value, id.path) === undefined)
    return body;
  return withMember(walk.maker, body, id.path, id.value) ?? body;
}

/** Members that name the kind of an object, rather than a property of it. */
const ofKind = /^(type|kind|api_?version|object|class|resource_?type|discriminator)$/i;

/** One member with a new value, where the schema allows it to be sent alone; else the members that are required, or all. */
function updateFor(
  walk: Walk,
  pair: Pair,
  operation: Operation,
  values: readonly unknown[],
  before: unknown,
): MadeBody | 'none' | 'inexpressible' | undefined {
  const fixed = fixedValues(operation.path, values);
  const body = walk.maker.body(operation, walk.nextSerial(), fixed);
  if (body === undefined || body === 'none') return body;
  const node = readNode(walk, pair);
  // A schema without members, such as that of a patch document, gets those of a create.
  const isPatch = isJsonPatch(body);
  const isDescribed = !isPatch && node !== undefined && findOverlap(walk.form, node, body.value).count > 0;
  const created =
    isDescribed || pair.create === undefined ? undefined : walk.maker.body(pair.create, walk.nextSerial(), fixed);
  const whole = created === undefined || created === 'none' ? body.value : created.value;
  if (node === undefined || !isObject(whole)) return isPatch ? 'inexpressible' : body;
  const { inSent, inAnswer, nodes } = findOverlap(walk.form, node, whole);
  const shared = objectOf(valueAt(whole, inSent));
  const known = new Map(
    Object.entries(objectOf(valueAt(before, inAnswer))).map(([name, value]) => [normal(name), value]),
  );
  const declared = new Set(nodes.flatMap((part) => declaredNames(walk.form, part)).map(normal));
  const names = Object.keys(shared).filter((name) => declared.has(normal(name)));
  const rank = (name: string): number => {
    if (ofKind.test(name) || isSame(shared[name], known.get(normal(name)))) return 2;
    return isObject(shared[name]) ? 1 : 0;
  };
  const ranked = names.toSorted((a, b) => rank(a) - rank(b));
  for (const name of ranked) {
    const member = { [name]: shared[name] };
    const value = isPatch
      ? [{ op: 'replace', path: `/${name}`, value: shared[name] }]
      : inSent.reduceRight<JsonObject>((inner, outer) => ({ [outer]: inner }), member);
    if (walk.maker.accepts(body.content.schema, value)) return { ...body, value };
  }
  return isPatch ? 'inexpressible' : body;
}

/** RFC 6902. Contracts declare it as `application/json` too: then its schema has the steps. */
export function isJsonPatch({ content, value }: MadeBody): boolean {
  const isStep = (step: unknown): boolean => isObject(step) && Object.hasOwn(step, 'op') && Object.hasOwn(step, 'path');
  return /json-patch/.test(content.mediaType) || (Array.isArray(value) && value.length > 0 && value.every(isStep));
}

/** The members that a JSON Patch sets. */
function patched(value: unknown): JsonObject {
  const steps = Array.isArray(value) ? value.filter(isObject) : [];
  return Object.fromEntries(steps.map(({ path, value: set }) => [String(path).slice(1), set]));
}

async function judgeDeletion(
  walk: Walk,
  pair: Pair,
  slots: readonly unknown[],
  place: ListPlace | undefined,
  { id }: Item,
  verdicts: Verdicts,
): Promise<void> {
  const remove = pair.remove as Operation;
  const values = [...slots, id.value];
  const send = async () => {
    const body = walk.maker.body(remove, walk.nextSerial(), fixedValues(remove.path, values));
    return walk.send(remove, { slots: values, body: body ?? 'none' });
  };
  const reply = await send();
  const isDone = verdicts.judge('delete', [...notSuccess(reply), ...reply.faults]) || isSuccess(reply);
  if (!isDone) {
    if (pair.read !== undefined) verdicts.fail('gone', 'unjudged', 'nothing was deleted');
    if (place !== undefined) verdicts.fail('unlisted', 'unjudged', 'nothing was deleted');
    verdicts.fail('again', 'unjudged', 'nothing was deleted');
    return;
  }
  if (pair.read !== undefined) verdicts.judge('gone', notUnknown(await walk.send(pair.read, { slots: values })));
  if (place !== undefined && verdicts.hasFailed('listed')) verdicts.fail('unlisted', 'unjudged', 'it was never listed');
  else if (place !== undefined) {
    const { items, faults } = await readAll(walk, pair, slots, place);
    const isListed = items.some((found) => hasId(found, id));
    verdicts.judge('unlisted', [...faults, ...(isListed ? [`${String(id.value)} is still in the list`] : [])]);
  }
  verdicts.judge('again', notUnknown(await send()));
}
