import {
  type ContractDocument,
  extendPointer,
  followMember,
  followRef,
  isObject,
  readPointer,
} from '@lockstep/json/json-pointer';
import type { Parameter } from '../operation.ts';
import { type Coerce, createCoercion, freeMembers, memberSchemas, schemaTypes } from './coerce-text.ts';
import { createDeepObjectReader, type DeepText, nameDeep, stepsBelow } from './deep-object.ts';
import { isJsonType, parseNamedJson } from './parse-body.ts';
import { decodeForm, decodePercent, describeBroken, type Pair } from './parse-url-encoded.ts';
import { cut } from './sentence.ts';

/** The value of a request for one parameter. */
type ParameterReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** Sent without a value, which the contract allows. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'fault'; readonly says: string };

/** Separators of the items of a list in one value, by OpenAPI style. */
const separators: Readonly<Record<string, string>> = {
  form: ',',
  simple: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
};

/** @param pairs all pairs at the parameter's location, in order; names of headers in lower case */
export type ReadParameter = (pairs: readonly Pair[]) => ParameterReading;

/**
 * Creates the parser of one parameter from the text values under its name.
 *
 * @param document the contract, whose schema determines the type of the value
 * @param others names of the other parameters at its location
 */
export function createParameterReader(
  document: ContractDocument,
  parameter: Parameter,
  others: ReadonlySet<string> = new Set(),
): ReadParameter {
  const { name, style } = parameter;
  const { schema, isJson } = describeValue(document, parameter);
  if (isJson) return createJsonReader(parameter);
  if (style === 'deepObject') return createDeepReader(document, parameter, schema);
  if (spreadMembers(document, parameter) !== undefined) return createSpreadReader(document, schema, others);
  const key = parameter.in === 'header' ? name.toLowerCase() : name;
  const types = schemaTypes(document, schema);
  const read = types.has('array')
    ? createListReader(document, parameter, schema)
    : isObjectAlone(types)
      ? createObjectReader(document, parameter, schema)
      : createTextReader(document, parameter, schema);
  return (pairs) => {
    const own = pairs.filter((pair) => pair.name === key);
    if (own.length === 0) return { kind: 'absent' };
    const broken = own.find((pair) => pair.broken);
    return broken === undefined ? read(own) : { kind: 'fault', says: `${name} ${describeBroken(broken)}` };
  };
}

/** The schema of a parameter's value, which may be that of a document in it (`content`; OpenAPI 3.1, 4.8.12.2.2). */
interface ValueForm {
  /** Undefined if the contract has none. */
  readonly pointer: string | undefined;
  readonly schema: unknown;
  readonly isJson: boolean;
}

export function describeValue(document: ContractDocument, { schema: pointer }: Parameter): ValueForm {
  const schema = readPointer(document, pointer);
  if (schema !== undefined) return { pointer, schema, isJson: false };
  const owner = pointer.replace(/\/schema$/, '');
  const node = readPointer(document, owner);
  const [mediaType] = isObject(node) && isObject(node.content) ? Object.keys(node.content) : [];
  if (mediaType === undefined) return { pointer: undefined, schema: undefined, isJson: false };
  const inner = extendPointer(owner, 'content', mediaType, 'schema');
  const own = readPointer(document, inner);
  return { pointer: own === undefined ? undefined : inner, schema: own, isJson: isJsonType(mediaType) };
}

function createJsonReader({ name, in: place }: Parameter): ReadParameter {
  const key = place === 'header' ? name.toLowerCase() : name;
  return (pairs) => {
    const own = pairs.filter((pair) => pair.name === key);
    const [first] = own;
    if (first === undefined) return { kind: 'absent' };
    if (own.length > 1) return { kind: 'fault', says: sentTwice(name, own.length) };
    if (first.broken) return { kind: 'fault', says: `${name} ${describeBroken(first)}` };
    const parsed = parseNamedJson(first.value, name);
    return parsed.kind === 'fault'
      ? { kind: 'fault', says: parsed.says }
      : { kind: 'value', value: parsed.kind === 'value' ? parsed.value : undefined };
  };
}

