import { createRequire } from 'node:module';
import { type ContractDocument, escapeSegment } from '@lockstep/json/json-pointer';
import type { SaxesAttributeNS, SaxesTagNS } from 'saxes';
import { checkJsonTree, deepestJson, tooDeep } from './check-json-tree.ts';
import { cut } from './sentence.ts';
import { instanceNamespace } from './write-xml.ts';
import { createXmlShapes, declaredXmlName, type XmlMember, type XmlShape } from './xml-shape.ts';

type ParsedXml =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'opaque' }
  | { readonly kind: 'fault'; readonly at: string; readonly says: string };

/** An open element. */
interface Frame {
  /** Name as sent. */
  readonly name: string;
  readonly shape: XmlShape;
  /** The member of the element around it that the element is; undefined for the root and an item. */
  readonly member: XmlMember | undefined;
  /** Undefined until the first item: most elements have only text. */
  items: unknown[] | undefined;
  /** Values by key, undefined until the first. */
  sent: Map<string, { readonly member: XmlMember; readonly values: unknown[] }> | undefined;
  text: string;
  isNil: boolean;
}

class XmlFault extends Error {
  readonly at: string;

  constructor(at: string, text: string) {
    super(text);
    this.at = at;
  }
}

const require = createRequire(import.meta.url);

/** Attributes of XML itself: declarations of namespaces, types and places of schemas, languages and spaces. */
const ofXml: ReadonlySet<string> = new Set([
  'http://www.w3.org/2000/xmlns/',
  'http://www.w3.org/XML/1998/namespace',
  instanceNamespace,
]);

/**
 * Parses an XML document into the value for its schema. Text becomes a number or a boolean only if the schema requires one. A list takes a single element
 * too. An empty element is an empty text, object or list, or null, the first that the schema allows; `xsi:nil="true"` is null. The element around a wrapped
 * list has only items, of any name.
 *
 * The root must have the name that the schema declares in its XML Object, since services bound to that name reject others. A schema without such a name
 * accepts any root: generators and frameworks disagree about the default.
 *
 * A document that the contract describes as a text, or not at all, is opaque: a picture, an envelope of SOAP.
 *
 * A DOCTYPE is refused: a document type may declare entities that grow without bound, or that read other files.
 */
