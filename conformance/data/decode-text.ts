import { isObject, type JsonObject, type Pointer, placeAt } from '../contract/document.ts';
import { flattenSchema } from './flatten-schema.ts';

/**
 * What a text of a header or parameter means by its schema (style `simple`): every reading that some decoder may have. One
 * valid reading is enough. `"5"` is the integer 5 and the text "5".
 */
export function decodeText(root: JsonObject, schema: Pointer, text: string, explode: boolean): unknown[] {
  const place = placeAt(root, schema);
  const readings = new Map<string, unknown>([[JSON.stringify(text), text]]);
  for (let variant = 0; variant < 8; variant += 1) {
    const flat = flattenSchema(root, place, variant);
    const types = flat.types ?? [];
    const add = (value: unknown): unknown => readings.set(JSON.stringify(value), value);
    if (types.includes('array'))
      add(text === '' ? [] : text.split(',').map((item) => scalar(item.trim(), flat.items?.value)));
    if (types.includes('object')) add(decodeObject(text, explode));
    if (/^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) add(Number(text));
    if (/^(true|false)$/i.test(text)) add(text.toLowerCase() === 'true');
    if (types.includes('null') && (text === '' || text === 'null')) add(null);
  }
  return [...readings.values()];
}

function decodeObject(text: string, explode: boolean): JsonObject {
  const parts = text.split(',').map((part) => part.trim());
  const pairs = explode
    ? parts.map((part) => [part.split('=')[0] ?? '', part.split('=').slice(1).join('=')] as const)
    : parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? ''] as const] : []));
  return Object.fromEntries(pairs.map(([name, value]) => [name, scalar(value, undefined)]));
}

function scalar(text: string, schema: unknown): unknown {
  const isText = isObject(schema) && schema.type === 'string';
  return !isText && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
