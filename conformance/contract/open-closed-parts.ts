import {
  arrayAt,
  childOf,
  isObject,
  type JsonObject,
  objectAt,
  type Place,
  placeAt,
  type ReportPart,
} from './document.ts';

/** Keywords whose values are data. */
const ofData: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples', 'value']);

interface Opened {
  readonly pointer: string;
  /** A name that another part requires, and that this part rejects. */
  readonly missing: string | undefined;
  /** Whether all members of a whole are those of the opened part. */
  readonly isWhole: boolean;
}

/**
 * Opens the parts of an `allOf` that reject what another part requires, by `additionalProperties: false`: no value would be valid, and each
 * answer would break the contract. A schema around an `allOf` without members of its own rejects every member. Authors mean the whole to be
 * closed: `unevaluatedProperties: false`.
 *
 * @returns a copy that shares the unchanged parts
 */
export function openClosedParts(root: JsonObject, report: ReportPart): JsonObject {
  const opened = new Map<unknown, Opened>();
  find({ value: root, pointer: '#' });
  for (const { pointer, missing, isWhole } of opened.values()) {
    const why =
      missing === undefined || isWhole
        ? 'the properties are in the parts of allOf: none is valid'
        : `an allOf with this schema requires ${missing}: no value is valid`;
    const cost = isWhole ? 'read as unevaluatedProperties: false' : 'ignored';
    report(
      `${pointer}/additionalProperties`,
      `additionalProperties is false, but ${why}. It is ${cost}.`,
      'Write unevaluatedProperties: false next to the allOf instead.',
    );
  }
  return opened.size === 0 ? root : (copy(root) as JsonObject);

  function find(place: Place): void {
    const { value } = place;
    if (typeof value !== 'object' || value === null) return;
    if (isObject(value) && Array.isArray(value.allOf)) judge(partsOf(root, place, new Set()));
    for (const name of Object.keys(value)) if (!ofData.has(name)) find(childOf(place, name));
  }

  function judge(parts: readonly Place[]): void {
    const required = new Set(parts.flatMap(({ value }) => arrayAt(value, 'required').map(String)));
    const declared = namesIn(parts);
    for (const part of parts) {
      const { value, pointer } = part;
      if (!isObject(value) || value.additionalProperties !== false || isObject(value.patternProperties)) continue;
      const own = objectAt(value, 'properties');
      const missing = [...required].find((name) => !Object.hasOwn(own, name));
      const isBare = Array.isArray(value.allOf) && Object.keys(own).length === 0 && declared.size > 0;
      if ((missing === undefined && !isBare) || opened.get(value)?.isWhole === false) continue;
      const isWhole = isBare && declared.isSubsetOf(namesIn(partsOf(root, part, new Set())));
      opened.set(value, { pointer, missing, isWhole });
    }
  }

  function copy(value: unknown): unknown {
    if (Array.isArray(value)) {
      const items = value.map(copy);
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!isObject(value)) return value;
    const members = Object.entries(value).flatMap(([name, member]) =>
      name === 'additionalProperties' && opened.has(value)
        ? opened.get(value)?.isWhole
          ? [['unevaluatedProperties', false] as const]
          : []
        : [[name, ofData.has(name) ? member : copy(member)] as const],
    );
    const isSame =
      members.length === Object.keys(value).length && members.every(([name, member]) => member === value[name]);
    return isSame ? value : Object.fromEntries(members);
  }
}

function namesIn(parts: readonly Place[]): ReadonlySet<string> {
  return new Set(parts.flatMap(({ value }) => Object.keys(objectAt(value, 'properties'))));
}

/** A schema and the parts of its `allOf`, at any depth, each once. */
function partsOf(root: JsonObject, place: Place, seen: Set<unknown>): readonly Place[] {
  const { value } = place;
  if (!isObject(value) || seen.has(value)) return [];
  seen.add(value);
  const referred = typeof value.$ref === 'string' && value.$ref.startsWith('#') ? [placeAt(root, value.$ref)] : [];
  const parts = arrayAt(value, 'allOf').map((_, index) => childOf(place, 'allOf', index));
  return [place, ...[...referred, ...parts].flatMap((part) => partsOf(root, part, seen))];
}