export function parseXml(document: ContractDocument, schema: unknown, text: string): ParsedXml {
  const shapeOf = createXmlShapes(document);
  const { types, isObject } = shapeOf(schema);
  if (types.size === 0 ? !isObject : types.has('string')) return { kind: 'opaque' };
  if (text.trim() === '') return { kind: 'fault', at: '', says: 'the body is empty: send XML' };
  // 10 ms, which only a process pays that gets XML.
  const { SaxesParser } = require('saxes') as typeof import('saxes');
  const frames: Frame[] = [];
  let root: unknown;
  let closed = '';
  // Contracts that declare a prefix without a namespace have it in documents, undeclared.
  const parser = new SaxesParser({ xmlns: true, resolvePrefix: (prefix: string) => prefix });
  parser.on('error', ({ message }) => {
    const reason = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    const expected = reason === 'unexpected close tag' ? `, </${closed}> is expected` : '';
    const place = `line ${parser.line} column ${parser.column}`;
    throw new XmlFault('', `the body is not valid XML, see ${place}: ${cut(reason)}${expected}`);
  });
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (!/^(?:utf-?8|us-ascii)$/i.test(encoding))
      throw new XmlFault('', `the body is declared as ${cut(encoding)}: send it in UTF-8`);
  });
  parser.on('doctype', () => {
    throw new XmlFault('', 'the body has a DOCTYPE, which is not taken: send the document without it');
  });
  parser.on('opentag', open);
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', close);
  try {
    parser.write(text).close();
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    return { kind: 'fault', at: error.at, says: error.message };
  }
  const fault = checkJsonTree(root);
  return fault === undefined ? { kind: 'value', value: root } : { kind: 'fault', ...fault };

  function open({ name, local, attributes }: SaxesTagNS): void {
    const around = frames.at(-1);
    // An item of an unwrapped list is one level here and two in the value, which is checked afterwards.
    if (frames.length > deepestJson) throw new XmlFault('', tooDeep.says);
    if (around === undefined) checkRoot(local);
    const member = around?.shape.types.has('array') === false ? memberNamed(around, local, false) : undefined;
    const own = around === undefined ? schema : member === undefined ? around.shape.items : member.schema;
    frames.push({ name, shape: shapeOf(own), member, items: undefined, sent: undefined, text: '', isNil: false });
    for (const key in attributes) addAttribute(attributes[key]);
  }

  function checkRoot(name: string): void {
    const wanted = declaredXmlName(document, schema);
    if (wanted !== undefined && wanted !== name)
      throw new XmlFault('', `the root element is <${cut(name)}>: send <${wanted}>`);
  }

  function addAttribute(attribute: SaxesAttributeNS | undefined): void {
    const frame = frames.at(-1);
    if (frame === undefined || attribute === undefined) return;
    const { local, uri, value } = attribute;
    if (uri === instanceNamespace && local === 'nil') frame.isNil = /^\s*(?:true|1)\s*$/.test(value);
    if (ofXml.has(uri)) return;
    const member = memberNamed(frame, local, true);
    add(frame, member, readText(shapeOf(member.schema), value));
  }

  /** @throws XmlFault for the key of a member that has another name or place in XML */
  function memberNamed(frame: Frame, name: string, isAttribute: boolean): XmlMember {
    const member = frame.shape.memberNamed(name, isAttribute);
    if (!member.isDescribed || (member.name === name && member.isAttribute === isAttribute)) return member;
    const wanted = member.isAttribute ? `the attribute ${member.name}` : `the element <${member.name}>`;
    throw new XmlFault(`${placeOf()}/${escapeSegment(member.key)}`, `${cut(name)} is not known here: send ${wanted}`);
  }

  function addText(text: string): void {
    const frame = frames.at(-1);
    if (frame !== undefined) frame.text += text;
  }

  function close({ name }: SaxesTagNS): void {
    const frame = frames.at(-1);
    if (frame === undefined) return;
    const value = readElement(frame, placeOf);
    frames.pop();
    closed = name;
    const around = frames.at(-1);
    if (around === undefined) root = value;
    else if (frame.member !== undefined) add(around, frame.member, value);
    else if (around.items === undefined) around.items = [value];
    else around.items.push(value);
  }

  /** JSON pointer of the innermost element. */
  function placeOf(): string {
    return frames
      .map(({ member }, depth) => {
        const around = frames[depth - 1];
        if (around === undefined) return '';
        if (member === undefined) return `/${around.items?.length ?? 0}`;
        const index = around.sent?.get(member.key)?.values.length ?? 0;
        return `/${escapeSegment(member.key)}${member.isUnwrapped ? `/${index}` : ''}`;
      })
      .join('');
  }
}

/** The value of an example or answer that is written as XML; the same if it is opaque or faulty. */
export function readXml(document: ContractDocument, schema: unknown, written: unknown): unknown {
  const parsed = typeof written === 'string' ? parseXml(document, schema, written) : undefined;
  return parsed?.kind === 'value' ? parsed.value : written;
}

function add(frame: Frame, member: XmlMember, value: unknown): void {
  frame.sent ??= new Map();
  const known = frame.sent.get(member.key);
  if (known === undefined) frame.sent.set(member.key, { member, values: [value] });
  else known.values.push(value);
}

/** @param place JSON pointer of the element */
function readElement({ name, shape, items, sent, text, isNil }: Frame, place: () => string): unknown {
  if (isNil) return null;
  if (items === undefined && sent === undefined) return readText(shape, text);
  if (text.trim() !== '') throw new XmlFault(place(), `<${cut(name)}> has text next to its elements or attributes`);
  if (sent === undefined) return items;
  const members = [...sent].map(([key, { member, values }]) => {
    if (member.isUnwrapped) return [key, member.isNullable && values.every((one) => one === null) ? null : values];
    if (values.length > 1 && member.isDescribed)
      throw new XmlFault(`${place()}/${escapeSegment(key)}`, `${cut(member.name)} is sent more than once`);
    return [key, values.length > 1 ? values : values[0]];
  });
  return Object.fromEntries([...missingLists(shape), ...members]);
}

function readText(shape: XmlShape, text: string): unknown {
  const { types, coerce } = shape;
  const trimmed = text.trim();
  if (trimmed !== '') return types.has('string') || types.size === 0 ? text : coerce(trimmed);
  if (types.has('string')) return text;
  if (shape.isObject) return Object.fromEntries(missingLists(shape));
  return types.has('array') ? [] : types.has('null') ? null : text;
}

function missingLists({ requiredLists }: XmlShape): [string, unknown][] {
  return requiredLists.map(({ key }) => [key, []]);
}
