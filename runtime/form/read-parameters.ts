import { type ContractDocument, followMember, followRef, readPointer } from '@lockstep/json/json-pointer';
import type { Parameter } from '../operation.ts';
import { createCoercion, schemaTypes } from './coerce-text.ts';
import { decodePercent, describeBroken, type Pair } from './parse-url-encoded.ts';

/** What a request sends for one parameter. */
export type ParameterReading =
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
  const key = parameter.in === 'header' ? name.toLowerCase() : name;
  const read = schemaTypes(document, schema).has('array')
    ? createListReader(document, parameter, schema)
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

/** Whether a query name belongs to a parameter: its own, or `name[member]` of a deep object. */
export function ownsName(parameter: Parameter, name: string): boolean {
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
  const properties = followMember(document, followRef(document, schema), 'properties');
  const coercions = new Map(
    Object.entries(properties).map(([member, property]) => [member, createCoercion(document, property)]),
  );
  return (pairs) => {
    const members = new Map<string, unknown>();
    for (const pair of pairs) {
      const { name, value, broken } = pair;
      const member = deepMember(parameter, name);
      if (member === undefined) continue;
      if (broken) return { kind: 'fault', says: `${name} ${describeBroken(pair)}` };
      if (members.has(member)) return { kind: 'fault', says: sentTwice(name, 2) };
      members.set(member, coercions.get(member)?.(value) ?? value);
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
