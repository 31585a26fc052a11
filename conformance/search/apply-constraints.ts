import type { MediaContent, Parameter } from '../contract/contract.ts';
import { isObject, type Pointer } from '../contract/document.ts';
import { replaceAt } from '../data/time.ts';
import { buildFrom, type DataTools } from '../data/value-candidates.ts';
import { type Constraint, type Constraints, keyOf } from '../rejections/constraints.ts';
import { valueAt } from '../rejections/find-place.ts';
import { normal } from '../resources/slots.ts';

interface Application {
  readonly tools: DataTools;
  /** Number of bodies of this operation that were made unique so far. */
  readonly count: number;
}

/** Applies the constraints to a body. A change that the contract does not allow is skipped. */
export function applyToBody(
  { tools, count }: Application,
  content: MediaContent,
  body: unknown,
  constraints: Constraints,
): unknown {
  let result = body;
  const isValid = (value: unknown): boolean =>
    content.schema === undefined || tools.judge.accepts(content.schema, 'request', value);
  for (const constraint of constraints.values()) {
    const { about } = constraint;
    if (about.kind !== 'body' || about.tokens.length === 0) continue;
    const now = valueAt(result, about.tokens);
    const at = `/${about.tokens.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
    if (constraint.forbidden) {
      const without = removeAt(result, about.tokens);
      if (isValid(without)) {
        result = without;
        continue;
      }
    }
    if (now === undefined && !constraint.required) continue;
    const name = about.tokens.findLast((token) => !/^\d+$/.test(token)) ?? '';
    // A value that is rejected but required by the contract is replaced.
    const asked = constraint.forbidden ? { ...constraint, wrong: constraint.wrong + 1 } : constraint;
    for (const value of valuesFor({ tools, count }, asked, name, about.schema, now)) {
      const changed = now === undefined ? addAt(result, about.tokens, value) : replaceAt(result, at, value);
      if (!isValid(changed)) continue;
      result = changed;
      break;
    }
  }
  return result;
}

/** Applies the constraints to a parameter's value; undefined omits the parameter. */
export function applyToParameter(
  application: Application,
  parameter: Parameter,
  value: unknown,
  constraints: Constraints,
): unknown {
  const constraint = constraints.get(keyOf({ kind: 'parameter', parameter }));
  if (constraint === undefined) return value;
  if (constraint.forbidden && !parameter.required) return undefined;
  if (value === undefined && !constraint.required) return undefined;
  const { tools } = application;
  for (const candidate of valuesFor(application, constraint, parameter.name, parameter.schema, value)) {
    if (parameter.schema === undefined || tools.judge.accepts(parameter.schema, 'request', candidate)) {
      return candidate;
    }
  }
  return value;
}

function* valuesFor(
  { tools, count }: Application,
  constraint: Constraint,
  name: string,
  schema: Pointer | undefined,
  now: unknown,
): Generator<unknown> {
  const { keywords, wrong } = constraint;
  if (Array.isArray(keywords.enum)) {
    const members = keywords.enum.filter((member) => member !== now);
    yield* members.slice(wrong % Math.max(1, members.length));
    yield* members.map(String);
  }
  const build = (variant: number): unknown => {
    const also = { ...keywords };
    delete also.enum;
    const tag = count > 0 ? `${tools.tag}-${freshOf(tools, count)}` : tools.tag;
    const seed = tools.seed + wrong + count;
    const plain = buildFrom(tools, schema, { tag, seed, variant, optional: wrong % 2 === 1 }, name, also);
    // Servers that require a value usually reject an empty one.
    const isEmpty = Array.isArray(plain) ? plain.length === 0 : isObject(plain) && Object.keys(plain).length === 0;
    return isEmpty || plain === null
      ? buildFrom(tools, schema, { tag, seed, variant, optional: true }, name, also)
      : plain;
  };
  const wanted = now === undefined || Object.keys(keywords).length > 0 || wrong > 0;
  if (wanted) for (const variant of [wrong, wrong + 1, 0]) yield build(variant);
}

/** Text that differs in each run and at each call, and is the same for the same clock. */
export function freshOf({ now, seed }: DataTools, count: number): string {
  return `${Math.floor(now / 1_000 + (seed % 1_000)).toString(36)}${count.toString(36)}`;
}

/** Whether a text shows that the run has made it. */
export function isOfRun(value: unknown, { tag, now }: Pick<DataTools, 'now'> & { readonly tag: string }): boolean {
  if (typeof value !== 'string') return false;
  return normal(value).includes(normal(tag)) || renewEndings(value, { now }, 0) !== value;
}

/** Seeds move the time in the endings of one run by less. */
const mostSeconds = 1_000;

/**
 * A copy in which each text with an ending of this run has another ending of the same length: a server may accept a name only once.
 *
 * @param count number of the copy
 */
export function renewEndings(value: unknown, { now }: Pick<DataTools, 'now'>, count: number): unknown {
  const start = Math.floor(now / 1_000);
  const heads = [start, start + mostSeconds].map((time) => time.toString(36).slice(0, 3));
  const ending = new RegExp(`(?:${heads.join('|')})[a-z0-9]{3}(?=[a-z0-9]{1,5}(?:$|[@?#]))`);
  const renew = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(renew);
    if (isObject(part)) return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, renew(inner)]));
    if (typeof part !== 'string') return part;
    return part.replace(ending, (time) => (Number.parseInt(time, 36) + mostSeconds + count).toString(36));
  };
  return renew(value);
}

/**
 * Adds an ending to a text and keeps its format: an e-mail address gets another mailbox at the same domain, a URL another path on
 * the same host.
 */
export function addEnding(text: string, ending: string): string {
  const [url, start = '', path = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^?#]*)(.*)$/is.exec(text) ?? [];
  if (url !== undefined) {
    const isBare = path === '' || path.endsWith('/');
    return `${start}${path || '/'}${isBare ? ending.replace(/^-/, '') : ending}${rest}`;
  }
  const at = /\S@[^@\s]+$/.test(text) ? text.lastIndexOf('@') : text.length;
  return `${text.slice(0, at)}${ending}${text.slice(at)}`;
}

function removeAt(value: unknown, [token, ...rest]: readonly string[]): unknown {
  if (token === undefined) return value;
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === token ? removeAt(item, rest) : item));
  if (!isObject(value)) return value;
  if (rest.length > 0) return { ...value, [token]: removeAt(value[token], rest) };
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== token));
}

/** A copy with a value at a place; objects and lists on the way are added. */
export function addAt(value: unknown, [token, ...rest]: readonly string[], added: unknown): unknown {
  if (token === undefined) return added;
  if (/^\d+$/.test(token)) {
    const list = Array.isArray(value) ? value : [];
    return [addAt(list[0], rest, added), ...list.slice(1)];
  }
  const object = isObject(value) ? value : {};
  return { ...object, [token]: addAt(object[token], rest, added) };
}
