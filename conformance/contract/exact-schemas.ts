import { isObject, type JsonObject } from './document.ts';

/** Data, in which `x-exact` is a name like any other. */
const ofData = new Set(['const', 'default', 'enum', 'example', 'examples', 'value']);
/** Maps of names that somebody chose. */
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
 * The document with each schema as it holds on the wire: `x-exact` in place of the plainer keywords beside it, which are for generators of
 * clients (`docs/extensions.md`). A part without one is shared.
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
