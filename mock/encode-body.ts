import { type ContractDocument, followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';
import { memberSchemas } from '@lockstep/runtime/validation/coerce-text';
import { isJsonType } from '@lockstep/runtime/validation/parse-body';

/** The media type that is sent for a range. */
const ofRanges: Readonly<Record<string, string>> = {
  'application/*': 'application/json',
  'text/*': 'text/plain',
  'image/*': 'image/png',
  'audio/*': 'audio/mpeg',
  'video/*': 'video/mp4',
  'font/*': 'font/woff2',
  'multipart/*': 'multipart/mixed',
};

/** A PNG of one pixel, so that clients can display it. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The media type to send for a declared one, which may be a range. */
export function nameConcreteType(document: ContractDocument, mediaType: string, schema: unknown): string {
  if (!mediaType.includes('*')) return mediaType;
  const range = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isBinary = listParts(document, schema).some(({ format }) => format === 'binary');
  if (range === '*/*' || !Object.hasOwn(ofRanges, range))
    return isBinary ? 'application/octet-stream' : 'application/json';
  return range === 'application/*' && isBinary ? 'application/octet-stream' : (ofRanges[range] ?? mediaType);
}

/** Encodes a value for its media type: JSON stays a value, every other becomes text or bytes. */
export function encodeBody(document: ContractDocument, schema: unknown, mediaType: string, value: unknown): unknown {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (isJsonType(type)) return value;
  if (type === 'image/png' && typeof value === 'string' && !value.startsWith('\x89PNG')) return pixel;
  if (typeof value === 'string') return value;
  if (isXml(type)) return `<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(document, schema, value)}`;
  if (type === 'application/x-www-form-urlencoded' && isObject(value))
    return new URLSearchParams(
      Object.entries(value).map(([name, member]): [string, string] => [name, textOf(member)]),
    ).toString();
  return textOf(value);
}

function isXml(type: string): boolean {
  return /^(?:text\/xml|application\/xml|.+\+xml)$/.test(type);
}

function writeXml(document: ContractDocument, schema: unknown, value: unknown): string {
  const { $ref } = isObject(schema) ? schema : {};
  const fallback = typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? 'root') : 'root';
  return writeElement(document, nameOf(document, schema, fallback), schema, value);
}

/** Names follow the XML Object (OpenAPI 3.1, 4.8.26); namespaces are ignored. */
function writeElement(document: ContractDocument, name: string, schema: unknown, value: unknown): string {
  const tag = cleanName(name);
  if (value === null || value === undefined) return `<${tag}/>`;
  if (Array.isArray(value)) {
    const items = listParts(document, schema).find((part) => 'items' in part)?.items;
    const isWrapped = xmlOf(document, schema).wrapped === true;
    const own = nameOf(document, items, isWrapped ? 'item' : name);
    const written = value.map((item) => writeElement(document, own, items, item)).join('');
    return isWrapped ? `<${tag}>${written}</${tag}>` : written;
  }
  if (!isObject(value)) return `<${tag}>${escapeXml(String(value))}</${tag}>`;
  const members = memberSchemas(document, schema);
  const all = Object.entries(value).map(([key, member]) => ({ key, member, schema: members.get(key) }));
  const isAttribute = (row: { readonly schema: unknown }): boolean => xmlOf(document, row.schema).attribute === true;
  const attributes = all
    .filter(isAttribute)
    .map((row) => ` ${cleanName(nameOf(document, row.schema, row.key))}="${escapeXml(textOf(row.member))}"`);
  const inner = all
    .filter((row) => !isAttribute(row))
    .map((row) => writeElement(document, nameOf(document, row.schema, row.key), row.schema, row.member));
  return `<${tag}${attributes.join('')}>${inner.join('')}</${tag}>`;
}

/** A valid name of an element or an attribute, in ASCII. */
function cleanName(name: string): string {
  return /^[A-Za-z_][\w.-]*$/.test(name) ? name : `_${name.replaceAll(/[^\w.-]/g, '_')}`;
}

function nameOf(document: ContractDocument, schema: unknown, fallback: string): string {
  const { name } = xmlOf(document, schema);
  return typeof name === 'string' && name !== '' ? name : fallback;
}

function xmlOf(document: ContractDocument, schema: unknown): JsonObject {
  const { xml } = followRef(document, schema);
  return isObject(xml) ? xml : {};
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
