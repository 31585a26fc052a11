import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { isSame } from '@lockstep/values/same-value';
import type { SchemaNode } from '@lockstep/values/shape';
import { changed, createMemberMaker, type ItemFacts, usualMembers, versions } from './make-member.ts';
import type { MemberNames } from './member-names.ts';
import { once } from './once.ts';
import { jsonPatch, mergePatch, PatchFault } from './patch.ts';
import { mapMembers, replaceAtPlace, type SchemaReader, valueAtPlace } from './read-schemas.ts';
import type { IdOf, Resource } from './resource.ts';
import type { FillMember, ShowValue } from './show-value.ts';
import { plainName, readIds } from './template.ts';

/** Levels of objects in which read-only members are left out. */
const deepestReadOnly = 6;

export type ItemBuilder = ReturnType<typeof createItemBuilder>;

/** Builds the stored value of an item from what a client sent, and from what only the service knows. */
export function createItemBuilder(reader: SchemaReader, show: ShowValue, { draftedOf }: MemberNames) {
  const membersOfAll = once((nodes: readonly SchemaNode[]): ReadonlyMap<string, SchemaNode> => {
    const found = new Map<string, SchemaNode>();
    for (const node of nodes)
      for (const [name, member] of reader.membersOf(node)) if (!found.has(name)) found.set(name, member);
    return found;
  });

  const { timeFor, isTime, makeMember, fillWith } = createMemberMaker(reader, show);

  /** A member of a request is read-only if its schema in requests has the mark, whatever that of answers has. */
  const readOnlyNames = once((resource: Resource): ReadonlySet<string> => {
    const { views } = resource;
    const names = new Set([...membersOfAll(views).keys(), ...draftedOf(resource).keys()]);
    const isReadOnly = (name: string): boolean => {
      const drafted = draftedOf(resource).get(name);
      if (drafted !== undefined) return drafted.every(reader.isReadOnly);
      return views.flatMap((node) => reader.membersOf(node).get(name) ?? []).some(reader.isReadOnly);
    };
    return new Set([...names].filter(isReadOnly));
  });

  const readOnlyIn = once((node: SchemaNode): ReadonlySet<string> => {
    const members = [...reader.membersOf(node)].filter(([, member]) => reader.isReadOnly(member));
    return new Set(members.map(([name]) => name));
  });

  /** A value without the members that only the service sets, at any depth. */
  const withoutReadOnly = (value: unknown, node: SchemaNode | undefined, depth: number): unknown => {
    if (node === undefined || depth > deepestReadOnly || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const item = reader.itemOf(node);
      return value.map((one) => withoutReadOnly(one, item, depth + 1));
    }
    const members = reader.membersOf(node);
    const readOnly = readOnlyIn(node);
    return mapMembers(value as JsonObject, (name, one) =>
      readOnly.has(name) ? undefined : withoutReadOnly(one, members.get(name), depth + 1),
    );
  };

  /** The members of an item that a client can set. */
  const settable = (resource: Resource, sent: JsonObject): JsonObject => {
    const readOnly = readOnlyNames(resource);
    const drafted = draftedOf(resource);
    const views = membersOfAll(resource.views);
    return mapMembers(sent, (name, value) =>
      readOnly.has(name) ? undefined : withoutReadOnly(value, drafted.get(name)?.[0] ?? views.get(name), 0),
    );
  };

  /**
   * Adds what the answers of the resource require, so that every later answer shows the same values. What another item has is left out:
   * it may change.
   */
  const complete = (resource: Resource, value: JsonObject, facts: ItemFacts): JsonObject => {
    let whole = value;
    const others = new Set<unknown>();
    const fill: FillMember = (name, node, around, isRequired) => {
      let isOther = false;
      const find: ItemFacts['find'] = (noun, id) => {
        const found = facts.find(noun, id);
        isOther ||= found !== undefined;
        return found;
      };
      const made = fillWith({ ...facts, find })(name, node, around, isRequired);
      if (isOther) others.add(made);
      return made;
    };
    for (const view of resource.views) {
      // A valid value lacks nothing.
      if (reader.accepts(whole, view)) continue;
      const shown = show(whole, view, fill);
      if (!isObject(shown)) continue;
      const members = reader.membersOf(view);
      const isLost = (name: string): boolean => {
        const member = members.get(name);
        return Object.hasOwn(whole, name) && member !== undefined && !reader.accepts(whole[name], member);
      };
      const added = Object.entries(shown).filter(
        ([name, own]) => own !== whole[name] && !others.has(own) && (!Object.hasOwn(whole, name) || isLost(name)),
      );
      if (added.length > 0) whole = { ...whole, ...Object.fromEntries(added) };
    }
    return whole;
  };

  /** The default of a member in the bodies that create the item, else in its answers. */
  const defaultFor = (resource: Resource, name: string, member: SchemaNode): unknown => {
    const drafted = draftedOf(resource).get(name) ?? [];
    return [...drafted, member].map(reader.defaultOf).find((value) => value !== undefined);
  };

  /** Members of answers, with the facts about them that depend on the contract alone. */
  const shownMembers = once((resource: Resource) => {
    const drafted = draftedOf(resource);
    const isShared = drafted.size === 0;
    const shown = [...membersOfAll(resource.views)].filter(([, member]) => !reader.isWriteOnly(member));
    return shown.map(([name, member]) => {
      const isOwn = reader.isReadOnly(member) || !drafted.has(name);
      const isUsual = usualMembers.some((names) => names.test(plainName(name)));
      const isKnown = isTime(name, member) || (isOwn && !isShared && isUsual);
      const wish = defaultFor(resource, name, member);
      return {
        name,
        member,
        isOwn,
        isKnown,
        wish: wish !== undefined && reader.accepts(wish, member) ? wish : undefined,
      };
    });
  });

  /** Members that only the service sets: `readOnly`, or in answers alone. */
  const addOwn = (resource: Resource, value: JsonObject, facts: ItemFacts): JsonObject => {
    const added: Record<string, unknown> = {};
    const { donor } = facts;
    for (const { name, member, isOwn, isKnown, wish } of shownMembers(resource)) {
      if (Object.hasOwn(value, name)) continue;
      const isMade = (): boolean =>
        isKnown || (isOwn && Object.hasOwn(donor, name) && reader.accepts(donor[name], member));
      const made = wish === undefined && isMade() ? makeMember(name, member, value, facts) : wish;
      if (made !== undefined && made !== null && reader.accepts(made, member)) added[name] = made;
    }
    return { ...value, ...added };
  };

  /** Members by which some answers name the item: a list shows `petId` where the item has `id`. */
  const otherIds = once(({ idPlace = [], idParameter, noun, views }: Resource): ReadonlyMap<string, SchemaNode> => {
    const [own = ''] = idPlace;
    const usual = new Set([
      plainName(idParameter ?? ''),
      'id',
      'uuid',
      `${noun}id`,
      `${noun}uuid`,
      noun + plainName(own),
    ]);
    const [whole, others] = [true, false].map((has) => views.filter((view) => reader.membersOf(view).has(own) === has));
    const known = membersOfAll(whole ?? []);
    const found = [...membersOfAll(idPlace.length === 1 ? (others ?? []) : [])];
    return new Map(found.filter(([name]) => usual.has(plainName(name)) && !known.has(name)));
  });

  /** A new item that is found by its `number` needs an `id` too that no other has. */
  const withId = ({ views, idPlace }: Resource, value: JsonObject, id: IdOf | undefined): JsonObject => {
    const node = membersOfAll(views).get('id');
    if (id === undefined || node === undefined || idPlace?.[0] === 'id' || Object.hasOwn(value, 'id')) return value;
    const own = readIds(id.value).find((one) => reader.accepts(one, node));
    return own === undefined ? value : { ...value, id: own };
  };

  const placeFacts = (resource: Resource, value: JsonObject, facts: ItemFacts, id: IdOf | undefined): JsonObject => {
    let placed: unknown = value;
    for (const [name, node] of id === undefined ? [] : otherIds(resource)) {
      const own = readIds(id?.value ?? '').find((one) => reader.accepts(one, node));
      if (own !== undefined) placed = replaceAtPlace(placed, [name], own);
    }
    for (const { place, value: owner } of facts.owners) placed = replaceAtPlace(placed, place, owner);
    if (id !== undefined) placed = replaceAtPlace(placed, id.place, id.value);
    return isObject(placed) ? placed : value;
  };

  return {
    fillWith,
    /** @returns undefined if the schema accepts no spelling of the time */
    time: (node: SchemaNode, now: number): unknown => timeFor(node, now, reader.form.branch(node).examples[0]),
    /** @param sent the members of the request body */
    create: (resource: Resource, sent: JsonObject, id: IdOf | undefined, facts: ItemFacts): JsonObject => {
      const own = settable(resource, sent);
      const started = facts.start.reduce<unknown>(
        (whole, { place, value }) => replaceAtPlace(whole, place, value),
        own,
      );
      const placed = placeFacts(resource, withId(resource, isObject(started) ? started : own, id), facts, id);
      return complete(resource, addOwn(resource, placed, facts), facts);
    },
    /** An item of the contract's examples. */
    adopt: (resource: Resource, example: JsonObject, id: IdOf | undefined, facts: ItemFacts): JsonObject =>
      complete(resource, placeFacts(resource, example, facts, id), { ...facts, donor: example }),
    /** @param body schema of the request: members that it does not declare are kept */
    replace: (
      resource: Resource,
      before: JsonObject,
      sent: JsonObject,
      facts: ItemFacts,
      body: SchemaNode | undefined,
    ): JsonObject => {
      const readOnly = readOnlyNames(resource);
      const drafted = draftedOf(body === undefined ? resource : { ...resource, drafts: [body] });
      const isKept = (name: string): boolean => {
        const [member] = drafted.get(name) ?? [];
        return readOnly.has(name) || member === undefined || reader.isWriteOnly(member) || isTime(name, member);
      };
      const kept = Object.entries(before).filter(([name]) => isKept(name));
      const given = Object.entries(settable(resource, sent));
      const defaults = [...drafted].flatMap(([name, [member]]) => {
        if (member === undefined) return [];
        const value = defaultFor(resource, name, member);
        return value === undefined || !reader.accepts(value, member) ? [] : [[name, value] as const];
      });
      const whole = Object.fromEntries([...defaults, ...kept, ...given]);
      return finish(resource, before, whole, facts);
    },
    /** @param isDeep whether objects in it are changed member by member, as RFC 7396 demands; otherwise they replace those of the item */
    merge: (resource: Resource, before: JsonObject, sent: JsonObject, facts: ItemFacts, isDeep = false): JsonObject => {
      const members = membersOfAll(resource.views);
      const own: Record<string, unknown> = {};
      const nulls: Record<string, null> = {};
      for (const [name, value] of Object.entries(settable(resource, sent))) {
        const member = members.get(name);
        const isNullable = value === null && member !== undefined && reader.accepts(null, member);
        if (isNullable) nulls[name] = null;
        // A required member cannot be removed.
        else if (
          value !== null ||
          member === undefined ||
          !resource.views.some((view) => reader.isRequired(view, name))
        )
          own[name] = value;
      }
      const removed = Object.entries(own).filter(([, value]) => value === null);
      const merged = isDeep ? mergePatch(before, own) : { ...before, ...own };
      const whole: Record<string, unknown> = { ...(isObject(merged) ? merged : before), ...nulls };
      for (const [name] of removed) delete whole[name];
      return finish(resource, before, whole, facts);
    },
    /** @throws PatchFault if a step cannot be applied, or gives a member a value that its schema does not allow */
    patch: (resource: Resource, before: JsonObject, steps: readonly unknown[], facts: ItemFacts): JsonObject => {
      const patched = jsonPatch(before, steps);
      const whole: Record<string, unknown> = { ...(isObject(patched) ? patched : before) };
      for (const name of readOnlyNames(resource)) {
        if (Object.hasOwn(before, name)) whole[name] = before[name];
        else delete whole[name];
      }
      for (const [name, member] of membersOfAll(resource.views)) {
        if (Object.hasOwn(whole, name) && !isSame(whole[name], before[name]) && !reader.accepts(whole[name], member))
          throw new PatchFault(`its schema does not allow this value of ${name}`);
        const isNeeded = resource.views.some((view) => reader.isRequired(view, name));
        if (isNeeded && Object.hasOwn(before, name) && !Object.hasOwn(whole, name))
          throw new PatchFault(`${name} is required`);
      }
      return finish(resource, before, whole, facts);
    },
    /** Any new value of an item. */
    change: finish,
  };

  /** The members that an owner or the id decides do not change; times and versions do. */
  function finish(resource: Resource, before: JsonObject, whole: JsonObject, facts: ItemFacts): JsonObject {
    const id = resource.idPlace === undefined ? undefined : valueAtPlace(before, resource.idPlace);
    const isId = typeof id === 'string' || typeof id === 'number';
    const ids = resource.idPlace === undefined || !isId ? undefined : { place: resource.idPlace, value: id };
    const placed = placeFacts(resource, whole, { ...facts, owners: [] }, ids);
    const isChanged = !isSame(before, placed);
    const own: Record<string, unknown> = {};
    for (const [name, member] of membersOfAll(resource.views)) {
      const plain = plainName(name);
      const value = placed[name];
      const isSent = !isSame(value, before[name]);
      if (changed.test(plain) && isTime(name, member) && !isSent && isChanged) {
        const time = timeFor(member, facts.now, before[name]);
        if (time !== undefined) own[name] = time;
      }
      if (
        versions.test(plain) &&
        typeof value === 'number' &&
        !isSent &&
        isChanged &&
        reader.accepts(value + 1, member)
      )
        own[name] = value + 1;
    }
    return complete(resource, { ...placed, ...own }, { ...facts, donor: before });
  }
}
