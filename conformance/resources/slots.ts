import type { Contract, Operation } from '../contract/contract.ts';

/** One path parameter at its position: the path up to it names one object. */
export interface Slot {
  readonly parameter: string;
  /** The path up to and including the parameter, without names: `/books/{}/reviews/{}`. */
  readonly key: string;
  /** Path of the collection whose items it names: `/books/{}/reviews`. */
  readonly collection: string;
  /** Name of one item in lower case: `review`. */
  readonly noun: string;
}

/** The slots of a path, outer before inner. */
export const slotsOf = remember((path: string): readonly Slot[] =>
  [...path.matchAll(/\{([^}]*)\}/g)].map(({ index, 0: text, 1: parameter = '' }) => {
    const collection = plainPath(path.slice(0, index));
    return { parameter, key: plainPath(path.slice(0, index + text.length)), collection, noun: nounOf(collection) };
  }),
);

/** A path with `{}` for each parameter and no trailing slash: parameters with different names compare equal. */
export const plainPath = remember((path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}').replace(/\/$/, ''));

/** The operation with a method at a path without names: `/books/{}`. */
export function operationAt(
  { operations }: Pick<Contract, 'operations'>,
  method: Operation['method'],
  path: string | undefined,
): Operation | undefined {
  return operations.find((one) => one.method === method && plainPath(one.path) === path);
}

/** The singular of a path's last meaningful segment: `book` for `/books/{id}` and `/books/by-name`. */
export const nounOf = remember((path: string): string => {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '' && !segment.includes('{'))
    .map(normal);
  const telling = segments.findLast((segment) => {
    const rest = segment.replace(/^by/, '');
    return !idNames.includes(rest) && !plainNames.includes(rest);
  });
  return singular(telling ?? segments.at(-1) ?? '');
});

/**
 * Names of an item of a path: its last noun, and that noun with its parent's before it: `version` and `promptversion` for
 * `/prompts/{}/versions`.
 */
export const nounsOfPath = remember((path: string): readonly string[] => {
  const noun = nounOf(path);
  const above = path.lastIndexOf('/{}');
  const parent = above < 0 ? '' : nounOf(path.slice(0, above));
  return parent === '' || parent === noun ? [noun] : [noun, `${parent}${noun}`];
});

/** A name without case and separators: `book_id`, `bookId` and `Book-ID` become one. */
export const normal = remember((name: string): string => name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase());

/** The English singular, by regular endings and a few irregular ones. */
export const singular = remember((noun: string): string => {
  if (/(ss|us|is|news)$/.test(noun)) return noun;
  return noun
    .replace(/people$/, 'person')
    .replace(/children$/, 'child')
    .replace(/(l|ea)ves$/, '$1f')
    .replace(/ies$/, 'y')
    .replace(/(x|ch|sh|ss|us)es$/, '$1')
    .replace(/s$/, '');
});

/** The resource in the name of a parameter or property: `author` in `authorId`, `author_uuid`, `authorSlug`, `author_ids`. */
export const stemOf = remember((name: string): string => {
  const stem = name.replace(/[_.\- ]?(ids?|identifiers?|uuids?|guids?|slug|names?|keys?|code|ref|number)$/i, '');
  return singular(normal(stem));
});

/** Whether a name asks for an id: `bookId` does, `bookName` does not. */
export const isIdName = remember(
  (name: string): boolean =>
    /(^|[_.\- ]|[a-z])(id|ids|identifier|identifiers|uuid|guid)$/i.test(name) &&
    !/(^|[^a-z])(valid|paid|grid|void|avoid)$/i.test(name),
);

const idNames = ['id', 'uuid', 'guid', 'pk', 'oid', 'uid'];
const plainNames = [
  'slug',
  'name',
  'key',
  'code',
  'login',
  'username',
  'handle',
  'title',
  'symbol',
  'ref',
  'sha',
  'number',
  'tag',
];

/** Whether a member names the item at a path: `name` in the content of a PUT to `/books/{name}`. */
export function namesItemAt(path: string, member: string): boolean {
  const parameter = slotsOf(path).at(-1)?.parameter;
  return parameter !== undefined && path.endsWith(`{${parameter}}`) && normal(parameter) === normal(member);
}

/** Distance of a member's name from the name in a path; infinity if the member can't be an id. */
export function rankName(member: string, { parameter, noun }: Slot): number {
  return rankFor(`${parameter}\n${noun}`)(member);
}

const rankFor = remember((asked: string) => {
  const [parameter = '', noun = ''] = asked.split('\n');
  return remember((member: string) => rankOf(member, parameter, noun));
});

/** Members that are worse ids than this may be a secret, such as the `key` of a new API key. */
export const worstRank = 8;

/** A member with this distance, or after rejections with more, is a guess: nothing is changed by it until the server has accepted it. */
export const guess = 20;

function rankOf(member: string, parameter: string, noun: string): number {
  if (member === '@sent' || member === '@link') return 1;
  if (member === '@made') return guess;
  const isGiven = member.startsWith('@given.');
  const path = member.replace(/^@given\./, '').split('.');
  const last = normal((path.at(-1) ?? '').replace('[]', ''));
  const depth = path.length - 1 + (isGiven ? 2 : 0);
  const wanted = normal(parameter);
  const isBare = idNames.includes(wanted) || plainNames.includes(wanted);
  const asksId = isIdName(parameter) || idNames.includes(wanted);
  if (member === '@value') return 2;
  if (member === '@key') return asksId ? 5 : 4;
  const owner = path.length > 1 ? singular(normal((path.at(-2) ?? '').replace('[]', ''))) : '';
  // `author.id` of a book is the id of an author.
  const isOther =
    owner !== '' &&
    owner !== noun &&
    !/^(attribute|data|meta|metadata|info|propertie|property|field|spec|general|basic|summary|node|item)$/.test(owner);
  if (isOther && !(last === wanted && !isBare)) return Number.POSITIVE_INFINITY;
  if (last === wanted) return 2 + depth;
  if (last === `${noun}${wanted}` || `${noun}${last}` === wanted) return 3 + depth;
  const stem = stemOf(parameter);
  const ids = idNames.indexOf(last);
  const names = plainNames.indexOf(last);
  // `{key_id}` is the `id` of a key: its `key` may be a secret.
  const isStem = stem !== '' && (last === `${stem}id` || (last === stem && !(asksId && names >= 0)));
  if (last === `${noun}id` || isStem) return (asksId ? 3 : 7) + depth;
  // `{licensee}` asks for a slug, a key or a login, then for an id: its `name` is likelier a text for readers.
  const isOfNoun = wanted === noun && !isBare;
  if (isOfNoun && ids >= 0) return 5.5 + ids / 100 + depth;
  if (isOfNoun && last === 'name') return 5.6 + depth;
  if (ids >= 0) return (asksId ? 4 + ids / 8 : 9 + ids / 8) + depth;
  if (names >= 0) return (asksId ? 9 + names / 4 : 4 + names / 4) + depth;
  if (names < 0 && plainNames.some((name) => last === `${noun}${name}`)) return (asksId ? 9 : 4) + depth;
  return Number.POSITIVE_INFINITY;
}

/** Caches results by name: names repeat, and a contract has a limited number of them. */
function remember<Value>(read: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const value = read(name);
    if (known.size < 10_000) known.set(name, value);
    return value;
  };
}
