import { isObject, type JsonObject } from './document.ts';

/** Keywords whose values are data, in which `x-exact` has no meaning. */
const ofData = new Set(['const', 'default', 'enum', 'example', 'examples', 'value']);
/** Keywords whose values map names of the author's choice. */
const ofNames = new Set(['properties', 'patternProperties', 'schemas', 'parameters', 'headers', 'responses']);
const annotations = new Set([
  'title',
  'description',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'example',
  'examples',
]);

/**
 * Replaces the plainer keywords next to an `x-exact`, which are for generators of clients, with its content (`docs/extensions.md`).
 * Parts without an `x-exact` are shared with the given document.
 */
export function readExactly(root: JsonObject): JsonObject {
  return readMembers(root, false);
}

function readValue(value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) {
    const read = value.map((item) => readValue(item, false));
    return read.every((item, index) => item === value[index]) ? value : read;
  }
  return isObject(value) ? readMembers(isNames ? value : chooseExact(value), isNames) : value;
}

function readMembers(node: JsonObject, isNames: boolean): JsonObject {
  const members = Object.entries(node).map(([name, value]) => {
    const isData = !isNames && ofData.has(name);
    return [name, isData ? value : readValue(value, !isNames && ofNames.has(name))] as const;
  });
  return members.every(([name, value]) => value === node[name]) ? node : Object.fromEntries(members);
}

function chooseExact(node: JsonObject): JsonObject {
  const { 'x-exact': exact, ...plain } = node;
  if (!isObject(exact)) return node;
  const kept = Object.entries(plain).filter(([name]) => annotations.has(name) || name.startsWith('x-'));
  return chooseExact({ ...Object.fromEntries(kept), ...exact });
}
