import { type ContractDocument, escapeSegment, type JsonObject } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';
import { checkJsonTree } from './check-json-tree.ts';
import { createCoercion, listTexts, memberSchemas, schemaTypes } from './coerce-text.ts';
import { createDeepObjectReader, type DeepText, nameDeep, stepsBelow } from './deep-object.ts';
import { describeBroken, type Pair, parseUrlEncoded } from './parse-url-encoded.ts';
import { parseXml } from './parse-xml.ts';
import type { Part } from './read-parts.ts';
import { cut } from './sentence.ts';
import { isXmlType } from './xml-shape.ts';

/** A received body. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  /** As sent, in lower case, without parameters. */
  readonly mediaType: string;
  /** Parts of `multipart/form-data`; undefined if the bytes are not in that format. */
  readonly parts?: readonly Part[] | undefined;
}

type ParsedBody =
  | { readonly kind: 'value'; readonly value: unknown }
  /** A type without a known grammar: accepted without validation. */
  | { readonly kind: 'opaque' }
  | { readonly kind: 'fault'; readonly at: string; readonly says: string };

interface Reader {
  readonly reads: (mediaType: string) => boolean;
  readonly read: (text: string, schema: unknown, document: ContractDocument) => ParsedBody;
}

const readers: readonly Reader[] = [
  { reads: isJsonType, read: parseJson },
  { reads: (mediaType) => mediaType === 'application/x-www-form-urlencoded', read: parseForm },
  { reads: isXmlType, read: (text, schema, document) => parseXml(document, schema, text) },
  { reads: (mediaType) => mediaType.startsWith('text/'), read: parseText },
];

/** Text for an object or a list, such as CSV, has an unknown grammar. */
function parseText(text: string, schema: unknown, document: ContractDocument): ParsedBody {
  const types = schemaTypes(document, schema);
  const isStructured = types.size > 0 && [...types].every((type) => type === 'object' || type === 'array');
  return isStructured ? { kind: 'opaque' } : { kind: 'value', value: createCoercion(document, schema)(text) };
}

/**
 * Parses the bytes of a body into the value for its schema.
 *
 * @param schema the declared schema; a form field becomes a number only if the schema requires one
 */
export function parseBody(document: ContractDocument, body: ReceivedBody, schema: unknown): ParsedBody {
  if (isForm(body.mediaType) && !mayHaveFields(document, schema)) return { kind: 'opaque' };
  if (body.mediaType === 'multipart/form-data') return parseMultipart(body.parts, schema, document);
  const reader = readers.find(({ reads }) => reads(body.mediaType));
  if (reader === undefined) return { kind: 'opaque' };
  const text = decodeUtf8(body.bytes);
  if (text === undefined) return { kind: 'fault', at: '', says: 'the body is not UTF-8' };
  return reader.read(text, schema, document);
}

function isForm(mediaType: string): boolean {
  return mediaType === 'multipart/form-data' || mediaType === 'application/x-www-form-urlencoded';
}

/** False for a form that is described as one file or text, as some contracts describe uploads: its fields have no schemas. */
function mayHaveFields(document: ContractDocument, schema: unknown): boolean {
  const types = schemaTypes(document, schema);
  return types.size === 0 || types.has('object');
}

