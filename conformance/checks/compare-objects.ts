// Objects as they were sent and as answers show them: the members that can be compared, and how much two values may differ.

import { BlockList, isIP } from 'node:net';
import { readDuration } from '@lockstep/values/instant';
import { type Contract, isJson, type Operation, responseFor } from '../contract/contract.ts';
import { isObject, type JsonObject, type Pointer } from '../contract/document.ts';
import { type Exchange, isAccepted } from '../execute/exchange.ts';
import { unwrap } from '../resources/read-items.ts';
import { normal, plainPath } from '../resources/slots.ts';
import { holdsSecrets, holdsVolatile } from '../schema/annotated-values.ts';
import type { CanonicalForm } from '../schema/canonical.ts';
import type { RunContext } from './check.ts';
import { isSameValue } from './read-only.ts';

/** A property of an object in the content of a write. */
export interface Member {
  readonly name: string;
  /** Its schema. */
  readonly pointer: Pointer;
}

/**
 * The object of a body, without a wrapper such as `{"status": "ok", "data": {…}, "took": 3}`; undefined for anything else.
 *
 * @param names some of its members
 */
export function objectIn(body: unknown, names: readonly string[] = []): JsonObject | undefined {
  if (Array.isArray(body)) return body.length === 1 ? objectIn(body[0], names) : undefined;
  // An operation of a JSON Patch (RFC 6902, 4) is no object of the API.
  if (!isObject(body) || (typeof body.op === 'string' && typeof body.path === 'string')) return undefined;
  const partsOf = (whole: JsonObject): readonly (readonly [string, JsonObject])[] =>
    Object.entries(whole).flatMap(([name, part]) => (isObject(part) ? [[name, part] as const] : []));
  return findWithin(body, partsOf, (part) => names.filter((name) => Object.hasOwn(part, name)).length) ?? unwrap(body);
}

/** Usual names of the one member that holds the object of an answer. */
const ofWrappers =
  /^(data|results?|items?|objects?|records?|entity|resource|payload|attributes|properties|response|content|body|values?|entry|document)$/i;

/** Levels of wrappers: JSON:API has `{"data": {"attributes": {…}}}`. */
const deepestObject = 2;

/**
 * The part that is most likely the object with some known members: one within replaces the whole if that has none of them, or if its name
 * is that of a wrapper and it has more.
 */
function findWithin<Part>(
  whole: Part,
  partsOf: (part: Part) => readonly (readonly [name: string, part: Part])[],
  countIn: (part: Part) => number,
): Part | undefined {
  const isWhole = countIn(whole) > 0;
  let level = [{ part: whole, isWrapped: true }];
  let best: (typeof level)[number] | undefined;
  for (let depth = 0; depth <= deepestObject; depth += 1) {
    for (const next of level) {
      const [count, most] = [countIn(next.part), best === undefined ? 0 : countIn(best.part)];
      const isMore = count > most || (count === most && next.isWrapped && best?.isWrapped === false);
      if (count > 0 && isMore && (!isWhole || next.isWrapped)) best = next;
    }
    level = level.flatMap(({ part, isWrapped }) =>
      partsOf(part).map(([name, inner]) => ({ part: inner, isWrapped: isWrapped && ofWrappers.test(name) })),
    );
  }
  return best?.part;
}

/** The object that an accepted answer shows. */
export function shownIn(exchange: Exchange | undefined, names: readonly string[] = []): JsonObject | undefined {
  return exchange !== undefined && isAccepted(exchange) ? objectIn(exchange.seen.responseBody, names) : undefined;
}

/** The members of the object in an accepted answer that the request did not have. */
export function filledIn(exchange: Exchange): ReadonlySet<string> {
  const sent = objectIn(exchange.seen.requestBody) ?? {};
  const shown = Object.entries(shownIn(exchange, Object.keys(sent)) ?? {});
  return new Set(shown.flatMap(([name, value]) => (isEmpty(value) || Object.hasOwn(sent, name) ? [] : [name])));
}

/** The properties that a schema declares for an object, within a wrapper if the schema declares one; none that is left out. */
function declaredIn(form: CanonicalForm, schema: Pointer, names: readonly string[]): ReadonlyMap<string, Pointer> {
  const read = (pointer: Pointer): ReadonlyMap<string, Pointer> => {
    const shapes = form.shapes(form.at(pointer));
    return new Map(
      shapes.flatMap((shape) =>
        [...form.declared(shape)].filter(([name]) => !form.common(form.property(shape, name)).isLeftOut),
      ),
    );
  };
  const outer = read(schema);
  const partsOf = (members: ReadonlyMap<string, Pointer>) =>
    [...members].map(([name, pointer]) => [name, read(pointer)] as const);
  return findWithin(outer, partsOf, (members) => names.filter((name) => members.has(name)).length) ?? outer;
}

