import type { SchemaNode, Shape } from '@lockstep/values/shape';
import { admits, typeOfValue } from '@lockstep/values/shape';
import { isObject, type JsonObject } from '../../conformance/contract/document.ts';
import type { CanonicalForm } from '../../conformance/schema/canonical.ts';
import { formats } from '../../conformance/schema/formats.ts';
import { normal } from './make-values.ts';

/** A place in a value: names of members, from the outside. */
export type Path = readonly string[];

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, name) => (isObject(part) ? part[name] : undefined), value);
}

const namesOfNode = new WeakMap<SchemaNode, readonly string[]>();

/** Names of the members that any branch of a schema declares, without those that are not sent in this direction. */
export function declaredNames(form: CanonicalForm, node: SchemaNode): readonly string[] {
  const known = namesOfNode.get(node);
  if (known !== undefined) return known;
  const all = new Set(form.shapes(node).flatMap((shape) => [...shape.properties.keys()]));
  const names = [...all].filter((name) => nodesOfMember(form, node, name).some((part) => !form.common(part).isLeftOut));
  namesOfNode.set(node, names);
  return names;
}

function nodesOfMember(form: CanonicalForm, node: SchemaNode, name: string): readonly SchemaNode[] {
  const having = form.shapes(node).filter((shape) => shape.properties.has(name));
  return [...new Set(having.map((shape) => form.property(shape, name)))];
}

/** The declared name that is the same without case and separators: a form may send `FriendlyName`, and the answer show `friendly_name`. */
function nameInAnswer(form: CanonicalForm, nodes: readonly SchemaNode[], name: string): string | undefined {
  const declared = nodes.flatMap((node) => declaredNames(form, node));
  return declared.includes(name) ? name : declared.find((other) => normal(other) === normal(name));
}

/** Where the schema of an answer and a request body share most members: both may have a wrapper, such as `{data: …}`. */
export interface Overlap {
  readonly inSent: Path;
  readonly inAnswer: Path;
  readonly nodes: readonly SchemaNode[];
  /** Number of shared members at this place. */
  readonly count: number;
}

/** Members of a wrapper next to the wrapped object. */
const mostBesides = 3;

const wrapperNames = /^(data|result|results|item|entity|object|payload|response|attributes|record|resource)$/i;

export function findOverlap(form: CanonicalForm, answer: SchemaNode, sent: unknown): Overlap {
  const members = isObject(sent) ? Object.keys(sent).filter((name) => isObject(sent[name])) : [];
  const isWrapped = isObject(sent) && Object.keys(sent).length <= mostBesides;
  const ofSent: Path[] = [[], ...members.filter((name) => isWrapped || wrapperNames.test(name)).map((name) => [name])];
  const count = declaredNames(form, answer).length;
  const ofAnswer = objectPlaces(form, answer).filter(
    ({ path: [name] }) => name === undefined || count <= mostBesides || wrapperNames.test(name),
  );
  let best: Overlap = { inSent: [], inAnswer: [], nodes: [answer], count: 0 };
  for (const inSent of ofSent) {
    for (const { path, nodes } of ofAnswer) {
      const part = valueAt(sent, inSent);
      if (!isObject(part)) continue;
      const shared = Object.entries(part).filter(([name, value]) => isShared(form, nodes, name, value)).length;
      if (shared > best.count) best = { inSent, inAnswer: path, nodes, count: shared };
    }
  }
  return best;
}

/** The answer itself and the objects directly in it. */
export function objectPlaces(
  form: CanonicalForm,
  node: SchemaNode,
): readonly { readonly path: Path; readonly nodes: readonly SchemaNode[] }[] {
  const inner = declaredNames(form, node).flatMap((name) => {
    const nodes = nodesOfMember(form, node, name).filter((part) => canBe(form, part, 'object'));
    return nodes.length === 0 ? [] : [{ path: [name], nodes }];
  });
  return [{ path: [], nodes: [node] }, ...inner];
}

export function canBe(form: CanonicalForm, node: SchemaNode, type: 'object' | 'array'): boolean {
  return form.shapes(node).some(({ types, hints }) => types.has(type) && (types.size < 6 || hints.has(type)));
}