/** Whether a media type is JSON: itself, or by its structured suffix, which any top-level type may have (RFC 6838, 4.2.8). */
export function isJsonType(mediaType: string): boolean {
  return /^(?:application\/json|[\w.!#$&^-]+\/[\w.!#$&^-]+\+json)$/i.test(mediaType.split(';', 1)[0]?.trim() ?? '');
}

/** V8's own message repeats a piece of the body, which may contain a secret: only its location is used. */
function parseJson(text: string): ParsedBody {
  return parseNamedJson(text, 'the body');
}

/** @param name the name of the text in messages */
export function parseNamedJson(text: string, name: string): ParsedBody {
  if (text.trim() === '') return { kind: 'fault', at: '', says: `${name} is empty: send JSON` };
  try {
    const value: unknown = JSON.parse(text);
    const fault = checkJsonTree(value);
    return fault === undefined ? { kind: 'value', value } : { kind: 'fault', ...fault };
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const place = /\(line (\d+) column (\d+)\)/.exec(message);
    const end = message.includes('end of JSON input') ? ': it ends too early' : '';
    const where = place === null ? end : `, see line ${place[1]} column ${place[2]}`;
    return { kind: 'fault', at: '', says: `${name} is not valid JSON${where}` };
  }
}

/**
 * RFC 6749, 3.1: parameters must not be sent more than once. An array in the schema allows it, as does a schema that does not declare the
 * member: it allows an array too. An object is JSON (OpenAPI 3.1, 4.8.14.4), or has its members in brackets: `metadata[key]=value`.
 */
function parseForm(text: string, schema: unknown, document: ContractDocument): ParsedBody {
  const properties = memberSchemas(document, schema);
  const inBrackets = new Map<string, (DeepText & Pair)[]>();
  const plain = parseUrlEncoded(text).filter((pair) => {
    const base = pair.name.split('[', 1)[0] ?? '';
    const steps = properties.has(pair.name) || !properties.has(base) ? undefined : stepsBelow(base, pair.name);
    if (steps === undefined) return true;
    const known = inBrackets.get(base);
    if (known === undefined) inBrackets.set(base, [{ ...pair, steps }]);
    else known.push({ ...pair, steps });
    return false;
  });
  const readers = new Map<unknown, (name: string, value: string) => ParsedBody>();
  const parsed = collectFields(plain, schema, document, (property, pair) => {
    if (pair.broken) return { kind: 'fault', at: '', says: `${cut(pair.name)} ${describeBroken(pair)}` };
    const read = readers.get(property) ?? createFieldReader(document, property);
    readers.set(property, read);
    return read(pair.name, pair.value);
  });
  if (parsed.kind !== 'value' || inBrackets.size === 0) return parsed;
  const readDeep = createDeepObjectReader(document);
  const fields = new Map(Object.entries(parsed.value as JsonObject));
  for (const [base, texts] of inBrackets) {
    const at = `/${escapeSegment(base)}`;
    const broken = texts.find((pair) => pair.broken);
    if (broken !== undefined) return { kind: 'fault', at, says: `${cut(broken.name)} ${describeBroken(broken)}` };
    if (fields.has(base))
      return { kind: 'fault', at, says: `${cut(base)} is sent with brackets and without: send one of them` };
    const read = readDeep(properties.get(base), texts);
    if (read.kind === 'fault') return { kind: 'fault', at, says: `${cut(nameDeep(base, read.steps))} ${read.says}` };
    fields.set(base, read.value);
  }
  return { kind: 'value', value: Object.fromEntries(fields) };
}

/** A text that the schema of an object lists, such as `''`, is no JSON. */
function createFieldReader(document: ContractDocument, schema: unknown): (name: string, value: string) => ParsedBody {
  const types = schemaTypes(document, schema);
  const texts = types.has('string') ? listTexts(document, schema) : [];
  const coerce = createCoercion(document, schema);
  return (name, value) =>
    types.has('object') && texts !== undefined && !texts.includes(value)
      ? parseNamedJson(value, cut(name))
      : { kind: 'value', value: coerce(value) };
}

/**
 * Parses a multipart form. A field that the contract describes as an object is JSON (OpenAPI 3.1, 4.8.15.2). A file without a type in the
 * contract is bytes. As a string it has one character for each byte, so that its length can be validated: `Buffer.from(file, 'latin1')`.
 */
function parseMultipart(parts: readonly Part[] | undefined, schema: unknown, document: ContractDocument): ParsedBody {
  if (parts === undefined) return { kind: 'fault', at: '', says: 'the body is not valid multipart/form-data' };
  return collectFields(parts, schema, document, (property, { name, value }) => {
    const types = schemaTypes(document, property);
    if (typeof value !== 'string') {
      if (types.size === 0) return { kind: 'value', value };
      if (listParts(document, property).some(isBinary)) return { kind: 'value', value: value.toString('latin1') };
    }
    const text = typeof value === 'string' ? value : decodeUtf8(value);
    if (text === undefined) return { kind: 'fault', at: '', says: `${cut(name)} is not UTF-8` };
    if (types.has('object') && !types.has('string')) return parseNamedJson(text, cut(name));
    return { kind: 'value', value: createCoercion(document, property)(text) };
  });
}

/** `format: binary` is the notation of OpenAPI 3.0. */
function isBinary({ format, contentMediaType, contentEncoding }: JsonObject): boolean {
  return format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined);
}

/** @param read parses one value by the schema of its member, or of an item of it */
function collectFields<Sent extends { readonly name: string }>(
  sent: readonly Sent[],
  schema: unknown,
  document: ContractDocument,
  read: (property: unknown, field: Sent) => ParsedBody,
): ParsedBody {
  const properties = memberSchemas(document, schema);
  const fields = new Map<string, unknown>();
  /** They grow in place: to copy one for each of its values takes a time quadratic in their number. */
  const lists = new Map<string, unknown[]>();
  /** One look at each schema: a list may have a hundred thousand items. */
  const described = new Map<unknown, { readonly isList: boolean; readonly items: unknown }>();
  const describe = (property: unknown) => {
    const isList = schemaTypes(document, property).has('array');
    return { isList, items: isList ? listParts(document, property).find((part) => 'items' in part)?.items : property };
  };
  for (const field of sent) {
    const { name } = field;
    const at = `/${escapeSegment(name)}`;
    const property = properties.get(name);
    const known = described.get(property) ?? describe(property);
    described.set(property, known);
    const { isList, items } = known;
    const parsed = read(items, field);
    if (parsed.kind === 'fault') return { ...parsed, at: `${at}${parsed.at}` };
    const value = parsed.kind === 'value' ? parsed.value : undefined;
    const list = lists.get(name);
    if (list !== undefined) list.push(value);
    else if (isList) lists.set(name, [value]);
    else if (!fields.has(name)) fields.set(name, value);
    else if (property === undefined) lists.set(name, [fields.get(name), value]);
    else return { kind: 'fault', at, says: `${cut(name)} is sent more than once` };
    if (lists.has(name)) fields.set(name, lists.get(name));
  }
  return { kind: 'value', value: Object.fromEntries(fields) };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
