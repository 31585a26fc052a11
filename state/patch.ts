import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, parsePointer } from '@lockstep/json/json-pointer';

/** RFC 7396: null removes a member, an object changes one member by member, any other value replaces it. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), value));
  }
  return Object.fromEntries(result);
}

/** A JSON Patch that cannot be applied; the reason is its message. */
export class PatchFault extends Error {
  override readonly name = 'PatchFault';
}

/** Limit of all copies in one patch, in characters of JSON: forty steps that copy the whole would make it a million million times larger. */
const mostCopied = 1_000_000;

/**
 * RFC 6902.
 *
 * @throws PatchFault if a location does not exist, a test fails, or the copies are too large; then nothing is changed
 */
export function jsonPatch(target: JsonObject, steps: readonly unknown[]): unknown {
  let root: unknown = structuredClone(target);
  let copied = 0;
  for (const step of steps) {
    const { op, path, from, value } = isObject(step) ? step : {};
    const at = parsePointer(String(path));
    if (value === undefined && (op === 'add' || op === 'replace'))
      throw new PatchFault(`${op} of ${path} has no value`);
    if (op === 'test') {
      if (!isDeepStrictEqual(readAt(root, at), value)) throw new PatchFault(`the test of ${path} fails`);
    } else if (op === 'add') root = addAt(root, at, value);
    else if (op === 'remove') root = removeAt(root, at);
    else if (op === 'replace') {
      readAt(root, at);
      root = addAt(at.length === 0 ? root : removeAt(root, at), at, value);
    } else if (op === 'copy') {
      const text = JSON.stringify(readAt(root, parsePointer(String(from))));
      copied += text.length;
      if (copied > mostCopied) throw new PatchFault(`the copies have more than ${mostCopied} characters`);
      root = addAt(root, at, JSON.parse(text));
    } else if (op === 'move') {
      const moved = readAt(root, parsePointer(String(from)));
      root = addAt(removeAt(root, parsePointer(String(from))), at, moved);
    } else throw new PatchFault(`${String(op)} is no operation`);
  }
  return root;
}

function readAt(root: unknown, at: readonly string[]): unknown {
  let value = root;
  for (const name of at) {
    const isThere = Array.isArray(value)
      ? /^(?:0|[1-9]\d*)$/.test(name) && Number(name) < value.length
      : isObject(value) && Object.hasOwn(value, name);
    if (!isThere) throw new PatchFault(`there is no /${at.join('/')}`);
    value = (value as JsonObject)[name];
  }
  return value;
}

function addAt(root: unknown, at: readonly string[], value: unknown): unknown {
  const name = at.at(-1);
  if (name === undefined) return value;
  const around = readAt(root, at.slice(0, -1));
  if (Array.isArray(around)) {
    const index = name === '-' ? around.length : Number(name);
    if (!Number.isInteger(index) || index < 0 || index > around.length)
      throw new PatchFault(`there is no /${at.join('/')}`);
    around.splice(index, 0, value);
  } else if (isObject(around))
    // An assignment to `__proto__` would set the prototype.
    Object.defineProperty(around, name, { value, configurable: true, enumerable: true, writable: true });
  else throw new PatchFault(`there is no /${at.join('/')}`);
  return root;
}

function removeAt(root: unknown, at: readonly string[]): unknown {
  readAt(root, at);
  const name = at.at(-1);
  if (name === undefined) return undefined;
  const around = readAt(root, at.slice(0, -1));
  if (Array.isArray(around)) around.splice(Number(name), 1);
  else delete (around as Record<string, unknown>)[name];
  return root;
}