/** Whether the schema of the answer declares the member, and allows its value there. */
function isShared(form: CanonicalForm, nodes: readonly SchemaNode[], name: string, value: unknown): boolean {
  const declared = nameInAnswer(form, nodes, name);
  if (declared === undefined) return false;
  const parts = nodes.flatMap((node) => nodesOfMember(form, node, declared));
  const isAllowed = parts.some((part) => !form.common(part).isLeftOut && shapesFor(form, [part], value).length > 0);
  // Objects that share no member are different things: `meta` of a request and of its answer.
  const isMap = !isObject(value) || parts.some((part) => declaredNames(form, part).length === 0);
  return isAllowed && (isMap || Object.entries(value).some(([inner, own]) => isShared(form, parts, inner, own)));
}

/** Whether a text may have the format of a branch: a uuid cannot show another text that was sent. */
function hasFormat({ format }: Shape, value: unknown): boolean {
  return (
    typeof value !== 'string' ||
    format === undefined ||
    formats[format === 'url' ? 'uri' : format]?.lenient(value) !== false
  );
}

/** Branches that allow a value. Of an object only the type counts, because an answer has more members than the request; of a list, its first item. */
function shapesFor(form: CanonicalForm, nodes: readonly SchemaNode[], value: unknown): readonly Shape[] {
  const shapes = nodes.flatMap((node) => form.shapes(node));
  if (isObject(value)) return shapes.filter(({ types }) => types.has('object'));
  const allowed = shapes.filter((shape) => admits(shape, value) && hasFormat(shape, value));
  if (!Array.isArray(value) || value.length === 0) return allowed;
  return allowed.filter((shape) => shapesFor(form, [form.item(shape, 0)], value[0]).length > 0);
}

/**
 * Compares a sent value with the one that was read, for the members that the schema of the answer shares with the sent value.
 *
 * @returns one line for each difference
 */
export function differences(
  form: CanonicalForm,
  nodes: readonly SchemaNode[],
  sent: unknown,
  read: unknown,
  at = '',
): readonly string[] {
  // A member without a value may be left out.
  if (sent === null && (read === null || read === undefined)) return [];
  if (isObject(sent)) {
    if (!isObject(read)) return [`${at || 'the body'} is ${spell(read)}, not an object`];
    return Object.entries(sent).flatMap(([name, value]) => {
      const declared = nameInAnswer(form, nodes, name);
      const place = `${at}/${name}`;
      if (declared === undefined) {
        const isMap = nodes.some((node) => declaredNames(form, node).length === 0 && at !== '');
        return isMap && !isSame(value, read[name]) ? [differ(place, value, read[name])] : [];
      }
      // Both spellings were sent: the declared one counts.
      if (declared !== name && Object.hasOwn(sent, declared)) return [];
      if (!isShared(form, nodes, name, value)) return [];
      const parts = nodes.flatMap((node) => nodesOfMember(form, node, declared));
      return differences(form, parts, value, read[declared], place);
    });
  }
  if (Array.isArray(sent) && Array.isArray(read) && sent.length === read.length) {
    const shapes = shapesFor(form, nodes, sent);
    return sent.flatMap((item, index) => {
      const parts = shapes.map((shape) => form.item(shape, index));
      return shapesFor(form, parts, item).length === 0
        ? []
        : differences(form, parts, item, read[index], `${at}/${index}`);
    });
  }
  return isSame(sent, read) ? [] : [differ(at, sent, read)];
}

const differ = (at: string, sent: unknown, read: unknown): string => `${at} is ${spell(read)}, sent ${spell(sent)}`;

export function spell(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Equal values; two spellings of one instant are equal, and an object may have gained members. */
export function isSame(sent: unknown, read: unknown): boolean {
  if (sent === read) return true;
  if (typeOfValue(sent) !== typeOfValue(read)) return false;
  if (typeof sent === 'string' && typeof read === 'string')
    return /^\d{4}-\d{2}-\d{2}T/.test(sent) && Date.parse(sent) === Date.parse(read);
  if (Array.isArray(sent) && Array.isArray(read))
    return sent.length === read.length && sent.every((item, index) => isSame(item, read[index]));
  return isObject(sent) && isObject(read) && Object.entries(sent).every(([name, value]) => isSame(value, read[name]));
}

/** A scalar in a value, with its place. Lists are not entered. */
export function* scalarsIn(
  value: unknown,
  depth: number,
  path: Path = [],
): Generator<{ path: Path; value: string | number }> {
  if (typeof value === 'string' || typeof value === 'number') yield { path, value };
  if (isObject(value) && path.length < depth)
    for (const [name, part] of Object.entries(value as JsonObject)) yield* scalarsIn(part, depth, [...path, name]);
}