function createTextReader(
  document: ContractDocument,
  { name, allowEmptyValue }: Parameter,
  schema: unknown,
): ReadParameter {
  const coerce = createCoercion(document, schema);
  return (own) => {
    if (own.length > 1) return { kind: 'fault', says: sentTwice(name, own.length) };
    const { value = '' } = own[0] ?? {};
    return value === '' && allowEmptyValue ? { kind: 'empty' } : { kind: 'value', value: coerce(value) };
  };
}

function createListReader(
  document: ContractDocument,
  { name, in: place, explode, style }: Parameter,
  schema: unknown,
): ReadParameter {
  const coerce = createCoercion(document, followMember(document, followRef(document, schema), 'items'));
  const separator = separators[style] ?? ',';
  return (own) => {
    if (!explode && own.length > 1) return { kind: 'fault', says: sentTwice(name, own.length) };
    const texts = explode && style !== 'simple' ? own.map(({ value }) => value) : splitValue(own[0], separator, place);
    return { kind: 'value', value: texts.map((text) => coerce(text)) };
  };
}

/**
 * The pieces between separators. A comma in an item is escaped, so items are split before they are decoded (RFC 6570, 2.4.2). Spaces and
 * bars are always escaped, and still separate items (OpenAPI 3.1, 4.8.12.4).
 */
function splitValue(pair: Pair | undefined, separator: string, place: Parameter['in']): readonly string[] {
  const { value = '', raw } = pair ?? {};
  if (separator !== ',' || raw === undefined) return value.split(separator);
  const decode = place === 'query' ? decodeForm : decodePercent;
  return raw.split(separator).map((piece) => decode(piece) ?? piece);
}

/** Parses an object in one value: `a=1,b=2` if exploded, else `a,1,b,2`. */
function createObjectReader(
  document: ContractDocument,
  { name, in: place, explode, style }: Parameter,
  schema: unknown,
): ReadParameter {
  const coercions = createCoercions(document, schema);
  const separator = separators[style] ?? ',';
  return (own) => {
    if (own.length > 1) return { kind: 'fault', says: sentTwice(name, own.length) };
    const apart = splitValue(own[0], separator, place);
    // One piece is an object only if the client has escaped the separators too.
    const pieces = apart.length > 1 ? apart : (own[0]?.value ?? '').split(separator);
    const members = explode
      ? pieces.map((piece) => [piece.split('=', 1)[0] ?? '', piece.slice(piece.indexOf('=') + 1)] as const)
      : pieces.flatMap((piece, index) => (index % 2 === 0 ? [[piece, pieces[index + 1] ?? ''] as const] : []));
    const isWhole = explode ? pieces.every((piece) => piece.includes('=')) : pieces.length % 2 === 0;
    const wanted = explode ? `member=value${separator}…` : `member${separator}value${separator}…`;
    if (!isWhole) return { kind: 'fault', says: `${name} is no object: send ${wanted}` };
    return {
      kind: 'value',
      value: Object.fromEntries(members.map(([key, text]) => [key, coerceBy(coercions, key, text)])),
    };
  };
}

/** Members of an object that are sent as parameters of their own. */
export interface SpreadMembers {
  readonly names: ReadonlySet<string>;
  /** Whether it accepts any other name too. */
  readonly isFree: boolean;
}

/** The members of an object that are sent as parameters of their own (style `form`, exploded); undefined for any other parameter. */
export function spreadMembers(document: ContractDocument, parameter: Parameter): SpreadMembers | undefined {
  const { style, explode } = parameter;
  const { schema: node, isJson } = describeValue(document, parameter);
  if (style !== 'form' || !explode || isJson) return undefined;
  if (!isObjectAlone(schemaTypes(document, node))) return undefined;
  return { names: new Set(memberSchemas(document, node).keys()), isFree: freeMembers(document, node) !== undefined };
}

