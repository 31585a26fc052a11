// Encodes parameters and headers in the styles of OpenAPI 3.1, 4.8.12.2.
import type { Parameter } from '../contract/contract.ts';
import { isObject, type JsonObject } from '../contract/document.ts';

/** Encoded pairs of a query or cookie parameter. */
type Pairs = readonly (readonly [name: string, value: string])[];

/** Text of a path segment in its style (RFC 6570 operators none, `.`, `;`), percent-encoded. */
export function encodePath(parameter: Parameter, value: unknown): string {
  const { name, style, explode } = parameter;
  const text = isDocument(parameter) ? JSON.stringify(value) : value;
  const encode = (part: unknown): string =>
    encodeURIComponent(spell(part)).replaceAll(/^\.+$/g, (dots) => dots.replaceAll('.', '%2E'));
  const parts = partsOf(text, explode ? '=' : ',', encode);
  if (style === 'label') return `.${parts.join(explode ? '.' : ',')}`;
  if (style !== 'matrix') return parts.join(',');
  if (explode && isObject(text)) return parts.map((part) => `;${part}`).join('');
  if (explode && Array.isArray(text)) return parts.map((part) => `;${name}=${part}`).join('');
  return `;${name}=${parts.join(',')}`;
}

/** Pairs of a query or cookie parameter, percent-encoded. */
export function encodeQuery(parameter: Parameter, value: unknown): Pairs {
  const { name, style, explode } = parameter;
  const key = encodeURIComponent(name);
  if (isDocument(parameter)) return [[key, encodeURIComponent(JSON.stringify(value))]];
  const encode = (part: unknown): string => encodeURIComponent(spell(part));
  if (isObject(value)) {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined);
    if (style === 'deepObject')
      return entries.map(([member, part]) => [`${key}%5B${encodeURIComponent(member)}%5D`, encode(part)]);
    if (explode) return entries.map(([member, part]) => [encodeURIComponent(member), encode(part)]);
  }
  if (Array.isArray(value) && explode) return value.map((part) => [key, encode(part)]);
  const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ',';
  return [[key, partsOf(value, ',', encode).join(separator)]];
}

/** Text of a header, not encoded (OpenAPI 3.1, style `simple`). */
export function encodeHeader(parameter: Parameter, value: unknown): string {
  if (isDocument(parameter)) return JSON.stringify(value);
  return partsOf(value, parameter.explode ? '=' : ',', spell).join(',');
}

function partsOf(value: unknown, between: string, encode: (part: unknown) => string): string[] {
  if (Array.isArray(value)) return value.map(encode);
  if (isObject(value)) return membersOf(value).map(([name, part]) => `${encode(name)}${between}${encode(part)}`);
  return [encode(value)];
}

function membersOf(value: JsonObject): [string, unknown][] {
  return Object.entries(value).filter(([, part]) => part !== undefined);
}

/** Integers without exponent, `262567` and never `2.62567e5`. A lone surrogate, which a server may have cut off, cannot be encoded. */
function spell(value: unknown): string {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value).toString();
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value).toWellFormed();
}

function isDocument({ mediaType }: Parameter): boolean {
  return mediaType !== undefined;
}
