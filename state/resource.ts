import type { SchemaNode } from '@lockstep/values/shape';
import type { StateOperation } from './contract-tools.ts';
import { type Part, type Place, type SchemaReader, valueAtPlace } from './read-schemas.ts';
import { plainName, type Template } from './template.ts';

/** An operation with its path and the schemas of its bodies. */
export interface Route {
  readonly operation: StateOperation;
  readonly template: Template;
  /** `/owners/{}/pets` */
  readonly name: string;
  /** Schema of the JSON body of its success. */
  readonly answer: SchemaNode | undefined;
  /** Schema of its request body, whatever the media type. */
  readonly body: SchemaNode | undefined;
  /** The list in its answer. */
  readonly list: Part | undefined;
}

/** A set of items with ids, or a single item of each parent. */
export interface Resource {
  /** The path of its collection without names of parameters: `/owners/{}/pets`. */
  readonly name: string;
  readonly kind: 'collection' | 'singleton';
  /** The resources that own it, one for each parameter of its path, the outermost first; undefined if no operation is about the owner. */
  readonly parents: readonly (Resource | undefined)[];
  readonly noun: string;
  /** Name of the parameter with the id of an item. */
  readonly idParameter: string | undefined;
  /** Schemas of that parameter. */
  readonly idNodes: readonly SchemaNode[];
  /** Schemas of the parameters that have the id in paths below an item, one of each kind. */
  readonly innerIdNodes: readonly SchemaNode[];
  /** The member of an item with its id. */
  readonly idPlace: Place | undefined;
  /** Schemas of an item in answers: read, created, listed. */
  readonly views: readonly SchemaNode[];
  /** Schemas of an item in the bodies that create it. */
  readonly drafts: readonly SchemaNode[];
  /** Whether an item is addressed by a path of its own. */
  readonly hasItemPath: boolean;
}

/** The resource of a collection path. Several paths may lead to one resource: `/orders` and `/users/{}/orders`. */
export interface Address {
  readonly name: string;
  readonly resource: Resource;
  /** The resources that own the collection at this path; undefined if no operation is about the owner. */
  readonly parents: readonly (Resource | undefined)[];
}

/** An id, and the member that has it. */
export interface IdOf {
  readonly place: Place;
  readonly value: string | number;
}

/** Plain names of members that may hold the id, the likeliest first. */
export function idNames(parameter: string | undefined, noun: string): readonly string[] {
  const plain = plainName(parameter ?? '');
  const rest = plain.startsWith(noun) ? plain.slice(noun.length) : '';
  const usual = ['id', 'uuid', 'guid', `${noun}id`, `${noun}uuid`, 'uid', 'sid', 'login', 'username', `${noun}name`];
  const vague = ['key', 'slug', 'code', 'name', 'number', 'index', `${noun}key`, `${noun}code`, 'identifier', 'sha'];
  // `{projectKey}` is the member `key`.
  const [kind = ''] = /(?:id|uuid|key|name|slug|code|number|login)$/.exec(plain) ?? [];
  return [...new Set([plain, rest, kind, ...usual, ...vague])].filter((name) => name !== '');
}

/** The schema of the member with the id. */
export function idNodeOf(
  reader: SchemaReader,
  { idPlace, views, drafts }: Pick<Resource, 'idPlace' | 'views' | 'drafts'>,
): SchemaNode | undefined {
  if (idPlace === undefined) return undefined;
  for (const view of [...views, ...drafts]) {
    let node: SchemaNode | undefined = view;
    for (const name of idPlace) node = node && reader.membersOf(node).get(name);
    if (node !== undefined) return node;
  }
  return undefined;
}

/** The id of an item as text; undefined if it has none. */
export function readKey({ idPlace }: Resource, item: unknown): string | undefined {
  const value = idPlace === undefined ? undefined : valueAtPlace(item, idPlace);
  // An example may leave its texts empty.
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}
