import { isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { SchemaNode } from '@lockstep/values/shape';
import type { ItemBuilder } from './build-item.ts';
import {
  type ContractTools,
  jsonContentOf,
  type ResponseContent,
  type StateResponse,
  sentType,
} from './contract-tools.ts';
import { stateHeaders } from './entity-tags.ts';
import type { Model, Plan } from './infer-roles.ts';
import type { ItemMemory } from './memory.ts';
import { once } from './once.ts';
import { mapMembers, type Part, replaceAtPlace, reports, type SchemaReader, valueAtPlace } from './read-schemas.ts';
import type { StateAnswer, StateRequest } from './request.ts';
import { idNames, type Resource } from './resource.ts';
import type { ShowValue } from './show-value.ts';
import type { StoredItem } from './store.ts';
import { nameTemplate, plainName, readIds, readTemplate } from './template.ts';

/** A request of one operation. */
export interface Call {
  readonly plan: Plan;
  readonly request: StateRequest;
  readonly memory: ItemMemory;
  /** Ids of the owners. */
  readonly owners: readonly string[];
}

export type Responder = ReturnType<typeof createResponder>;

/** An item as a schema shows it. */
interface Shown {
  readonly value: unknown;
  /** Number of changes of the memory at that time; undefined if the value depends on no other item. */
  readonly change: number | undefined;
}

/** The body of an answer at a number of changes of the memory. */
interface Body {
  readonly response: StateResponse;
  readonly body: unknown;
  readonly change: number;
}

/** Writes the documented answers about items. */
export function createResponder(
  tools: ContractTools,
  reader: SchemaReader,
  model: Model,
  show: ShowValue,
  builder: ItemBuilder,
) {
  const bases = new Map<SchemaNode, unknown>();
  const shownItems = new WeakMap<StoredItem, Map<SchemaNode, Shown>>();
  /** The latest answer about an item: it stays the same until an item changes, and is asked for again and again. */
  const bodies = new WeakMap<StoredItem, Body>();
  const parts = new WeakMap<Plan, { readonly node: SchemaNode; readonly part: Part | undefined }>();
  const contentOf = once((response: StateResponse) => jsonContentOf(response));
  const itemPathOf = once(({ name }: Resource): { readonly path: string | undefined } => {
    const paths = [...model.plans.values()].map(({ operation }) => operation.basePath + operation.path);
    return { path: paths.find((path) => nameTemplate(readTemplate(path).segments) === `${name}/{}`) };
  });

  return {
    baseFor,
    showItem,
    respond,
    respondWithMany,
    responseWith,
    createdResponse,
    changedResponse,
    deletedResponse,
    pathOf,
  };

  function responseWith({ operation }: Plan, statuses: readonly number[]): StateResponse | undefined {
    return tools.responsesOf(operation).find(({ status }) => statuses.includes(status));
  }

  /** The answer to a POST: 201, but for one without content next to a success with the item. Some tools add it to every POST. */
  function createdResponse(plan: Plan): StateResponse | undefined {
    const created = responseWith(plan, [201]);
    const hasLocation = Object.keys(created?.headers ?? {}).some((name) => name.toLowerCase() === 'location');
    const isBare = created?.contents.length === 0 && !hasLocation && plan.item !== undefined;
    return created === undefined || isBare ? plan.success : created;
  }

  /** A success that creates nothing. */
  function changedResponse(plan: Plan): StateResponse | undefined {
    const good = tools.responsesOf(plan.operation).filter(({ status }) => status < 300);
    return good.find(({ status }) => status !== 201) ?? good[0];
  }

  function deletedResponse(plan: Plan): StateResponse | undefined {
    return responseWith(plan, [204]) ?? changedResponse(plan);
  }

  /** A valid body with the members of the example, or made by the schema. */
  function baseFor(node: SchemaNode, examples: readonly unknown[]): unknown {
    if (bases.has(node)) return bases.get(node);
    // A schema without a type accepts the text of an object.
    const isWhole = (example: unknown): boolean => typeof example !== 'string' || reader.membersOf(node).size === 0;
    const fitting = examples.find((example) => isWhole(example) && reader.accepts(example, node));
    const base = fitting ?? withoutReports(reader.make(node), node);
    bases.set(node, base);
    return base;
  }

  /** A made body may have errors and warnings, which a success does not have. */
  function withoutReports(made: unknown, node: SchemaNode): unknown {
    if (!isObject(made)) return made;
    const bare = [[], undefined].map((none) =>
      mapMembers(made, (name, value) => (reports.has(plainName(name)) && Array.isArray(value) ? none : value)),
    );
    return bare.find((one) => reader.accepts(one, node)) ?? made;
  }

  /** An item is shown the same way until it changes, or an item that it refers to. */
  function showItem(
    item: StoredItem,
    node: SchemaNode,
    memory: ItemMemory,
    { role, address: { resource } }: Plan,
    donor?: JsonObject,
  ): unknown {
    const known = shownItems.get(item) ?? new Map<SchemaNode, Shown>();
    // Most created items are never read: an entry for each costs more than it saves.
    if (role !== 'create') shownItems.set(item, known);
    const before = known.get(node);
    if (before !== undefined && (before.change === undefined || before.change === memory.changes()))
      return before.value;
    const facts = memory.factsFor(resource, {
      ...(donor && { donor }),
      path: pathOf(resource, item.parents, item.key),
    });
    let isAlone = true;
    const find: typeof facts.find = (noun, id) => {
      isAlone = false;
      return facts.find(noun, id);
    };
    const value = show(item.value, node, builder.fillWith({ ...facts, find }));
    known.set(node, { value, change: isAlone ? undefined : memory.changes() });
    return value;
  }

  /** @returns undefined if no valid answer shows the item */
  function respond(call: Call, response: StateResponse | undefined, item: StoredItem): StateAnswer | undefined {
    const { plan, memory } = call;
    if (response === undefined) return undefined;
    const { status } = response;
    const headers = locationFor(plan, item, response);
    const content = contentOf(response);
    if (content === undefined || plan.operation.method === 'head')
      return response.contents.length === 0 || plan.operation.method === 'head'
        ? { kind: 'answer', status, headers: { ...headers, ...stateHeaders(response, undefined, item) } }
        : undefined;
    const change = memory.changes();
    const known = bodies.get(item);
    const isSame = known?.response === response && known.change === change;
    const body = isSame ? known.body : bodyFor(plan, content, item, memory);
    if (plan.role !== 'create') bodies.set(item, { response, body, change });
    return body === undefined
      ? undefined
      : {
          kind: 'answer',
          status,
          headers: { ...headers, ...stateHeaders(response, body, item) },
          mediaType: sentType(content),
          body,
        };
  }

  /** @returns undefined if no valid body shows the item */
  function bodyFor(plan: Plan, content: ResponseContent, item: StoredItem, memory: ItemMemory): unknown {
    const node = reader.nodeOf(content.schema);
    if (plan.role === 'create' && plan.address.resource.hasItemPath && isOfId(plan, content, node)) {
      const id = readIds(item.key).find((one) => reader.accepts(one, node));
      if (id !== undefined) return id;
    }
    const part = partOf(plan, node);
    if (part === undefined) return undefined;
    const base = baseFor(node, content.examples);
    const example = valueAtPlace(base, part.place);
    const isOwnView = plan.address.resource.views.includes(part.node);
    const shown = showItem(item, part.node, memory, plan, isOwnView || !isObject(example) ? undefined : example);
    const body = shown === undefined ? undefined : replaceAtPlace(base, part.place, shown);
    return body !== undefined && reader.accepts(body, node) ? body : undefined;
  }

  /** Whether the answer to a create is the id: a text or a number whose examples are ids, and no sentence such as "Item was created". */
  function isOfId({ address }: Plan, { examples }: ResponseContent, node: SchemaNode): boolean {
    if (!reader.isOnly(node, 'string') && !reader.isOnly(node, 'number')) return false;
    const isId = (value: unknown): boolean =>
      !/\s/.test(String(value)) &&
      address.resource.idNodes.every((own) => readIds(String(value)).some((one) => reader.accepts(one, own)));
    return [...examples, ...reader.form.branch(node).examples].every(isId);
  }

  /** The item in an answer. The answer of an action or a delete may be about something else. */
  function partOf(plan: Plan, node: SchemaNode): Part | undefined {
    const known = parts.get(plan);
    if (known?.node === node) return known.part;
    const part = findPart(plan, node);
    parts.set(plan, { node, part });
    return part;
  }

  function findPart(plan: Plan, node: SchemaNode): Part | undefined {
    const { resource } = plan.address;
    const keys = resource.kind === 'singleton' ? [] : idNames(resource.idParameter, resource.noun);
    const part = reader.findItem(node, resource.noun, keys);
    const hasNone = part !== undefined && reader.membersOf(part.node).size === 0 && !resource.views.includes(part.node);
    if (part === undefined || hasNone) return undefined;
    return plan.role !== 'action' || reader.isAmong(part.node, resource.views) ? part : undefined;
  }

  function respondWithMany(call: Call, items: readonly StoredItem[]): StateAnswer | undefined {
    const { plan, memory } = call;
    const { success, content, answer } = plan;
    if (success === undefined) return undefined;
    if (content === undefined || answer === undefined)
      return success.contents.length === 0 ? { kind: 'answer', status: success.status, headers: {} } : undefined;
    const list = reader.findList(answer, plan.address.resource.noun);
    const [first] = items;
    if (list === undefined) return first === undefined ? undefined : respond(call, success, first);
    const node = reader.itemOf(list.node);
    const shown = items.map((item) => showItem(item, node, memory, plan));
    const body = replaceAtPlace(baseFor(answer, content.examples), list.place, shown);
    if (!reader.accepts(body, answer)) return undefined;
    const headers = stateHeaders(success, body, plan.isListed ? first : undefined);
    return { kind: 'answer', status: success.status, headers, mediaType: sentType(content), body };
  }

  /** The address of an item by its own path, without the origin. */
  function pathOf(resource: Resource, scope: readonly string[], key: string): string | undefined {
    const values = [...scope, key];
    let index = 0;
    return itemPathOf(resource).path?.replaceAll(/\{[^}]*\}/g, () => encodeURIComponent(values[index++] ?? ''));
  }

  /** The address of the item. An action without a 201, a 202 and a deletion may answer with that of another thing, such as a job. */
  function locationFor({ role, address }: Plan, { parents, key }: StoredItem, { status, headers }: StateResponse) {
    const name = Object.keys(headers).find((one) => one.toLowerCase() === 'location');
    const isOwn = status === 201 || (status !== 202 && role !== 'action' && role !== 'delete');
    const path = isOwn ? pathOf(address.resource, parents, key) : undefined;
    return name === undefined || path === undefined ? {} : { [name]: path };
  }
}
