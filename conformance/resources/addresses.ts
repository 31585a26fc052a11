import type { Operation } from '../contract/contract.ts';
import { evaluate, type Seen } from '../contract/document.ts';
import type { OutgoingRequest } from '../execute/exchange.ts';
import { isScalar, type Scalar } from './read-items.ts';
import { type Slot, slotsOf } from './slots.ts';

/** One key for an address, whether its values are numbers or text. */
export function addressKey(values: readonly Scalar[]): string {
  return JSON.stringify(values.map(String));
}

export function isSameParents(a: readonly Scalar[], b: readonly Scalar[]): boolean {
  return a.length === b.length && a.every((value, index) => String(value) === String(b[index]));
}

/** Values of the path's parameters in their order, up to the first that is not a scalar. */
export function pathValues({ path }: Operation, seen: Seen): Scalar[] {
  const values: Scalar[] = [];
  for (const { parameter } of slotsOf(path)) {
    const value = seen.path[parameter];
    if (!isScalar(value)) break;
    values.push(value);
  }
  return values;
}

/** Prefixes of a path that no parameter follows, `/pet` of `/pet/findByStatus`: an answer may show their items. */
export function parentPaths(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(2).flatMap((_, index) => {
    const rest = segments.slice(index + 2);
    return rest.some((segment) => segment.includes('{')) ? [] : [segments.slice(0, index + 2).join('/')];
  });
}

/** The slot and values of an address. The longest matching template wins. */
export function readAddress(
  text: string,
  templates: readonly Slot[],
): { readonly slot: Slot; readonly values: readonly Scalar[] } | undefined {
  if (!/^(https?:\/\/[^/]+)?\/|^\.{0,2}\/|^[\w-]+\//.test(text)) return undefined;
  const segments = (text.replace(/^https?:\/\/[^/]+/, '').split(/[?#]/)[0] ?? '')
    .split('/')
    .filter((part) => part !== '');
  for (const slot of templates) {
    const wanted = slot.key.split('/').filter((part) => part !== '');
    const own = segments.slice(-wanted.length);
    if (own.length < wanted.length || !wanted.some((part) => part !== '{}')) continue;
    const isFit = wanted.every((part, index) => part === '{}' || part === own[index]);
    if (!isFit || wanted.at(-1) !== '{}') continue;
    return { slot, values: own.filter((_, index) => wanted[index] === '{}').map(decode) };
  }
  return undefined;
}

/** The path of a reference beneath the base of a request, without its fragment; undefined for any other place. */
export function pathBeneath(request: Pick<OutgoingRequest, 'base' | 'path'>, reference: string): string | undefined {
  const base = new URL(request.base);
  const target = URL.parse(reference, `${request.base}${request.path}`);
  const above = base.pathname.replace(/\/$/, '');
  if (target === null || target.origin !== base.origin || !target.pathname.startsWith(`${above}/`)) return undefined;
  return `${target.pathname.slice(above.length)}${target.search}`;
}

/** The path of a `Location` beneath the base: a server behind a proxy may leave out the path of the base URL. */
export function locationBeneath(request: Pick<OutgoingRequest, 'base' | 'path'>, location: string): string | undefined {
  return pathBeneath(request, location) ?? (/^\/[^?#]*$/.test(location) ? location : undefined);
}

/** Link parameters, `$response.body#/payload/0/id`, read for another item of the list; undefined if a value is missing. */
export function linkedValues(parameters: object, index: number, seen: Seen): Record<string, Scalar> | undefined {
  const values: Record<string, Scalar> = {};
  for (const [name, expression] of Object.entries(parameters)) {
    const isOfBody = typeof expression === 'string' && expression.startsWith('$response.body#');
    const own = isOfBody ? expression.replace(/\/0(?=\/|$)/, `/${index}`) : expression;
    if (isOfBody && index > 0 && own === expression) return undefined;
    const value = evaluate(own, seen);
    if (!isScalar(value)) return undefined;
    values[name.replace(/^(path|query|header|cookie)\./, '')] = value;
  }
  return index > 0 && Object.values(parameters).every((part) => !String(part).startsWith('$response.body#'))
    ? undefined
    : values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
