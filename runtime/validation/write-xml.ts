import { type ContractDocument, isObject } from '@lockstep/json/json-pointer';
import { createXmlShapes, type XmlShape, xmlName } from './xml-shape.ts';

export const instanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance';

/**
 * Writes a value as an XML document, as the value that JSON would have: a `Date` is a text, and an undefined item null. `parseXml` gives the value back, with two exceptions: an empty list that is not wrapped has no element, and a
 * character that XML does not have is written as U+FFFD. Null is `xsi:nil`, as in OpenAPI 3.2; a list at the root or in a list is always wrapped.
 */
export function writeXml(document: ContractDocument, schema: unknown, value: unknown): string {
  const shapeOf = createXmlShapes(document);
  const root = xmlName(document, schema, componentOf(schema) ?? 'root');
  const whole: unknown = JSON.parse(JSON.stringify(value));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(root, schema, whole, componentOf(shapeOf(schema).items))}`;

  function writeElement(name: string, schema: unknown, value: unknown, itemName = name): string {
    if (value === null) return `<${name} xsi:nil="true" xmlns:xsi="${instanceNamespace}"/>`;
    const shape = shapeOf(schema);
    if (Array.isArray(value)) {
      const own = xmlName(document, shape.items, itemName);
      return wrap(name, '', value.map((item) => writeElement(own, shape.items, item)).join(''));
    }
    return isObject(value) ? writeObject(name, shape, value) : wrap(name, '', escapeXml(textOf(value)));
  }

  function writeObject(name: string, shape: XmlShape, value: Readonly<Record<string, unknown>>): string {
    let attributes = '';
    let inner = '';
    for (const [key, part] of Object.entries(value)) {
      const member = shape.memberOf(key);
      const isUnwrapped = Array.isArray(part) && (member.isUnwrapped || member.schema === undefined);
      if (!member.isAttribute)
        for (const one of isUnwrapped ? part : [part]) inner += writeElement(member.name, member.schema, one);
      else if (part !== null) attributes += ` ${member.name}="${escapeXml(textOf(part))}"`;
    }
    return wrap(name, attributes, inner);
  }
}

function wrap(name: string, attributes: string, inner: string): string {
  return `<${name}${attributes}>${inner}</${name}>`;
}

/** The name of a component that a schema refers to. */
function componentOf(schema: unknown): string | undefined {
  return isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
}

/** Whole numbers have digits only, as `integer` is read. */
function textOf(value: unknown): string {
  if (typeof value === 'number' && Number.isInteger(value)) return String(BigInt(value));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Controls are references: a parser reads a line break or a tab as another one or as a space (XML 1.0, 2.11 and 3.3.3). XML does not have all. */
function escapeXml(text: string): string {
  const reference = (one: string): string => (/[\t\n\r\x7f-\x9f]/.test(one) ? `&#${one.charCodeAt(0)};` : '\uFFFD');
  return text.toWellFormed().replaceAll(/[&<>"\p{Cc}\uFFFE\uFFFF]/gu, (one) => escapes[one] ?? reference(one));
}
