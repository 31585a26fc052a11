import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, parsePointer } from '@lockstep/json/json-pointer';

/** RFC 7396: null removes a member, an object changes one member by member, any other value replaces it. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = { ...(isObject(target) ? target : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

/** A JSON Patch that cannot be applied; the reason is its message. */
export class PatchFault extends Error {
  override readonly name = 'PatchFault';
}

/**
 * RFC 6902.
 *
 * @throws PatchFault if a location does not exist, or a test fails; then nothing is changed
 */
export function jsonPatch(target: JsonObject, steps: readonly unknown[]): unknown {
  let root: unknown = structuredClone(target);
  for (const step of steps) {
    const { op, path, from, value } = isObject(step) ? step : {};
    const at = parsePointer(String(path));
    if (op === 'test') {
      if (!isDeepStrictEqual(readAt(root, at), value)) throw new PatchFault(`the test of ${path} fails`);
    } else if (op === 'add') root = addAt(root, at, value);
    else if (op === 'remove') root = removeAt(root, at);
    else if (op === 'replace') {
      readAt(root, at);
      root = addAt(at.length === 0 ? root : removeAt(root, at), at, value);
    } else if (op === 'copy') root = addAt(root, at, structuredClone(readAt(root, parsePointer(String(from)))));
    else if (op === 'move') {
      const moved = readAt(root, parsePointer(String(from)));
      root = addAt(removeAt(root, parsePointer(String(from))), at, moved);
    } else throw new PatchFault(`${String(op)} is no operation`);
  }
  return root;
}

function readAt(root: unknown, at: readonly string[]): unknown {
  let value = root;
  for (const name of at) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
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
  } else if (isObject(around)) (around as Record<string, unknown>)[name] = value;
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
