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

/**
 * Opens the parts of an `allOf` that reject what another part requires, by `additionalProperties: false`: no value would be valid, and each
 * answer would break the contract. Authors mean the whole to be closed.
 *
 * @returns a copy that shares the unchanged parts
 */
export function openClosedParts(root: JsonObject, report: ReportPart): JsonObject {
  const opened = new Set<unknown>();
  find({ value: root, pointer: '#' });
  return opened.size === 0 ? root : (copy(root) as JsonObject);

  function find(place: Place): void {
    const { value } = place;
    if (typeof value !== 'object' || value === null) return;
    if (isObject(value) && Array.isArray(value.allOf)) judge(partsOf(root, place, new Set()));
    for (const name of Object.keys(value)) if (!ofData.has(name)) find(childOf(place, name));
  }

  function judge(parts: readonly Place[]): void {
    const required = new Set(parts.flatMap(({ value }) => arrayAt(value, 'required').map(String)));
    for (const { value, pointer } of parts) {
      if (!isObject(value) || value.additionalProperties !== false || isObject(value.patternProperties)) continue;
      const missing = [...required].find((name) => !Object.hasOwn(objectAt(value, 'properties'), name));
      if (missing === undefined || opened.has(value)) continue;
      opened.add(value);
      const message = `additionalProperties is false, but an allOf with this schema requires ${missing}: no value is valid. It is ignored.`;
      report(
        `${pointer}/additionalProperties`,
        message,
        'Write unevaluatedProperties: false next to the allOf instead.',
      );
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
        ? []
        : [[name, ofData.has(name) ? member : copy(member)] as const],
    );
    const isSame =
      members.length === Object.keys(value).length && members.every(([name, member]) => member === value[name]);
    return isSame ? value : Object.fromEntries(members);
  }
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
