import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { SchemaNode } from '@lockstep/values/shape';
import { actOn } from './act-on-item.ts';
import { createItemBuilder, type ItemBuilder } from './build-item.ts';
import { type ContractTools, sentType } from './contract-tools.ts';
import { createItemCreator, full, newItem } from './create-item.ts';
import { createConditions, stateHeaders } from './entity-tags.ts';
import { isUpdate, type Model, type Plan, pathValues } from './infer-roles.ts';
import { type ListShape, readListShape, readOrder, selectItems } from './list-shape.ts';
import { createMemberNames } from './member-names.ts';
import type { ItemMemory } from './memory.ts';
import { belowTest, scopeOf } from './owners.ts';
import { PatchFault } from './patch.ts';
import { replaceAtPlace, type SchemaReader, vagueNames, valueAtPlace } from './read-schemas.ts';
import { answerOnce } from './replies.ts';
import type { StateAnswer, StateRequest } from './request.ts';
import type { Resource } from './resource.ts';
import { type Call, createResponder } from './respond.ts';
import { createShowPage, cutPage, listingOf } from './show-page.ts';
import { createShowValue } from './show-value.ts';
import type { StoredItem } from './store.ts';
import { plainName, readIds } from './template.ts';

export const unknownItem = [404, 410, 400, 422] as const;
const unusable = [400, 422, 409] as const;

type Answers = Readonly<Record<Plan['role'], (call: Call) => StateAnswer | undefined>>;

