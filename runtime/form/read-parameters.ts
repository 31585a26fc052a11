import { type ContractDocument, followMember, followRef, readPointer } from '@lockstep/json/json-pointer';
import type { Parameter } from '../operation.ts';
import { coerceText, schemaTypes } from './coerce-text.ts';
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

/**
 * Reads a parameter from the values sent under its name, still as text.
 *
 * @param document the contract, for the schema that says which type the text becomes
 * @param pairs all that was sent at the parameter's place, in order; names of headers in lower case
 */
export function readParameter(
  document: ContractDocument,
  parameter: Parameter,
  pairs: readonly Pair[],
): ParameterReading {
  const { name, explode, style } = parameter;
  const schema = readPointer(document, parameter.schema);
  const types = schemaTypes(document, schema);
  if (style === 'deepObject') return readDeepObject(document, parameter, schema, pairs);
  const key = parameter.in === 'header' ? name.toLowerCase() : name;
  const own = pairs.filter((pair) => pair.name === key);
  const [first] = own;
  if (first === undefined) return { kind: 'absent' };
  const broken = own.find((pair) => pair.broken);
  if (broken !== undefined) return { kind: 'fault', says: `${name} ${describeBroken(broken)}` };
  if (types.has('array')) {
    if (!explode && own.length > 1) return { kind: 'fault', says: sentTwice(name, own.length) };
    const separator = separators[style] ?? ',';
    const texts = explode && style !== 'simple' ? own.map(({ value }) => value) : first.value.split(separator);
    const items = followMember(document, followRef(document, schema), 'items');
    return { kind: 'value', value: texts.map((text) => coerceText(document, items, text)) };
  }
  if (own.length > 1) return { kind: 'fault', says: sentTwice(name, own.length) };
  if (first.value === '' && parameter.allowEmptyValue) return { kind: 'empty' };
  return { kind: 'value', value: coerceText(document, schema, first.value) };
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

function readDeepObject(
  document: ContractDocument,
  parameter: Parameter,
  schema: unknown,
  pairs: readonly Pair[],
): ParameterReading {
  const properties = followMember(document, followRef(document, schema), 'properties');
  const members = new Map<string, unknown>();
  for (const pair of pairs) {
    const { name, value, broken } = pair;
    const member = deepMember(parameter, name);
    if (member === undefined) continue;
    if (broken) return { kind: 'fault', says: `${name} ${describeBroken(pair)}` };
    if (members.has(member)) return { kind: 'fault', says: sentTwice(name, 2) };
    members.set(
      member,
      coerceText(document, Object.hasOwn(properties, member) ? properties[member] : undefined, value),
    );
  }
  return members.size === 0 ? { kind: 'absent' } : { kind: 'value', value: Object.fromEntries(members) };
}

function deepMember({ name }: Parameter, sent: string): string | undefined {
  return sent.startsWith(`${name}[`) && sent.endsWith(']') ? sent.slice(name.length + 1, -1) : undefined;
}

function sentTwice(name: string, times: number): string {
  return `${name} is sent ${times} times: send it once`;
}
