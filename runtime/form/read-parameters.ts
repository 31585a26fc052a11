import { type ContractDocument, followMember, followRef, readPointer } from '@lockstep/json/json-pointer';
import type { Parameter } from '../operation.ts';
import { type Coerce, createCoercion, memberSchemas, schemaTypes } from './coerce-text.ts';
import { decodePercent, describeBroken, type Pair } from './parse-url-encoded.ts';

/** What a request sends for one parameter. */
type ParameterReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** Sent without a value, where the contract allows that. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'fault'; readonly says: string };

/** What stands between the items of a list in one value, by OpenAPI style. */
const separators: Readonly<Record<string, string>> = {
  form: ',',
  simple: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
};

/** @param pairs all that was sent at the parameter's place, in order; names of headers in lower case */
export type ReadParameter = (pairs: readonly Pair[]) => ParameterReading;

/**
 * Makes the reading of one parameter from the values sent under its name, still as text.
 *
 * @param document the contract, for the schema that says which type the text becomes
 */
export function createParameterReader(document: ContractDocument, parameter: Parameter): ReadParameter {
  const { name, style } = parameter;
  const schema = readPointer(document, parameter.schema);
  if (style === 'deepObject') return createDeepReader(document, parameter, schema);
  if (spreadMembers(document, parameter) !== undefined) return createSpreadReader(document, schema);
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
  { name, explode, style }: Parameter,
  schema: unknown,
): ReadParameter {
  const coerce = createCoercion(document, followMember(document, followRef(document, schema), 'items'));
  const separator = separators[style] ?? ',';
  return (own) => {
    if (!explode && own.length > 1) return { kind: 'fault', says: sentTwice(name, own.length) };
    const texts =
      explode && style !== 'simple' ? own.map(({ value }) => value) : (own[0]?.value.split(separator) ?? []);
    return { kind: 'value', value: texts.map((text) => coerce(text)) };
  };
}

/** An object in one value: `a=1,b=2` where it is exploded, else `a,1,b,2`. */
function createObjectReader(
  document: ContractDocument,
  { name, explode, style }: Parameter,
  schema: unknown,
): ReadParameter {
  const coercions = createCoercions(document, schema);
  const separator = separators[style] ?? ',';
  return (own) => {
    if (own.length > 1) return { kind: 'fault', says: sentTwice(name, own.length) };
    const pieces = (own[0]?.value ?? '').split(separator);
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

/** The members of an object that are sent as parameters of their own (style `form`, exploded); undefined for any other parameter. */
export function spreadMembers(
  document: ContractDocument,
  { style, explode, schema }: Parameter,
): ReadonlySet<string> | undefined {
  if (style !== 'form' || !explode) return undefined;
  const node = readPointer(document, schema);
  return isObjectAlone(schemaTypes(document, node)) ? new Set(memberSchemas(document, node).keys()) : undefined;
}

function createSpreadReader(document: ContractDocument, schema: unknown): ReadParameter {
  const coercions = createCoercions(document, schema);
  return (pairs) => {
    const members = new Map<string, unknown>();
    for (const pair of pairs) {
      const { name, value, broken } = pair;
      if (!coercions.has(name)) continue;
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

function createCoercions(document: ContractDocument, schema: unknown): ReadonlyMap<string, Coerce> {
  return new Map([...memberSchemas(document, schema)].map(([member, own]) => [member, createCoercion(document, own)]));
}

function coerceBy(coercions: ReadonlyMap<string, Coerce>, member: string, text: string): unknown {
  const coerce = coercions.get(member);
  return coerce === undefined ? text : coerce(text);
}

/** Whether a query name belongs to a parameter: its own, `name[member]` of a deep object, or a member of one that is spread. */
export function ownsName(parameter: Parameter, name: string, members?: ReadonlySet<string>): boolean {
  if (members !== undefined) return members.has(name);
  return parameter.style === 'deepObject' ? deepMember(parameter, name) !== undefined : parameter.name === name;
}

/** The values of a path template as pairs; a broken escape is marked, as in a query. */
export function pathPairs(rawValues: ReadonlyMap<string, string>): Pair[] {
  return [...rawValues].map(([name, raw]) => {
    const value = decodePercent(raw);
    return value === undefined ? { name, value: raw, broken: true } : { name, value, broken: false };
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

function createDeepReader(document: ContractDocument, parameter: Parameter, schema: unknown): ReadParameter {
  const coercions = createCoercions(document, schema);
  return (pairs) => {
    const members = new Map<string, unknown>();
    for (const pair of pairs) {
      const { name, value, broken } = pair;
      const member = deepMember(parameter, name);
      if (member === undefined) continue;
      if (broken) return { kind: 'fault', says: `${name} ${describeBroken(pair)}` };
      if (members.has(member)) return { kind: 'fault', says: sentTwice(name, 2) };
      members.set(member, coerceBy(coercions, member, value));
    }
    return members.size === 0 ? { kind: 'absent' } : { kind: 'value', value: Object.fromEntries(members) };
  };
}

function deepMember({ name }: Parameter, sent: string): string | undefined {
  return sent.startsWith(`${name}[`) && sent.endsWith(']') ? sent.slice(name.length + 1, -1) : undefined;
}

function sentTwice(name: string, times: number): string {
  return `${name} is sent ${times} times: send it once`;
}
