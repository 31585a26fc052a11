import type { MediaContent, Parameter } from '../contract/contract.ts';
import { isObject, type Pointer } from '../contract/document.ts';
import { replaceAt } from '../data/time.ts';
import { buildFrom, type DataTools } from '../data/value-candidates.ts';
import { type Constraint, type Constraints, keyOf } from '../rejections/constraints.ts';
import { valueAt } from '../rejections/find-place.ts';

interface Application {
  readonly tools: DataTools;
  /** How many bodies of this operation were made unique: no two are alike. */
  readonly count: number;
}

/** A body as the constraints want it. A part that the contract would not take then is left as it was: it is told, not sent. */
export function applyToBody(
  { tools, count }: Application,
  content: MediaContent,
  body: unknown,
  constraints: Constraints,
): unknown {
  let made = body;
  const isValid = (value: unknown): boolean =>
    content.schema === undefined || tools.judge.accepts(content.schema, 'request', value);
  for (const constraint of constraints.values()) {
    const { about } = constraint;
    if (about.kind !== 'body' || about.tokens.length === 0) continue;
    const now = valueAt(made, about.tokens);
    const at = `/${about.tokens.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
    if (constraint.forbidden) {
      const without = removeAt(made, about.tokens);
      if (isValid(without)) {
        made = without;
        continue;
      }
    }
    if (now === undefined && !constraint.required) continue;
    const name = about.tokens.findLast((token) => !/^\d+$/.test(token)) ?? '';
    // What cannot be left out has to be another.
    const asked = constraint.forbidden ? { ...constraint, wrong: constraint.wrong + 1 } : constraint;
    for (const value of valuesFor({ tools, count }, asked, name, about.schema, now)) {
      const changed = now === undefined ? addAt(made, about.tokens, value) : replaceAt(made, at, value);
      if (!isValid(changed)) continue;
      made = changed;
      break;
    }
  }
  return made;
}

/** A parameter's value as the constraints want it; undefined where it is to be left out. */
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
    // What is wanted has something in it.
    const isEmpty = Array.isArray(plain) ? plain.length === 0 : isObject(plain) && Object.keys(plain).length === 0;
    return isEmpty || plain === null
      ? buildFrom(tools, schema, { tag, seed, variant, optional: true }, name, also)
      : plain;
  };
  const wanted = now === undefined || Object.keys(keywords).length > 0 || wrong > 0;
  if (wanted) for (const variant of [wrong, wrong + 1, 0]) yield build(variant);
}

/** Different in each run and at each call, and the same for the same clock. */
export function freshOf({ now, seed }: DataTools, count: number): string {
  return `${Math.floor(now / 1_000 + (seed % 1_000)).toString(36)}${count.toString(36)}`;
}

/**
 * A text with an ending that makes it another one of its kind: the mailbox of an e-mail address changes and its domain does not,
 * the path of a URL and not its host.
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

function addAt(value: unknown, [token, ...rest]: readonly string[], made: unknown): unknown {
  if (token === undefined) return made;
  if (/^\d+$/.test(token)) {
    const list = Array.isArray(value) ? value : [];
    return [addAt(list[0], rest, made), ...list.slice(1)];
  }
  const object = isObject(value) ? value : {};
  return { ...object, [token]: addAt(object[token], rest, made) };
}