/** The operations that create or change the objects of a path: those of its collection, and its own. @param key `/books/{}` */
export function writesOf({ operations }: Contract, key: string): readonly Operation[] {
  return operations.filter(({ method, path, body }) => {
    if (body === undefined) return false;
    const own = plainPath(path);
    return method === 'post' ? `${own}/{}` === key : own === key && (method === 'put' || method === 'patch');
  });
}

/** The properties that a write of the objects declares; of a body in a wrapper, those of the object within. */
export function writableIn({ judge }: Pick<RunContext, 'judge'>, { body }: Operation): ReadonlyMap<string, Pointer> {
  const schema = body?.contents.find(({ mediaType }) => isJson(mediaType))?.schema;
  if (schema === undefined) return new Map();
  const form = judge.forms.request;
  const outer = declaredIn(form, schema, []);
  const [only, ...others] = outer.values();
  const inner = only === undefined || others.length > 0 ? outer : declaredIn(form, only, []);
  return inner.size > 0 ? inner : outer;
}

/** Names of states that an object reaches only by certain moves, and of consent that no server lets a client take back. */
export const namesState = /(^|[a-z_-])(status|state|phase|stage)$|accept|agree|approv|confirm|consent|terms|verif/i;

/** Names of an id, of the times of an object's own changes, and of their number: one schema for all operations has them without readOnly. */
const isKeptByServer =
  /^(_?id|uuid|guid|_*v|((lock|row|entity|object|record|resource)_?)?version|rev|revision|e_?tag|(date|time)_?(created|updated|modified|changed)|((last_?)?(created|updated|modified|changed)|creation|modification)_?(at|on|by|date|time)?)$/i;

/**
 * The properties that clients set and reads show, by the contract: no secrets, none that may differ between two reads.
 *
 * @param read answer to a read of the object, or to a write of it
 * @param key of the object, as in `/books/{}`
 * @param isOpen whether members count that the answer has, and that its schema neither declares nor forbids
 * @returns by name, with the schema in a write
 */
export function comparableMembers(
  context: Pick<RunContext, 'contract' | 'judge'>,
  read: Exchange,
  key = plainPath(read.operation.path),
  isOpen = false,
): ReadonlyMap<string, Pointer> {
  const { contract, judge } = context;
  const { outcome, operation } = read;
  if (outcome.kind === 'none') return new Map();
  const schema = responseFor(operation, outcome.status)?.contents.find(({ mediaType }) => isJson(mediaType))?.schema;
  if (schema === undefined) return new Map();
  const written = new Map(writesOf(contract, key).flatMap((write) => [...writableIn(context, write)].reverse()));
  const shown = declaredIn(judge.forms.response, schema, [...written.keys()]);
  const own = shownIn(read, [...written.keys()]);
  const isPlain = (pointer: Pointer): boolean =>
    !holdsSecrets(contract.root, pointer) && !holdsVolatile(contract.root, pointer);
  return new Map(
    [...written].filter(([name, pointer]) => {
      const other = shown.get(name) ?? (isOpen && own !== undefined && Object.hasOwn(own, name) ? pointer : undefined);
      return other !== undefined && isPlain(pointer) && isPlain(other) && !isKeptByServer.test(name);
    }),
  );
}

/**
 * Whether the schema of the answer rejects a member as it was sent: a list of ids where it has a list of objects, or a text where it has a
 * number. An object may have further members there, so none is judged by its schema.
 */
export function isShownOtherwise(
  { judge }: Pick<RunContext, 'judge'>,
  { operation, outcome }: Exchange,
  names: readonly string[],
  name: string,
  sent: unknown,
): boolean {
  if (outcome.kind === 'none' || [sent].flat().some(isObject)) return false;
  const schema = responseFor(operation, outcome.status)?.contents.find(({ mediaType }) => isJson(mediaType))?.schema;
  const member = schema && declaredIn(judge.forms.response, schema, names).get(name);
  return member !== undefined && !judge.accepts(member, 'response', sent);
}

/** Whether a value is absent, or stands for an absent one. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  // A change may remove a member by null (RFC 7396).
  return isObject(value) && Object.values(value).every((member) => member === null);
}

/**
 * Whether a value may be the stored form of another: servers trim and fold texts, round numbers, spell times and numbers otherwise, add
 * members, and replace an object by its id.
 */
