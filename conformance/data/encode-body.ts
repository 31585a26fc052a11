import type { SchemaNode, Shape } from '@lockstep/values/shape';
import { essenceOf, isJson, type MediaContent } from '../contract/contract.ts';
import { isObject, type JsonObject, memberOf, textAt } from '../contract/document.ts';
import { type CanonicalForm, requestForm } from '../schema/canonical.ts';

export interface EncodedBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A boundary that no generated value contains; constant, so that a request always has the same bytes. */
const boundary = 'lockstep-7d1f0c5e';

interface Given {
  readonly type: string;
  readonly content: MediaContent;
  readonly form: CanonicalForm;
}

/** How a body is written. */
export type BodyFormat = 'json' | 'form' | 'multipart' | 'yaml' | 'xml' | 'lines' | 'text' | 'bytes';

/** Encoders of media types; the first match applies. Servers are most likely to accept those of a low rank. */
const encoders: readonly {
  readonly takes: (type: string) => boolean;
  readonly format: BodyFormat;
  readonly rank: number;
  readonly encode: (value: unknown, given: Given) => string | Buffer;
}[] = [
  { takes: isJson, format: 'json', rank: 0, encode: (value) => JSON.stringify(value) },
  { takes: (type) => type === 'application/x-www-form-urlencoded', format: 'form', rank: 0, encode: encodeForm },
  { takes: (type) => type.startsWith('multipart/'), format: 'multipart', rank: 0, encode: encodeMultipart },
  // JSON is a subset of YAML (RFC 9512).
  { takes: (type) => /[/+](x-)?yaml$/.test(type), format: 'yaml', rank: 1, encode: textOf },
  { takes: (type) => /[/+]xml$/.test(type), format: 'xml', rank: 1, encode: encodeDocument },
  {
    takes: (type) => /\/(x-)?(ndjson|jsonl|jsonlines|json-lines)$/.test(type),
    format: 'lines',
    rank: 1,
    encode: encodeLines,
  },
  { takes: (type) => type.startsWith('text/'), format: 'text', rank: 1, encode: textOf },
  { takes: () => true, format: 'bytes', rank: 2, encode: encodeBytes },
];

/** The contents of a body, those that most servers accept first, otherwise in the order of the contract. */
export function rankContents(contents: readonly MediaContent[]): MediaContent[] {
  return contents
    .filter((content) => /^[^/]+\/[^/]+$/.test(typeOf(content)))
    .sort((a, b) => encoderFor(typeOf(a)).rank - encoderFor(typeOf(b)).rank);
}

/** Whether an example of the media type is a value; for other types, a text may be the document itself. */
export function hasValues(content: MediaContent): boolean {
  return encoderFor(typeOf(content)).rank === 0;
}

/** For values without a schema. */
const undescribed = requestForm({ root: {}, lineOf: () => 0 });

/** @param form provides XML names and file parts */
export function encodeBody(content: MediaContent, value: unknown, form = undescribed): EncodedBody {
  const type = typeOf(content);
  const contentType = type.startsWith('multipart/') ? `${type}; boundary=${boundary}` : type;
  return { contentType, bytes: Buffer.from(encoderFor(type).encode(value, { type, content, form })) };
}

export function formatOf(content: MediaContent): BodyFormat {
  return encoderFor(typeOf(content)).format;
}

function encoderFor(type: string): (typeof encoders)[number] {
  const found = encoders.find(({ takes }) => takes(type)) ?? encoders.at(-1);
  if (found === undefined) throw new Error('the last encoder takes everything');
  return found;
}

/** The type sent for a range. */
const ordinary: Readonly<Record<string, string>> = {
  '*/*': 'application/json',
  'application/*': 'application/json',
  'text/*': 'text/plain',
  'image/*': 'image/png',
  'multipart/*': 'multipart/form-data',
};

function typeOf({ mediaType }: MediaContent): string {
  const essence = essenceOf(mediaType) ?? mediaType;
  return ordinary[essence] ?? essence;
}

function encodeForm(value: unknown, { content }: Given): string {
  return Object.entries(isObject(value) ? value : {})
    .flatMap(([name, part]) => {
      if (memberOf(content.encoding[name], 'style') === 'deepObject')
        return inBrackets(name, part).map(([deep, text]) => `${encodeText(deep)}=${encodeText(text)}`);
      const texts = [part].flat().map((item) => encodeText(textOf(item)));
      const explode = memberOf(content.encoding[name], 'explode') !== false;
      // The comma between two items stays literal, one within an item is encoded (RFC 6570, 3.2.8).
      return (explode ? texts : [texts.join(',')]).map((text) => `${encodeText(name)}=${text}`);
    })
    .join('&');
}

/** The texts of an object in the style `deepObject` (OpenAPI 3.1, 4.8.12.3), which has no norm for lists: their items are numbered. */
function inBrackets(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [[name, textOf(value)]];
  return Object.entries(value).flatMap(([member, part]) => inBrackets(`${name}[${member}]`, part));
}

