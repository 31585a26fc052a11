import { type ContractDocument, followMember, followRef, isObject } from '@lockstep/json/json-pointer';
import { checkJsonTree } from './check-json-tree.ts';
import { createCoercion, schemaTypes } from './coerce-text.ts';
import { describeBroken, parseUrlEncoded } from './parse-url-encoded.ts';
import { cut } from './sentence.ts';

/** A body as it came. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  /** As sent, in lower case, without parameters. */
  readonly mediaType: string;
}

export type ParsedBody =
  | { readonly kind: 'value'; readonly value: unknown }
  /** A type with no grammar that is known here: taken as it is, not validated. */
  | { readonly kind: 'opaque' }
  | { readonly kind: 'fault'; readonly at: string; readonly says: string };

interface Reader {
  readonly reads: (mediaType: string) => boolean;
  readonly read: (text: string, schema: unknown, document: ContractDocument) => ParsedBody;
}

const readers: readonly Reader[] = [
  { reads: isJsonType, read: parseJson },
  { reads: (mediaType) => mediaType === 'application/x-www-form-urlencoded', read: parseForm },
  { reads: (mediaType) => mediaType.startsWith('text/'), read: (value) => ({ kind: 'value', value }) },
];

/**
 * Turns the bytes of a body into the value its schema judges, once.
 *
 * @param schema the declared schema; a form field becomes a number only where it asks for one
 */
export function parseBody(document: ContractDocument, body: ReceivedBody, schema: unknown): ParsedBody {
  const reader = readers.find(({ reads }) => reads(body.mediaType));
  if (reader === undefined) return { kind: 'opaque' };
  const text = decodeUtf8(body.bytes);
  if (text === undefined) return { kind: 'fault', at: '', says: 'the body is not UTF-8' };
  return reader.read(text, schema, document);
}

/** Whether a media type reads as JSON: itself, or by its structured suffix (RFC 6839). */
export function isJsonType(mediaType: string): boolean {
  return /^application\/(?:[\w.!#$&^-]+\+)?json$/i.test(mediaType.split(';', 1)[0]?.trim() ?? '');
}

/** V8's own message repeats a piece of the body, which may hold a secret: only the place is taken from it. */
function parseJson(text: string): ParsedBody {
  if (text.trim() === '') return { kind: 'fault', at: '', says: 'the body is empty: send JSON' };
  try {
    const value: unknown = JSON.parse(text);
    const fault = checkJsonTree(value);
    return fault === undefined ? { kind: 'value', value } : { kind: 'fault', ...fault };
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const place = /\(line (\d+) column (\d+)\)/.exec(message);
    const end = message.includes('end of JSON input') ? ': it ends too early' : '';
    const where = place === null ? end : `, see line ${place[1]} column ${place[2]}`;
    return { kind: 'fault', at: '', says: `the body is not valid JSON${where}` };
  }
}

/** RFC 6749, 3.1: parameters must not be sent more than once. An array in the schema asks for more. */
function parseForm(text: string, schema: unknown, document: ContractDocument): ParsedBody {
  const properties = followMember(document, followRef(document, schema), 'properties');
  const fields = new Map<string, unknown>();
  for (const pair of parseUrlEncoded(text)) {
    const { name, value, broken } = pair;
    const at = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (broken) return { kind: 'fault', at, says: `${cut(name)} ${describeBroken(pair)}` };
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const isList = isObject(property) && schemaTypes(document, property).has('array');
    if (isList) {
      const before = fields.get(name);
      const items = followMember(document, followRef(document, property), 'items');
      fields.set(name, [...(Array.isArray(before) ? before : []), createCoercion(document, items)(value)]);
    } else if (fields.has(name)) {
      return { kind: 'fault', at, says: `${cut(name)} is sent more than once` };
    } else {
      fields.set(name, createCoercion(document, property)(value));
    }
  }
  return { kind: 'value', value: Object.fromEntries(fields) };
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