/** @param others names of other parameters, which are not members of this object */
function createSpreadReader(document: ContractDocument, schema: unknown, others: ReadonlySet<string>): ReadParameter {
  const coercions = createCoercions(document, schema);
  return (pairs) => {
    const members = new Map<string, unknown>();
    for (const pair of pairs) {
      const { name, value, broken } = pair;
      if (!coercions.named.has(name) && (coercions.other === undefined || others.has(name))) continue;
      if (broken) return { kind: 'fault', says: `${name} ${describeBroken(pair)}` };
      if (members.has(name)) return { kind: 'fault', says: sentTwice(name, 2) };
      members.set(name, coerceBy(coercions, name, value));
    }
    return members.size === 0 ? { kind: 'absent' } : { kind: 'value', value: Object.fromEntries(members) };
  };
}

function isObjectAlone(types: ReturnType<typeof schemaTypes>): boolean {
  return types.size === 1 && types.has('object');
}

interface Coercions {
  readonly named: ReadonlyMap<string, Coerce>;
  /** For members without a description of their own; undefined if there may be none. */
  readonly other: Coerce | undefined;
}

function createCoercions(document: ContractDocument, schema: unknown): Coercions {
  const named = [...memberSchemas(document, schema)].map(
    ([member, own]) => [member, createCoercion(document, own)] as const,
  );
  const free = freeMembers(document, schema);
  return { named: new Map(named), other: free === undefined ? undefined : createCoercion(document, free) };
}

function coerceBy({ named, other }: Coercions, member: string, text: string): unknown {
  const coerce = named.get(member) ?? other;
  return coerce === undefined ? text : coerce(text);
}

/** Whether a query name belongs to a parameter: its own, `name[member]` of a deep object, or a member of one that is spread. */
export function ownsName(parameter: Parameter, name: string, members?: SpreadMembers): boolean {
  if (members !== undefined) return members.isFree || members.names.has(name);
  return parameter.style === 'deepObject' ? stepsBelow(parameter.name, name) !== undefined : parameter.name === name;
}

/** The values of a path template as pairs; broken escapes are marked as in a query. */
export function pathPairs(rawValues: ReadonlyMap<string, string>): Pair[] {
  return [...rawValues].map(([name, raw]) => {
    const value = decodePercent(raw);
    return value === undefined
      ? { name, value: raw, broken: true }
      : { name, value, broken: false, ...(value !== raw && { raw }) };
  });
}

/** The values of cookies as pairs (RFC 6265, 4.2.1). */
export function cookiePairs(header: string | undefined): Pair[] {
  return (header ?? '').split(';').flatMap((piece) => {
    const equals = piece.indexOf('=');
    return equals === -1
      ? []
      : [{ name: piece.slice(0, equals).trim(), value: piece.slice(equals + 1).trim(), broken: false }];
  });
}

function createDeepReader(document: ContractDocument, { name: base }: Parameter, schema: unknown): ReadParameter {
  const readDeep = createDeepObjectReader(document);
  return (pairs) => {
    const texts: DeepText[] = [];
    for (const pair of pairs) {
      const steps = stepsBelow(base, pair.name);
      if (steps === undefined) continue;
      if (pair.broken) return { kind: 'fault', says: `${cut(pair.name)} ${describeBroken(pair)}` };
      texts.push({ steps, value: pair.value });
    }
    if (texts.length === 0) return { kind: 'absent' };
    const read = readDeep(schema, texts);
    return read.kind === 'value' ? read : { kind: 'fault', says: `${cut(nameDeep(base, read.steps))} ${read.says}` };
  };
}

function sentTwice(name: string, times: number): string {
  return `${name} is sent ${times} times: send it once`;
}