/** Creates the answers of the operations by their roles. */
export function createAnswers(
  tools: ContractTools,
  reader: SchemaReader,
  model: Model,
): {
  readonly builder: ItemBuilder;
  readonly answer: (plan: Plan, request: StateRequest, memory: ItemMemory) => StateAnswer | undefined;
} {
  const show = createShowValue(reader);
  const names = createMemberNames(reader);
  const builder = createItemBuilder(reader, show, names);
  const showPage = createShowPage(reader);
  const responder = createResponder(tools, reader, model, show, builder);
  const { baseFor, showItem, respond, respondWithMany, responseWith } = responder;
  const { createdResponse, changedResponse, deletedResponse } = responder;
  const { createOne, findTwin } = createItemCreator({ reader, builder, responder });
  const listShapes = new Map<Plan, ListShape>();
  const plans = [...model.plans.values()];
  const rejectOutdated = createConditions(plans, responseWith);
  /** Whether a `version` in a query is that of the API: reads have it too. */
  const isOfApi = tools.operations.some(
    ({ method, parameters }) =>
      method === 'get' && parameters.some((one) => one.in === 'query' && one.name === 'version'),
  );

  const roles: Answers = {
    list: (call) => {
      const { plan, request, memory, owners } = call;
      const { list, entry, answer, success, content, address } = plan;
      if (
        list === undefined ||
        entry === undefined ||
        answer === undefined ||
        success === undefined ||
        content === undefined
      )
        return undefined;
      const shape = shapeOf(plan);
      const members = reader.membersOf(entry.node);
      const filters = shape.filters.filter(({ parameter }) => request.query[parameter] !== undefined);
      const order = shape.sort === undefined ? undefined : readOrder(shape.sort, request.query, members);
      const whole = filters.length === 0 && order === undefined ? memory.listing(address, owners) : undefined;
      const all =
        whole ?? listingOf(selectItems(memory.list(address, owners, plan.parents), request.query, filters, order));
      const cut = cutPage(shape, request.query, all, responseWith(plan, unusable) !== undefined);
      if (cut === undefined)
        return { kind: 'rejected', statuses: unusable, text: 'the cursor is of no page of this list' };
      const isOfItems = reader.isObjectNode(entry.node);
      const idOf = ({ key }: StoredItem): unknown => readIds(key).find((id) => reader.accepts(id, entry.node));
      const shown = cut.items.map((item) => (isOfItems ? showItem(item, entry.node, memory, plan) : idOf(item)));
      if (shown.includes(undefined)) return undefined;
      const around = entry.place.length === 0 ? undefined : baseFor(reader.itemOf(list.node), []);
      const items = shown.map((item) => replaceAtPlace(around, entry.place, item));
      const page = { page: cut.page, shape, target: request };
      const body = showPage.body(answer, list, baseFor(answer, content.examples), items, page);
      if (!reader.accepts(body, answer)) return undefined;
      return {
        kind: 'answer',
        status: success.status,
        headers: { ...stateHeaders(success, body), ...showPage.headers(success, page) },
        mediaType: sentType(content),
        body,
      };
    },

    create: (call) => {
      const { plan, request } = call;
      const several =
        plan.many === undefined ? request.body : (valueAtPlace(request.body, plan.many.place) ?? request.body);
      if (Array.isArray(several)) {
        const drafts = several.map((one) => draftNamed(plan, one));
        if (!drafts.every(isObject)) return undefined;
        const made = call.memory.attempt(() => createAll(call, drafts), Array.isArray);
        return made === undefined || 'kind' in made ? made : respondWithMany(call, made);
      }
      const sent = { ...queryMembers(plan, request), ...draftOf(plan, request.body) };
      const made = createOne(call, sent);
      if (made === undefined || 'kind' in made) return made;
      if (plan.answer !== undefined && reader.isOnly(plan.answer, 'array')) return respondWithMany(call, [made]);
      return respond(call, createdResponse(plan), made);
    },

    read: (call) => {
      const item = findItem(call);
      if ('kind' in item) return item;
      return call.plan.isListed ? respondWithMany(call, [item]) : respond(call, call.plan.success, item);
    },

    replace: (call) => {
      const { plan, request, memory, owners } = call;
      const { resource } = plan.address;
      if (request.body !== undefined && !isObject(request.body)) return undefined;
      const sent = draftOf(plan, request.body);
      const key = keyFor(call, sent);
      if (key === undefined) return { kind: 'rejected', statuses: unknownItem, text: 'the body has no id' };
      const scope = scopeOf(plan.address, owners);
      const missing = memory.findMissingOwner(plan.address, owners);
      if (missing === undefined && memory.find(resource, scope, key) === undefined && mayPut(plan)) {
        const outdated = rejectOutdated(call, undefined);
        if (outdated !== undefined) return outdated;
        const made = createOne(call, sent, key);
        if (made === undefined || 'kind' in made) return made;
        return respond(call, responseWith(plan, [201]) ?? plan.success, made);
      }
      return change(call, ({ value }, facts) =>
        request.body === undefined ? value : builder.replace(resource, value, sent, facts, plan.draft?.node),
      );
    },

    merge: (call) => {
      const { plan, request } = call;
      const { resource } = plan.address;
      const { body, mediaType = '' } = request;
      // A list that is sent to a collection has changes of several items.
      if (Array.isArray(body) && plan.key !== undefined && body.every(isStep))
        return change(call, ({ value }, facts) => builder.patch(resource, value, body, facts));
      if (body !== undefined && !isObject(body)) return undefined;
      const sent = { ...queryMembers(plan, request), ...draftOf(plan, body) };
      const isDeep = /merge-patch/.test(mediaType);
      const named = newNameIn(plan, sent);
      return change(call, ({ value }, facts) => builder.merge(resource, value, sent, facts, isDeep), named);
    },

    delete: (call) => {
      const { plan, memory, owners, request } = call;
      const { address } = plan;
      const { resource } = address;
      const key = keyFor(call, isObject(request.body) ? draftOf(plan, request.body) : request.query);
      if (key !== undefined || plan.key !== undefined) {
        const item = findItem(call);
        if ('kind' in item) return item;
        const outdated = rejectOutdated(call, item);
        if (outdated !== undefined) return outdated;
        const answer = respond(call, deletedResponse(plan), item);
        memory.remove(resource, [item]);
        return answer;
      }
      const missing = memory.findMissingOwner(address, owners);
      if (missing !== undefined) return { kind: 'rejected', statuses: unknownItem, text: missing };
      const shape = shapeOf(plan);
      const filters = shape.filters.filter(({ parameter }) => request.query[parameter] !== undefined);
      const all = memory.list(address, owners, plan.parents);
      memory.remove(resource, selectItems(all, request.query, filters));
      return respondWithMany(call, []);
    },

    action: (call) => {
      const { plan, request } = call;
      const { resource } = plan.address;
      return change(call, ({ value }, facts) => {
        const timeFor = (node: SchemaNode): unknown => builder.time(node, facts.now);
        const isUndone = plan.operation.method === 'delete';
        const set = actOn(reader, resource.views, plan.action ?? '', { isUndone, timeFor });
        const sent = isObject(request.body) ? membersAmong(resource, request.body) : {};
        return builder.change(resource, value, { ...value, ...sent, ...set }, facts);
      });
    },

    'singleton-read': (call) => {
      const item = findItem(call);
      return 'kind' in item ? item : respond(call, call.plan.success, item);
    },

    'singleton-write': (call) => {
      const { plan, request, memory, owners } = call;
      const { resource } = plan.address;
      const { method } = plan.operation;
      if (method === 'delete') return roles.delete(call);
      if (request.body !== undefined && !isObject(request.body)) return undefined;
      const sent = draftOf(plan, request.body);
      if (method !== 'patch' && memory.isGone(resource, owners, '')) {
        const missing = memory.findMissingOwner(plan.address, owners);
        if (missing !== undefined) return { kind: 'rejected', statuses: unknownItem, text: missing };
        const value = builder.create(resource, sent, undefined, memory.factsFor(resource));
        const item = newItem('', owners, value, memory.now());
        if (!memory.put(resource, item)) return full(memory);
        return respond(call, plan.success, item);
      }
      return method === 'put'
        ? change(call, ({ value }, facts) => builder.replace(resource, value, sent, facts, plan.draft?.node))
        : change(call, ({ value }, facts) => builder.merge(resource, value, sent, facts));
    },
  };

  return {
    builder,
    answer: (plan, request, memory) =>
      memory.change(() =>
        answerOnce(plan, request, { replies: memory.replies, now: memory.now() }, () => {
          const owners = pathValues(request.path, plan.parents);
          if (plan.role === 'list' || plan.role === 'create') {
            const missing = memory.findMissingOwner(plan.address, owners);
            if (missing !== undefined) return { kind: 'rejected', statuses: unknownItem, text: missing };
          }
          return roles[plan.role]({ plan, request, memory, owners });
        }),
      ),
  };

  /** @returns the first rejection, if there is one */
  function createAll(
    call: Call,
    drafts: readonly JsonObject[],
  ): readonly StoredItem[] | Exclude<StateAnswer, { kind: 'answer' }> | undefined {
    const items: StoredItem[] = [];
    for (const draft of drafts) {
      const made = createOne(call, names.align(call.plan.address.resource, draft));
      if (made === undefined || 'kind' in made) return made;
      items.push(made);
    }
    return items;
  }

  /**
   * PUT creates where it is documented, or where nothing else creates, no 404 is documented, and it is neither called nor described as an
   * update.
   */
  function mayPut(plan: Plan): boolean {
    if (plan.isCreatedByPut) return true;
    if (isUpdate(tools, plan.operation)) return false;
    const hasOther = plans.some(({ address, role }) => address.resource === plan.address.resource && role === 'create');
    return !hasOther && !tools.responsesOf(plan.operation).some(({ status }) => status === 404);
  }

  function keyFor({ plan, request }: Call, sent: JsonObject): string | undefined {
    if (plan.key !== undefined) return String(request.path[plan.key]);
    const { idPlace, kind } = plan.address.resource;
    if (kind === 'singleton') return '';
    const value = idPlace === undefined ? undefined : valueAtPlace(sent, idPlace);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  }

  function findItem(call: Call): StoredItem | Exclude<StateAnswer, { kind: 'answer' }> {
    const { plan, request, memory, owners } = call;
    const { address } = plan;
    const { resource } = address;
    const missing = memory.findMissingOwner(address, owners);
    if (missing !== undefined) return { kind: 'rejected', statuses: unknownItem, text: missing };
    const given = isObject(request.body) ? draftOf(plan, request.body) : request.query;
    const key = keyFor(call, given);
    if (key === undefined) return { kind: 'rejected', statuses: unknownItem, text: 'the request has no id' };
    const item = memory.find(resource, scopeOf(address, owners), key);
    const isHere =
      item !== undefined && (resource.kind === 'singleton' || belowTest(reader, address, owners, plan.parents)(item));
    const text =
      resource.kind === 'singleton' ? `there is no ${resource.noun}` : `no ${resource.noun} has the id ${key}`;
    return isHere ? item : { kind: 'rejected', statuses: unknownItem, text };
  }

  /** Changes an item, and answers with the new one. */
  function change(
    call: Call,
    make: (item: StoredItem, facts: Parameters<ItemBuilder['merge']>[3]) => JsonObject,
    named?: string,
  ): StateAnswer | undefined {
    const { plan, memory, owners } = call;
    const { resource } = plan.address;
    const item = findItem(call);
    if ('kind' in item) return item;
    const outdated = rejectOutdated(call, item);
    if (outdated !== undefined) return outdated;
    let value: JsonObject;
    try {
      value = make(item, memory.factsFor(resource));
    } catch (error) {
      if (error instanceof PatchFault) return { kind: 'rejected', statuses: [409, 422, 400], text: error.message };
      throw error;
    }
    const changed = { ...item, value, isExample: false, version: item.version + 1, changedAt: memory.now() };
    const twin = findTwin(call, value, item);
    if (twin !== undefined) return twin;
    if (named === undefined || named === item.key) {
      if (!memory.put(resource, changed)) return full(memory);
      return respond(call, changedResponse(plan), changed);
    }
    if (memory.isUsed(resource, scopeOf(plan.address, owners), named))
      return { kind: 'rejected', statuses: [409, 422, 400], text: `a ${resource.noun} has the id ${named} already` };
    const whole = replaceAtPlace(value, resource.idPlace ?? [], named);
    const next = { ...changed, key: named, value: isObject(whole) ? whole : value };
    if (!memory.rename(resource, item, next)) return full(memory);
    return respond(call, changedResponse(plan), next);
  }

  /** A PATCH of an item at `/roles/{name}` may change `name`. A member such as `id` changes only if a PATCH can send nothing else. */
  function newNameIn({ draft, operation, address: { resource } }: Plan, sent: JsonObject): string | undefined {
    const [name = '', ...inner] = resource.idPlace ?? [];
    const value = sent[name];
    const members = draft && reader.membersOf(draft.node);
    const member = members?.get(name);
    const isMeant = vagueNames.has(plainName(name)) || members?.size === 1;
    const isName = operation.method === 'patch' && inner.length === 0 && isMeant;
    if (!isName || typeof value !== 'string' || value === '' || member === undefined || reader.isReadOnly(member))
      return undefined;
    return resource.idNodes.every((node) => reader.accepts(value, node)) ? value : undefined;
  }

  /** A draft in a list of them. A text is the id: the name of a label. */
  function draftNamed({ address: { resource } }: Plan, draft: unknown): unknown {
    const isId = typeof draft === 'string' || typeof draft === 'number';
    return isId && resource.idPlace !== undefined ? replaceAtPlace({}, resource.idPlace, draft) : draft;
  }

  function draftOf({ draft, within, address: { resource } }: Plan, body: unknown): JsonObject {
    if (within !== undefined) return { [within]: body };
    const inner = valueAtPlace(body, draft?.place ?? []);
    return names.align(resource, isObject(inner) ? inner : isObject(body) ? body : {});
  }

  /** Query parameters of a request without a body that are members of the item: `POST /pet/{petId}?name=Rex`. */
  function queryMembers(plan: Plan, { query }: StateRequest): JsonObject {
    const { version: _, ...others } = query;
    const sent = isOfApi ? others : query;
    return plan.operation.requestBody === null ? membersAmong(plan.address.resource, sent) : {};
  }

  function membersAmong(resource: Resource, values: JsonObject): JsonObject {
    const members = new Map(resource.views.flatMap((view) => [...reader.membersOf(view)]));
    const known = Object.entries(names.align(resource, values)).filter(([name, value]) => {
      const member = members.get(name);
      return member !== undefined && !reader.isReadOnly(member) && reader.accepts(value, member);
    });
    return Object.fromEntries(known);
  }

  function shapeOf(plan: Plan): ListShape {
    const known = listShapes.get(plan);
    if (known !== undefined) return known;
    const { entry, address, operation } = plan;
    const members =
      entry === undefined
        ? new Map(address.resource.views.flatMap((view) => [...reader.membersOf(view)]))
        : reader.membersOf(entry.node);
    const shape = readListShape(reader, operation, members);
    listShapes.set(plan, shape);
    return shape;
  }
}

/** RFC 6902, 4. Contracts declare it as `application/json` too. */
function isStep(step: unknown): boolean {
  return isObject(step) && typeof step.op === 'string' && typeof step.path === 'string';
}
