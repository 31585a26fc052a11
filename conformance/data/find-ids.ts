import type { Operation } from '../contract/contract.ts';
import { type ApiRecord, isPlain } from './records.ts';

/** Ids for all path parameters of an operation that belong together. */
export interface Ids {
  readonly values: Readonly<Record<string, unknown>>;
  /** What the last one names was made by this run. */
  readonly owned: boolean;
}

/**
 * Draws the path parameters from what earlier answers had: by equal names, by the collection under which the parameter
 * stands (`id` or `deviceId` under `/devices`), by a kind (`bridgeId`: an item that says Bridge). One record that has all
 * of them comes before a mixture.
 */
export function findIds(operation: Operation, records: readonly ApiRecord[]): Ids[] {
  const places = readPlaces(operation.path);
  if (places.length === 0) return [];
  const together = records.flatMap((record): Ids[] => {
    const values = places.map((place) => idIn(record, place));
    return values.every((value) => value !== undefined) ? [idsOf(places, values, record.owned)] : [];
  });
  const each = places.map((place) =>
    records.flatMap((record) => {
      const value = idIn(record, place);
      return value === undefined ? [] : [{ value, owned: record.owned, ofKind: isOfKind(record, place) }];
    }),
  );
  const firsts = each.map((found) => found.find(({ ofKind }) => ofKind) ?? found[0]);
  const mixed = firsts.every((found) => found !== undefined)
    ? [
        idsOf(
          places,
          firsts.map((found) => found?.value),
          firsts.at(-1)?.owned === true,
        ),
      ]
    : [];
  // One parameter: a record of the kind that its name speaks of comes first.
  return places.length === 1 ? [...mixed, ...together] : [...together, ...mixed];
}

interface IdPlace {
  readonly name: string;
  /** Path of the collection, `/devices`. */
  readonly collection: string;
  /** Names of the member that may hold the id, in the order of trust. */
  readonly members: readonly string[];
}

function readPlaces(path: string): IdPlace[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(({ index, 1: name = '' }) => {
    const collection = path.slice(0, index).replace(/\/$/, '');
    const noun = singular(collection.split('/').at(-1) ?? '');
    return { name, collection, members: [name, `${noun}Id`, `${noun}_id`, 'id', 'uuid', 'key', 'code', 'name'] };
  });
}

function idIn({ value, from }: ApiRecord, { name, collection, members }: IdPlace): string | number | undefined {
  const exact = Object.hasOwn(value, name) ? value[name] : undefined;
  if (isPlain(exact) && name !== 'id') return exact;
  // Other names are believed of items of the very collection alone.
  if (withoutSlash(from.path) !== collection && !isItemOf(from.path, collection)) return undefined;
  const member = members.find((candidate) => Object.hasOwn(value, candidate) && isPlain(value[candidate]));
  const found = member === undefined ? undefined : value[member];
  return isPlain(found) ? found : undefined;
}

function isOfKind({ value }: ApiRecord, { name }: IdPlace): boolean {
  const kind = name.replace(/_?id$/i, '').toLowerCase();
  return kind !== '' && Object.values(value).some((part) => typeof part === 'string' && part.toLowerCase() === kind);
}

function isItemOf(path: string, collection: string): boolean {
  return path.startsWith(`${collection}/`) && /^\/\{[^/]+\}\/?$/.test(path.slice(collection.length));
}

function idsOf(places: readonly IdPlace[], values: readonly unknown[], owned: boolean): Ids {
  return { values: Object.fromEntries(places.map(({ name }, index) => [name, values[index]])), owned };
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}

function singular(noun: string): string {
  return noun
    .replace(/ies$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/([^s])s$/, '$1');
}
