import { buildValue } from '@lockstep/values/build-value';
import type { Contract, MediaContent, Operation, Parameter } from '../../conformance/contract/contract.ts';
import { isObject, type JsonObject, memberOf } from '../../conformance/contract/document.ts';
import { rankContents } from '../../conformance/data/encode-body.ts';
import { bodyCandidates, type DataTools, valueCandidates } from '../../conformance/data/value-candidates.ts';
import type { Judge } from '../../conformance/schema/create-judge.ts';

export interface MadeBody {
  readonly content: MediaContent;
  readonly value: unknown;
}

/** Values of the path by the names of its parameters, without case and separators. */
export type PathValues = ReadonlyMap<string, unknown>;

export interface Maker {
  /**
   * A valid body with most of its optional members.
   *
   * @param serial bodies with different numbers differ in their texts and numbers
   * @param fixed members that have the name of a parameter of the path get its value
   * @returns undefined if none can be built; a body without a value if the operation has none
   */
  readonly body: (operation: Operation, serial: number, fixed: PathValues) => MadeBody | 'none' | undefined;
  /** A valid value, the contract's example first; with a number above 0, one that the contract does not name. */
  readonly parameter: (parameter: Parameter, serial: number) => unknown;
  readonly accepts: (schema: string | undefined, value: unknown) => boolean;
}

/** Levels down to which optional members are built. */
const deepest = 2;

/** Optional members that a client leaves to the server. */
const ofServer =
  /^(_?id|uuid|guid|uid|etag|_?links?|self|self_?link|href|resource_?version|generation|revision|managed_?fields|owner_?references)$|(created|updated|modified|deleted|creation|deletion)(_?(at|by|on|date|time|timestamp|grace_?period_?seconds))?$|_(at|by)$|[a-z](At|By)$/i;

export const normal = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();

export function createMaker(contract: Contract, judge: Judge): Maker {
  const form = judge.forms.request;
  const now = Date.now();
  const toolsFor = (serial: number): DataTools => ({ contract, judge, now, tag: tagOf(serial), seed: 7 * serial + 1 });
  const accepts = (schema: string | undefined, value: unknown): boolean =>
    schema === undefined || judge.accepts(schema, 'request', value);

  const build = (schema: string, serial: number, wishes: { optional: boolean; examples: boolean }): unknown =>
    buildValue(form.at(schema), {
      ...{ form, now, seed: 7 * serial + 1, tag: tagOf(serial), word: 'walk', variant: 0, serial, deepest, ...wishes },
      spent: { parts: 0, bytes: 0 },
    });

  const candidates = function* (content: MediaContent, serial: number): Generator<unknown> {
    const { schema } = content;
    if (schema === undefined) {
      yield { name: tagOf(serial) };
      return;
    }
    for (const optional of [true, false])
      for (const examples of [false, true]) yield build(schema, serial, { optional, examples });
    const listed = bodyCandidates(toolsFor(serial), content);
    for (let index = 0; index < 6; index += 1) yield listed.at(index)?.value;
  };

  return {
    accepts,
    body: (operation, serial, fixed) => {
      const contents = rankContents(operation.body?.contents ?? []).sort((a, b) => rankOf(a) - rankOf(b));
      // Of content in a GET nothing is expected (RFC 9110, 9.3.1), and `fetch` sends none.
      const isOptional = operation.body?.required !== true;
      if (contents.length === 0 || (operation.method === 'get' && isOptional)) return 'none';
      for (const content of contents) {
        for (const value of candidates(content, serial)) {
          if (value === undefined || !accepts(content.schema, value)) continue;
          const isValid = (changed: unknown): boolean => accepts(content.schema, changed);
          const isForm = /x-www-form-urlencoded/.test(content.mediaType);
          return { content, value: fix(isObject(value) ? clean(value, isValid, isForm) : value, fixed, isValid) };
        }
      }
      return isOptional ? 'none' : undefined;
    },
    parameter: (parameter, serial) => {
      if (serial === 0)
        return valueCandidates(toolsFor(0), parameter.schema, parameter.examples, parameter.name).at(0)?.value;
      if (parameter.schema === undefined) return tagOf(serial);
      // Beyond the members of an enum there is no further value.
      for (let index = 0; index < 4; index += 1) {
        const value = build(parameter.schema, serial + index, { optional: false, examples: false });
        if (accepts(parameter.schema, value)) return value;
      }
      return undefined;
    },
  };
}

const tagOf = (serial: number): string => `walk${serial.toString(36)}`;

/** A merge patch before a JSON Patch, whose schema describes no member of the item. */
function rankOf({ mediaType }: MediaContent): number {
  return /json-patch/.test(mediaType) ? 2 : /^multipart/.test(mediaType) ? 1 : 0;
}

/** Whether a value has no content: at the deepest level, objects are built without members, and of no certain kind. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isEmpty);
  return isObject(value) && Object.keys(value).length === 0;
}

/** Whether a part of a value is an object or a list without content, which a form has no place for. */
function holdsEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const parts = Object.values(value);
  return parts.length === 0 || parts.some(holdsEmpty);
}

/** Leaves out optional members that servers own, and those without a value, at every level. */
function clean(value: JsonObject, isValid: (value: unknown) => boolean, isForm: boolean): JsonObject {
  let kept: JsonObject = value;
  for (const [name, part] of Object.entries(value)) {
    const valid = (changed: unknown): boolean => isValid({ ...kept, [name]: changed });
    const inner = isObject(part) && !isEmpty(part) ? clean(part, valid, isForm) : part;
    kept = { ...kept, [name]: inner };
    if (ofServer.test(name) || inner === null || isEmpty(inner) || (isForm && holdsEmpty(inner))) {
      const { [name]: _, ...rest } = kept;
      if (isValid(rest)) kept = rest;
    }
  }
  return kept;
}

/** Gives members with the name of a parameter in the path its value, so that body and path agree. */
function fix(value: unknown, fixed: PathValues, isValid: (value: unknown) => boolean): unknown {
  if (!isObject(value)) return value;
  let result: JsonObject = value;
  for (const [name, part] of Object.entries(value)) {
    const wanted = wantedFor(part, fixed.get(normal(name)));
    const next = isObject(part) ? fixInner(part, fixed) : wanted;
    if (next === undefined || typeof next !== typeof part) continue;
    const changed = { ...result, [name]: next };
    if (isValid(changed)) result = changed;
  }
  return result;
}

function fixInner(value: JsonObject, fixed: PathValues): JsonObject {
  const changed = Object.entries(value).map(([name, part]) => {
    const wanted = wantedFor(part, fixed.get(normal(name)));
    return [name, typeof wanted === typeof part && wanted !== undefined ? wanted : part];
  });
  return Object.fromEntries(changed);
}

/** A number that an answer shows as a text is sent as a number. */
function wantedFor(part: unknown, wanted: unknown): unknown {
  const number = Number(wanted);
  return typeof part === 'number' && typeof wanted === 'string' && String(number) === wanted ? number : wanted;
}

/** The body with the value of a member replaced; undefined if that is not valid. */
export function withMember(
  maker: Maker,
  body: MadeBody,
  path: readonly string[],
  value: unknown,
): MadeBody | undefined {
  const changed = replaceAt(body.value, path, value);
  return maker.accepts(body.content.schema, changed) ? { ...body, value: changed } : undefined;
}

function replaceAt(whole: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  return isObject(whole) ? { ...whole, [name]: replaceAt(memberOf(whole, name), rest, value) } : whole;
}