/** One text of a form (WHATWG URL, 5.2). */
function encodeText(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** A part of a multipart body (RFC 7578). */
export interface BodyPart {
  readonly name: string;
  readonly value: unknown;
  /** That of `encoding`, or it follows from the schema (OpenAPI 3.1, 4.8.15). */
  readonly type: string | undefined;
  readonly isFile: boolean;
}

export function partsOfBody(value: unknown, given: Pick<Given, 'content' | 'form'>): readonly BodyPart[] {
  const { content, form } = given;
  const shape = form.branch(nodeOf(given));
  return Object.entries(isObject(value) ? value : {}).flatMap(([name, part]) => {
    const declared = memberOf(content.encoding[name], 'contentType');
    const isBytes = isBinary(form, form.property(shape, name));
    return [part].flat().map((item) => {
      const listed = typeof declared === 'string' ? declared.split(',')[0]?.trim() : undefined;
      const type = listed ?? (isBytes ? 'application/octet-stream' : isObject(item) ? 'application/json' : undefined);
      const isFile = isBytes || (type !== undefined && !isJson(type) && !type.startsWith('text/plain'));
      return { name, value: item, type, isFile };
    });
  });
}

function encodeMultipart(value: unknown, given: Given): Buffer {
  const parts = partsOfBody(value, given).map(({ name, value: item, type, isFile }) => {
    const file = isFile ? `; filename="${name}.${extensionOf(type ?? '')}"` : '';
    const disposition = given.type === 'multipart/form-data' ? `form-data; name="${name}"${file}` : `attachment${file}`;
    const header = `Content-Disposition: ${disposition}${type === undefined ? '' : `\r\nContent-Type: ${type}`}`;
    const bytes = isFile ? encodeBytes(item, { type: type ?? '' }) : Buffer.from(textOf(item));
    return Buffer.concat([Buffer.from(`--${boundary}\r\n${header}\r\n\r\n`), bytes, Buffer.from('\r\n')]);
  });
  return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

function nodeOf({ content, form }: Pick<Given, 'content' | 'form'>): SchemaNode {
  return content.schema === undefined ? form.join() : form.at(content.schema);
}

/** Whether a schema describes bytes or a list of them. */
function isBinary(form: CanonicalForm, node: SchemaNode): boolean {
  const shape = form.branch(node);
  return shape.isBinary || (shape.types.has('array') && form.common(form.item(shape, 0)).isBinary);
}

/**
 * Encodes a value as XML by the `xml` objects of its schema (OpenAPI 3.1, 4.8.26): names, attributes, prefixes, namespaces and wrapped
 * lists. Of several branches the first counts, since branches seldom differ in names and attributes.
 */
function encodeDocument(value: unknown, given: Given): string {
  // A text that begins with `<` is a whole document from an example.
  if (typeof value === 'string' && value.trimStart().startsWith('<')) return value;
  const node = nodeOf(given);
  const name = /^#\/components\/schemas\/([A-Za-z_][\w.-]*)$/.exec(given.form.pointerOf(node) ?? '')?.[1];
  return `<?xml version="1.0" encoding="UTF-8"?>${element(given.form, node, value, name ?? 'root')}`;
}

function encodeLines(value: unknown): string {
  return typeof value === 'string'
    ? value
    : [value]
        .flat()
        .map((item) => `${JSON.stringify(item)}\n`)
        .join('');
}

/** The smallest valid files: a server would reject other content of these types before any other check. */
const files: Readonly<Record<string, string>> = {
  'image/png': 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'image/gif': 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'application/zip': 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==',
  'application/pdf':
    'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqCjIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tpZHNbXS9Db3VudCAwPj5lbmRvYmoKdHJhaWxlcjw8L1Jvb3QgMSAwIFI+PgolJUVPRgo=',
};

function encodeBytes(value: unknown, { type }: { readonly type: string }): Buffer {
  const file = files[type];
  return file === undefined ? Buffer.from(textOf(value)) : Buffer.from(file, 'base64');
}

function extensionOf(type: string): string {
  const subtype = type.split('/')[1] ?? '';
  return type === 'text/plain' ? 'txt' : /^[a-z0-9]{2,5}$/.test(subtype) ? subtype : 'bin';
}

/** A text itself, any other value as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

function element(form: CanonicalForm, node: SchemaNode, value: unknown, fallback: string): string {
  const shape = form.branch(node);
  if (Array.isArray(value)) return list(form, shape, value, fallback);
  const { open, close } = tagsOf(shape.xml, fallback);
  if (!isObject(value)) return `<${open}>${value === null ? '' : escapeText(String(value))}</${close}>`;
  let [attributes, content] = ['', ''];
  for (const [name, part] of Object.entries(value)) {
    const child = form.property(shape, name);
    const { xml } = form.branch(child);
    if (xml?.attribute === true) attributes += ` ${tagsOf(xml, name).close}="${escapeText(String(part))}"`;
    else content += element(form, child, part, name);
  }
  return `<${open}${attributes}>${content}</${close}>`;
}

/** One element for each item, named by the schema of the items; a wrapped list adds an element around them. */
function list(form: CanonicalForm, shape: Shape, items: readonly unknown[], name: string): string {
  const written = items.map((item, index) => element(form, form.item(shape, index), item, name)).join('');
  if (shape.xml?.wrapped !== true) return written;
  const { open, close } = tagsOf(shape.xml, name);
  return `<${open}>${written}</${close}>`;
}

function tagsOf(xml: JsonObject | undefined, fallback: string): { readonly open: string; readonly close: string } {
  const [name, prefix, namespace] = [textAt(xml, 'name') ?? fallback, textAt(xml, 'prefix'), textAt(xml, 'namespace')];
  const close = prefix === undefined ? name : `${prefix}:${name}`;
  const declared = prefix === undefined ? 'xmlns' : `xmlns:${prefix}`;
  return { open: namespace === undefined ? close : `${close} ${declared}="${escapeText(namespace)}"`, close };
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
