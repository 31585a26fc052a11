import type { MediaContent, Operation } from '../contract/contract.ts';
import { placeAt } from '../contract/document.ts';
import { canonical, isObject, type JsonObject } from '../contract/json.ts';
import { flattenSchema } from './flatten-schema.ts';
import type { Known } from './records.ts';
import type { DataTools } from './value-ladder.ts';

/**
 * A body that writes back what was read of the same object, so that a write to something of others changes nothing.
 *
 * @returns undefined where it was not read, or where what was read does not make a valid body
 */
export function restoreBody(
  tools: DataTools,
  operation: Operation,
  content: MediaContent,
  path: JsonObject,
  known: readonly Known[],
): unknown {
  const read = known.findLast(
    ({ operation: other, seen }) =>
      other.method === 'get' && other.path === operation.path && canonical(seen.path) === canonical(path),
  )?.seen.responseBody;
  if (!isObject(read) || content.schema === undefined) return undefined;
  const { root } = tools.contract;
  const schema = content.schema;
  const properties = flattenSchema(root, placeAt(root, schema), 0).properties;
  const [only] = Object.values(read);
  const whole = Object.keys(read).length === 1 && isObject(only) ? only : read;
  const entries = [...properties].flatMap(([name, place]): [string, unknown][] => {
    if (!Object.hasOwn(whole, name) || (isObject(place.value) && place.value.readOnly === true)) return [];
    const value = whole[name];
    const spelled = [value, ...(typeof value === 'number' ? [String(value)] : [])];
    const valid = spelled.find((candidate) => tools.judge.judge(place.pointer, 'request', candidate).length === 0);
    return [[name, valid]];
  });
  if (entries.some(([, value]) => value === undefined)) return undefined;
  if (entries.length === 0 && operation.method !== 'patch') return undefined;
  const body = Object.fromEntries(entries);
  return tools.judge.judge(schema, 'request', body).length === 0 ? body : undefined;
}
