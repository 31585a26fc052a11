// Paths as collections, items and words: `/owners/{ownerId}/pets/{petId}` is an item of `/owners/{}/pets`.

/** A path template without the names of its parameters. */
export interface Template {
  /** Words, and `{}` for a parameter. */
  readonly segments: readonly string[];
  /** Names of the parameters, in order. */
  readonly parameters: readonly string[];
  /** Whether each parameter is a whole segment. */
  readonly isPlain: boolean;
}

/** `/pets/{id}.json` and `/pets/{id}:cancel` are read as `/pets/{}` and `/pets/{}/cancel`. */
export function readTemplate(path: string): Template {
  const parameters: string[] = [];
  let isPlain = true;
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .flatMap((segment) => {
      const [whole = '', verb] = segment.split(/:(?=[a-z]\w*$)/i);
      const word = whole.replace(/\.json$/, '');
      const named = [...word.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
      parameters.push(...named);
      if (named.length > 1 || (named.length === 1 && !/^\{[^}]*\}$/.test(word))) isPlain = false;
      return [named.length === 1 ? '{}' : word, ...(verb === undefined ? [] : [verb])];
    });
  return { segments, parameters, isPlain };
}

export function nameTemplate(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}

export function countParameters(segments: readonly string[]): number {
  return segments.filter((segment) => segment === '{}').length;
}

/** A client may send any name: only short ones are remembered, and of them only so many. */
const plainNames = new Map<string, string>();
const mostNames = 10_000;
const longestName = 64;

/** `per_page`, `per-page` and `page[size]` without separators and in lower case: `perpage`, `pagesize`. */
export function plainName(name: string): string {
  const known = plainNames.get(name);
  if (known !== undefined) return known;
  const plain = name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  if (plainNames.size >= mostNames) plainNames.clear();
  if (name.length <= longestName) plainNames.set(name, plain);
  return plain;
}

const irregular: ReadonlyMap<string, string> = new Map(
  Object.entries({ people: 'person', children: 'child', men: 'man', women: 'woman' }),
);

/** `Categories` → `category`. */
export function singular(word: string): string {
  const plain = plainName(word);
  const known = irregular.get(plain);
  if (known !== undefined) return known;
  if (/ies$/.test(plain) && plain.length > 4) return `${plain.slice(0, -3)}y`;
  if (/(?:s|x|z|ch|sh)es$/.test(plain)) return plain.slice(0, -2);
  return /[^sui]s$/.test(plain) ? plain.slice(0, -1) : plain;
}

/** The noun of a collection: its last word. */
export function nounOf(segments: readonly string[]): string {
  return singular(segments.findLast((segment) => segment !== '{}') ?? '');
}

/** Whether a name is a noun, in singular or plural. A singular such as `lens` may look like a plural. */
export function isNoun(name: string, noun: string): boolean {
  return plainName(name) === noun || singular(name) === noun;
}

/** An id as a path has it, and as the number that it may mean. */
export function readIds(id: string | number): readonly (string | number)[] {
  const number = Number(id);
  return [id, String(id), ...(String(id).trim() !== '' && Number.isFinite(number) ? [number] : [])];
}