export function agrees(sent: unknown, read: unknown): boolean {
  if (isSameValue(sent, read) || (isEmpty(sent) && isEmpty(read))) return true;
  if (isEmpty(sent) || isEmpty(read)) return false;
  // A server may store a list as a set.
  if (Array.isArray(sent) && Array.isArray(read))
    return (
      sent.every((item) => read.some((other) => agrees(item, other))) &&
      read.every((other) => sent.some((item) => agrees(item, other)))
    );
  if (isObject(sent) && isObject(read))
    return Object.entries(sent).every(([name, value]) => !Object.hasOwn(read, name) || agrees(value, read[name]));
  if (typeof sent === 'object' || typeof read === 'object') return true;
  if (typeof sent === 'boolean' || typeof read === 'boolean') return truthOf(sent) === truthOf(read);
  return agreesAsNumber(sent, read) ?? agreesAsText(String(sent), String(read));
}

/** Whether a value shows another one, or a part of it: the item of a list may leave out members of the objects within it. */
export function isPartOf(whole: unknown, shown: unknown): boolean {
  if (agrees(whole, shown)) return true;
  if (!isObject(whole) || !isObject(shown)) return false;
  return Object.entries(shown).every(([name, value]) => !Object.hasOwn(whole, name) || isPartOf(whole[name], value));
}

function truthOf(value: unknown): boolean | undefined {
  const text = String(value).toLowerCase();
  return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : undefined;
}

/** @returns undefined unless both are numbers */
function agreesAsNumber(sent: unknown, read: unknown): boolean | undefined {
  const [a, b] = [sent, read].map((value) => (String(value).trim() === '' ? Number.NaN : Number(value)));
  if (a === undefined || b === undefined || Number.isNaN(a) || Number.isNaN(b)) return undefined;
  // A price may be rounded, a whole number may not.
  return a === b || (!Number.isInteger(a) && Math.abs(a - b) <= Math.max(0.5, Math.abs(a) * 1e-6));
}

const minute = 60_000;

/** Zones differ by whole quarters of an hour, up to 14 h. */
const [quarter, mostOffset] = [15 * minute, 14 * 60 * minute];

/** A text that was trimmed, cut or folded, that has a prefix, or that is masked, is no other text: `text-changed` judges some of these. */
function agreesAsText(sent: string, read: string): boolean {
  if (agreesAsTime(sent, read) || agreesAsNetwork(sent, read)) return true;
  if (usualSpellings.some((spell) => isSpelledAs(spell, sent, read))) return true;
  const [own, other] = [sent, read].map((text) => normal(text.normalize('NFKC')));
  if (own === undefined || other === undefined || own === '' || other === '') return true;
  return own.includes(other) || other.includes(own);
}

function agreesAsTime(sent: string, read: string): boolean {
  const [a, b] = [sent, read].map((text) => (/^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN));
  if (a === undefined || b === undefined || Number.isNaN(a) || Number.isNaN(b)) return false;
  const difference = Math.abs(a - b);
  // A time without a zone is one of the server's zone.
  const [own, other] = [sent, read].map((text) => /T.*(Z|[+-]\d\d:?\d\d)$/i.test(text));
  return difference <= minute || (own !== other && difference <= mostOffset && difference % quarter === 0);
}

/** Whether two addresses are equal, or any two of one network: a server names a network by its first address. */
function agreesAsNetwork(sent: string, read: string): boolean {
  const [[own = '', length = '32'], [other = '', otherLength = '32']] = [sent.split('/'), read.split('/')];
  const [family, most] = isIP(own) === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
  if (isIP(own) === 0 || isIP(own) !== isIP(other) || length !== otherLength || !/^\d+$/.test(length)) return false;
  const network = new BlockList();
  network.addSubnet(own, sent.includes('/') ? Math.min(Number(length), most) : most, family);
  return network.check(other, family);
}

/** One spelling for texts of one meaning; undefined for a text of another kind. */
type Spell = (text: string) => string | undefined;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
};

const usualSpellings: readonly Spell[] = [
  (text) => readDuration(text)?.toString(),
  // Numbers of an address or a shape: `POINT (1.0 2.0)`.
  (text) =>
    /\d/.test(text)
      ? text
          .match(/-?\d+(\.\d+)?|\p{L}+/gu)
          ?.map(spellNumber)
          .join(' ')
      : undefined,
  // A phone number without its country.
  (text) => (/^\+?[\d ()./-]{7,}$/.test(text) ? text.replaceAll(/\D/g, '').slice(-7) : undefined),
  (text) => text.replaceAll(/&(amp|lt|gt|quot|apos|#39|#x27);/g, (_, name: string) => entities[name] ?? ''),
];

function spellNumber(token: string): string {
  return /\d/.test(token) ? String(Number(token)) : token.toLowerCase();
}

function isSpelledAs(spell: Spell, sent: string, read: string): boolean {
  const own = spell(sent);
  return own !== undefined && own === spell(read);
}

/** Whether two reads show the same value. */
export function isUnchanged(before: unknown, after: unknown): boolean {
  if (isSameValue(before, after) || (isEmpty(before) && isEmpty(after))) return true;
  return typeof before === 'object' && typeof after === 'object' && agrees(before, after);
}
