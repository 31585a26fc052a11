import { isObject, type JsonObject, textAt } from '../contract/document.ts';
import type { CanonicalForm } from '../schema/canonical.ts';
import type { SchemaNode, Shape } from '../schema/shape.ts';

/**
 * A value as XML, by the `xml` objects of its schema (OpenAPI 3.1, 4.8.26): names, attributes, prefixes, namespaces and
 * wrapped lists.
 *
 * @param node undefined where nothing describes it: elements are then called as the members are
 * @param fallback the name of the root where the schema gives none
 */
export function encodeXml(
  form: CanonicalForm | undefined,
  node: SchemaNode | undefined,
  value: unknown,
  fallback: string,
): string {
  // A text is a document that somebody wrote: an example.
  if (typeof value === 'string' && value.trimStart().startsWith('<')) return value;
  const writer: Writer = {
    form,
    shapeOf: (at) => (form === undefined || at === undefined ? undefined : shapeOf(form, at)),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>${element(writer, node, value, fallback)}`;
}

interface Writer {
  readonly form: CanonicalForm | undefined;
  readonly shapeOf: (node: SchemaNode | undefined) => Shape | undefined;
}

/** With the first branch: names and attributes are seldom those of one branch alone. */
function shapeOf(form: CanonicalForm, node: SchemaNode): Shape {
  return form.shapes(node)[0] ?? form.common(node);
}

function element(writer: Writer, node: SchemaNode | undefined, value: unknown, fallback: string): string {
  const shape = writer.shapeOf(node);
  const xml = shape?.xml ?? {};
  if (Array.isArray(value)) return list(writer, shape, value, fallback);
  const { open, close } = tagsOf(xml, fallback);
  if (!isObject(value)) return `<${open}>${value === null ? '' : escapeText(String(value))}</${close}>`;
  const members = Object.entries(value).map(([name, part]) => {
    const child = shape === undefined ? undefined : writer.form?.property(shape, name);
    const about = writer.shapeOf(child)?.xml ?? {};
    return about.attribute === true
      ? { attribute: ` ${tagsOf(about, name).close}="${escapeText(String(part))}"`, content: '' }
      : { attribute: '', content: element(writer, child, part, name) };
  });
  const attributes = members.map(({ attribute }) => attribute).join('');
  return `<${open}${attributes}>${members.map(({ content }) => content).join('')}</${close}>`;
}

/** One element for each item, called as the items say; around them another, where the list is wrapped. */
function list(writer: Writer, shape: Shape | undefined, items: readonly unknown[], name: string): string {
  const written = items
    .map((item, index) =>
      element(writer, shape === undefined ? undefined : writer.form?.item(shape, index), item, name),
    )
    .join('');
  if (shape?.xml?.wrapped !== true) return written;
  const { open, close } = tagsOf(shape.xml, name);
  return `<${open}>${written}</${close}>`;
}

function tagsOf(xml: JsonObject, fallback: string): { readonly open: string; readonly close: string } {
  const [name, prefix, namespace] = [textAt(xml, 'name') ?? fallback, textAt(xml, 'prefix'), textAt(xml, 'namespace')];
  const close = prefix === undefined ? name : `${prefix}:${name}`;
  const declared = prefix === undefined ? 'xmlns' : `xmlns:${prefix}`;
  return { open: namespace === undefined ? close : `${close} ${declared}="${escapeText(namespace)}"`, close };
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
