import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { spellInstant } from '@lockstep/values/instant';
import type { SchemaNode } from '@lockstep/values/shape';
import type { Place, SchemaReader } from './read-schemas.ts';
import type { IdOf } from './resource.ts';
import type { FillMember, ShowValue } from './show-value.ts';
import { plainName, readIds } from './template.ts';

/** Facts for the members of an item that a service sets itself. */
export interface ItemFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** An item of the contract's examples: it proposes values of required members. */
  readonly donor: JsonObject;
  /** The address of the item, if it has a path of its own. */
  readonly path: string | undefined;
  /** Members that name an owner, with the id of that owner. */
  readonly owners: readonly IdOf[];
  /** Values of a new item, such as its first state. */
  readonly start: readonly { readonly place: Place; readonly value: unknown }[];
  /** The item of another resource that a member refers to: `customer` for `customerId`. */
  readonly find: (noun: string, id: unknown) => JsonObject | undefined;
}

const created =
  /^(?:date)?(?:created|creation|inserted|registered|registration|joined|added|signup)(?:at|on|date|time|timestamp|datetime|utc)?$/;
/** Times of a change, by the plain names of their members. */
export const changed =
  /^(?:date)?(?:last)?(?:updated?|modified|modification|changed?|edited)(?:at|on|date|time|timestamp|datetime|utc)?$/;
const counts = /count|total|^num(?:ber)?of|balance|size$/;
const switchedOn = /^(?:is)?(?:active|enabled|available|visible|valid|open|public)$/;
const states = /^(?:status|state|phase|stage|lifecycle)$|(?:status|state)$/;
const links = /^(?:href|self|selflink|selfurl|uri|resourceuri|link)$/;
/** Members by which other objects name an object. */
const naming = ['id', '_id', 'gid', 'sid', 'uuid', 'name', 'slug', 'key', 'code', 'login', 'username'] as const;
/** Numbers of changes, by the plain names of their members. */
export const versions = /^(?:version|revision|resourceversion|etag)$/;

/** Plain names of members that a service sets, where answers alone have them. */
export const usualMembers = [states, links, versions, counts];

/** Makes the members of an item that its client did not send. */
export function createMemberMaker(reader: SchemaReader, show: ShowValue) {
  /** A time in the spelling of the example, if there is one. */
  const timeFor = (node: SchemaNode, now: number, example: unknown): unknown => {
    const [seconds, milliseconds, ...others] = spellInstant(now);
    const inSeconds = Math.floor(now / 1000);
    const isPrecise = typeof example !== 'string' || /\.\d+Z?/.test(example);
    const texts = isPrecise ? [milliseconds, seconds] : [seconds, milliseconds];
    const numbers = typeof example === 'number' && example > 1e11 ? [now, inSeconds] : [inSeconds, now];
    const spellings = reader.isOnly(node, 'number') ? numbers : [...texts, ...others];
    return spellings.find((spelling) => spelling !== undefined && reader.accepts(spelling, node));
  };

  const isTime = (name: string, node: SchemaNode): boolean => {
    const plain = plainName(name);
    return (
      (created.test(plain) || changed.test(plain)) && !reader.isOnly(node, 'boolean') && !reader.isOnly(node, 'object')
    );
  };

  /** An object for a value that names it: a client sends `serverType: "cx11"`, and answers show `{name: "cx11", …}`. */
  const expand = (sent: unknown, example: unknown, node: SchemaNode): unknown => {
    if (Array.isArray(sent)) {
      if (!reader.isOnly(node, 'array') || sent.length === 0) return undefined;
      const items = sent.map((one) =>
        expand(one, Array.isArray(example) ? example[0] : undefined, reader.itemOf(node)),
      );
      return !items.includes(undefined) && reader.accepts(items, node) ? items : undefined;
    }
    if ((typeof sent !== 'string' && typeof sent !== 'number') || !reader.isOnly(node, 'object')) return undefined;
    const shown = isObject(example) ? show(example, node, () => undefined) : undefined;
    const base = shown ?? reader.make(node);
    if (!isObject(base)) return undefined;
    const members = reader.membersOf(node);
    for (const name of naming)
      for (const value of readIds(sent)) {
        const member = members.get(name);
        const whole = { ...base, [name]: value };
        if (member !== undefined && reader.accepts(value, member) && reader.accepts(whole, node)) return whole;
      }
    return undefined;
  };

  /** The object that a value of the item means: the item with this id, or one with this name. */
  const objectFor = (name: string, node: SchemaNode, around: JsonObject, facts: ItemFacts): unknown => {
    const id = around[name] ?? around[`${name}Id`] ?? around[`${name}_id`];
    const isId = typeof id === 'string' || typeof id === 'number';
    if (isId && reader.isOnly(node, 'object')) {
      const known = facts.find(plainName(name), id);
      const shown = known === undefined ? undefined : show(known, node, fillWith({ ...facts, donor: {} }));
      if (shown !== undefined) return shown;
    }
    const sent = around[name];
    // A client sends a day where answers have a time.
    const instant = typeof sent === 'string' && /^\d{4}-\d\d-\d\d$/.test(sent) ? Date.parse(sent) : Number.NaN;
    const day = Number.isFinite(instant) ? timeFor(node, instant, '') : undefined;
    return day ?? expand(sent, facts.donor[name], node);
  };

  /** The value of a member that the client did not send. */
  const makeMember = (name: string, node: SchemaNode, around: JsonObject, facts: ItemFacts): unknown => {
    const plain = plainName(name);
    const shape = reader.form.branch(node);
    const given = facts.donor[name];
    // An example may have members that its schema does not declare.
    const showExample = (): unknown =>
      given === undefined ? undefined : show(given, node, fillWith({ ...facts, donor: {} }));
    const isGood = (value: unknown): boolean => value !== undefined && reader.accepts(value, node);
    if (isTime(name, node)) {
      const time = timeFor(node, facts.now, showExample() ?? shape.examples[0]);
      if (time !== undefined) return time;
    }
    if (links.test(plain) && facts.path !== undefined && isGood(facts.path)) return facts.path;
    const meant = objectFor(name, node, around, facts);
    if (meant !== undefined) return meant;
    const wish = reader.defaultOf(node);
    if (isGood(wish)) return wish;
    if (shape.values?.length === 1) return shape.values[0];
    if (isGood(null) && shape.types.size < 6) return null;
    if (states.test(plain) && shape.values !== undefined) return shape.values.find(isGood);
    if (versions.test(plain) && isGood(1)) return 1;
    if (counts.test(plain) && isGood(0)) return 0;
    const example = showExample();
    if (isGood(example)) return example;
    if (reader.isOnly(node, 'boolean')) return [switchedOn.test(plain), true, false].find(isGood);
    if (reader.isOnly(node, 'array') && isGood([])) return [];
    return reader.make(node);
  };

  const fillWith =
    (facts: ItemFacts): FillMember =>
    (name, node, around, isRequired) =>
      isRequired ? makeMember(name, node, around, facts) : objectFor(name, node, around, facts);

  return { timeFor, isTime, makeMember, fillWith };
}
