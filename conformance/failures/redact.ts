import { type Contract, type Operation, responseFor } from '../contract/contract.ts';
import { splitPointer } from '../contract/document.ts';
import { type Exchange, isDescriptive } from '../execute/exchange.ts';
import { type AnnotatedValue, secretsIn } from '../schema/annotated-values.ts';

export type Redactor = ReturnType<typeof createRedactor>;

export type Piece = { readonly text: string } | { readonly variable: string };

export interface LearnedSecret {
  readonly text: string;
  readonly pointer: string;
  readonly operation: Operation;
}

/** Shorter secrets look like ordinary text: they are redacted only at their own member in JSON. */
const leastLength = 4;

/** Any answer may contain a shorter generated value, such as `string`, by chance. */
const leastDistinctive = 12;

/** Secrets of this length are also redacted within longer words. */
const leastWithin = 8;

const meanings: Readonly<Record<string, string>> = {
  TOKEN: 'the token or key',
  CLIENT_SECRET: 'the secret of the client',
};

/**
 * Redacts secrets in every output: those of the user, those that the server issued, and values of answers that the contract marks as
 * secret. Values that the run generated are evidence, and remain.
 */
export function createRedactor(contract: Contract, headers: readonly (readonly [string, string])[] = []) {
  const spellings = new Map<string, string>();
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const placed = new Map<string, Set<string>>();
  const generated = new Set<string>();
  const known = new Set<string>();
  let pattern: RegExp | undefined;
  let words: ReadonlySet<string> | undefined;

  const nameFor = (variable: string, is: string): string => {
    const count = (counts.get(variable) ?? 0) + 1;
    counts.set(variable, count);
    const name = count === 1 ? variable : `${variable}_${count}`;
    names.set(name, is);
    return name;
  };
  const keep = (text: string, variable = 'SECRET', is = meanings[variable] ?? 'a secret'): void => {
    if (text.length < leastLength || known.has(text)) return;
    known.add(text);
    const name = nameFor(variable, is);
    for (const [suffix, spelling] of spellingsOf(text)) {
      if (!spellings.has(spelling)) spellings.set(spelling, `${name}${suffix}`);
    }
    pattern = undefined;
  };
  const patternOf = (): RegExp | undefined => {
    if (spellings.size === 0) return undefined;
    // The longest spelling comes first, so that no remainder of a secret is left.
    const longestFirst = (): string[] => [...spellings.keys()].sort((a, b) => b.length - a.length);
    pattern ??= new RegExp(longestFirst().map(spell).join('|'), 'g');
    return pattern;
  };
  const piecesOf = (text: string): readonly Piece[] => {
    const all = patternOf();
    const pieces: Piece[] = [];
    let end = 0;
    if (all !== undefined) all.lastIndex = 0;
    for (let match = all?.exec(text); match !== undefined && match !== null; match = all?.exec(text)) {
      const { index } = match;
      const [found] = match;
      const isWhole = found.length < mostCompared;
      const spelling = isWhole ? found : (longWith(found).find((one) => text.startsWith(one, index)) ?? found);
      if (index > end) pieces.push({ text: text.slice(end, index) });
      pieces.push({ variable: spellings.get(spelling) ?? 'SECRET' });
      end = index + spelling.length;
      if (all !== undefined) all.lastIndex = end;
    }
    if (end < text.length || pieces.length === 0) pieces.push({ text: text.slice(end) });
    return pieces;
  };
  /** The spellings with this beginning, the longest first. */
  const longWith = (beginning: string): readonly string[] =>
    [...spellings.keys()].filter((one) => one.startsWith(beginning)).sort((a, b) => b.length - a.length);
  const hide = (text: string): string =>
    piecesOf(text)
      .map((piece) => ('text' in piece ? piece.text : '***'))
      .join('');
  const given = new Map(headers.map(([name, value]) => [`${name.toLowerCase()}: ${value}`, variableOf(name)]));
  for (const [name, value] of headers) {
    const is = `the value of --header ${name}`;
    if (!isDescriptive(name)) keep(value, variableOf(name), is);
    if (!names.has(variableOf(name))) nameFor(variableOf(name), is);
    if (isDescriptive(name)) continue;
    for (const part of secretParts(value)) keep(part, `${variableOf(name)}_PART`, `a part of ${is}`);
  }

  const learnAnswer = ({ text, property, pointer }: Found, { operation }: Exchange): void => {
    words ??= wordsOf(contract);
    if (text.length >= leastLength && !words.has(text)) {
      keep(text, 'SECRET', `the value that ${operation.id} answered for ${pointer}`);
    } else if (property !== undefined) {
      placed.set(property, (placed.get(property) ?? new Set()).add(text));
    }
  };

  return {
    /**
     * @param variable the shell variable that replaces the secret in curl lines, `TOKEN`; a second secret of that name gets `TOKEN_2`
     * @param is a description of the variable's value
     */
    keep,
    /** Learns the secrets of an exchange from the schemas of its request and answer. @returns the secrets of the answer */
    learn: (exchange: Exchange): readonly LearnedSecret[] => {
      const { request } = exchange;
      const all = [...secretsOf(contract, exchange)];
      if (all.length === 0) return [];
      const sent = `${request.path} ${request.body?.toString() ?? ''}`;
      for (const { text, isAnswer } of all) if (!isAnswer && !known.has(text)) generated.add(text);
      const found = all.filter(({ isAnswer }) => isAnswer);
      const distinctive = found.filter((one) => {
        const isOurs = !known.has(one.text) && (generated.has(one.text) || isWithin(sent, one.text));
        if (isOurs) generated.add(one.text);
        else learnAnswer(one, exchange);
        return !isOurs || one.text.length >= leastDistinctive;
      });
      return distinctive.map(({ text, pointer }) => ({ text, pointer, operation: exchange.operation }));
    },
    /** Redacts text from the wire; names of the contract (operations, pointers) must not pass through it. */
    redact: (text: string): string => redactPlaces(hide(text), placed),
    /** The value of a request header as outputs show it. */
    headerText: (name: string, value: string): string =>
      given.has(`${name.toLowerCase()}: ${value}`) ? '***' : hide(value),
    /** Splits text for a shell into plain pieces and variables that replace secrets. */
    pieces: piecesOf,
    /** The variable of a header that the user gave. */
    headerVariable: (name: string, value: string): string | undefined => given.get(`${name.toLowerCase()}: ${value}`),
    /** A description of a variable's value. */
    meaningOf: (variable: string): string => {
      const [, base = variable, suffix] = /^(.*?)(_ENCODED|_FORM|_JSON)?$/.exec(variable) ?? [];
      const is = names.get(base) ?? 'a secret';
      return suffix === undefined ? is : `${is}, ${encodings[suffix]}`;
    },
  };
}

const encodings: Readonly<Record<string, string>> = {
  _ENCODED: 'percent-encoded',
  _FORM: 'form-encoded',
  _JSON: 'escaped as in a JSON string',
};

/** The encodings of a secret on the wire, with the suffix of the variable for each. */
function spellingsOf(text: string): readonly (readonly [suffix: string, spelling: string])[] {
  return [
    ['', text],
    ['_ENCODED', encodeURIComponent(text)],
    ['_FORM', new URLSearchParams([['', text]]).toString().slice(1)],
    ['_JSON', JSON.stringify(text).slice(1, -1)],
  ];
}

/** Characters by which secrets are found: a regular expression with all of a long key would be too large for the engine. */
const mostCompared = 1_000;

function spell(secret: string): string {
  const escaped = RegExp.escape(secret.slice(0, mostCompared));
  if (secret.length >= mostCompared) return escaped;
  // A word may be part of a name: `client_secret`, `pass-key`.
  if (/^[A-Za-z]+$/.test(secret)) return `(?<![\\w-])${escaped}(?![\\w-])`;
  return secret.length < leastWithin ? `(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])` : escaped;
}

function isWithin(text: string, secret: string): boolean {
  return spellingsOf(secret).some(([, spelling]) => text.includes(spelling) && new RegExp(spell(spelling)).test(text));
}

/** Redacts values only at their members: the 12 of `"pin": 12`, but no other 12. */
function redactPlaces(text: string, placed: ReadonlyMap<string, ReadonlySet<string>>): string {
  return [...placed].reduce((left, [property, values]) => {
    const alternatives = [...values].map((value) => RegExp.escape(JSON.stringify(value).slice(1, -1))).join('|');
    const member = new RegExp(
      `(${RegExp.escape(JSON.stringify(property))}\\s*:\\s*)("?)(?:${alternatives})\\2(?![\\w.])`,
      'g',
    );
    return left.replaceAll(member, '$1$2***$2');
  }, text);
}

function variableOf(header: string): string {
  return `HEADER_${header.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/** Parts of a header's value that are secrets: a token after its scheme, a cookie, user and password of Basic. */
function secretParts(value: string): string[] {
  const basic = /^basic +(\S+)$/i.exec(value)?.[1];
  const decoded = basic === undefined ? '' : Buffer.from(basic, 'base64').toString();
  const password = decoded.includes(':') ? [decoded.slice(decoded.indexOf(':') + 1)] : [];
  const parts = value
    .split(/[\s;,]+/)
    .flatMap((part) => [part, part.slice(part.indexOf('=') + 1)])
    .filter((part) => part.length >= leastWithin && part !== value);
  return [...parts, ...password];
}

/** Names in the contract, which are not secret: redacting them would make reports unreadable. */
function wordsOf({ operations, title }: Contract): ReadonlySet<string> {
  const words = new Set<string>(title.split(/\s+/));
  for (const { id, path, tags, parameters, method } of operations) {
    for (const word of [id, method, ...tags, ...path.split('/'), ...parameters.map(({ name }) => name)])
      words.add(word);
  }
  return words;
}

interface Found {
  readonly text: string;
  readonly pointer: string;
  /** The member with this value. */
  readonly property: string | undefined;
  readonly isAnswer: boolean;
}

function* secretsOf(contract: Contract, exchange: Exchange): Generator<Found> {
  const { operation, seen } = exchange;
  const sent = [
    ...operation.parameters.map(({ name, in: where, schema }) => {
      if (where === 'path') return { schema, value: seen.path[name] };
      return { schema, value: where === 'query' ? seen.query[name] : seen.requestHeaders[name.toLowerCase()] };
    }),
    ...(operation.body?.contents ?? []).map(({ schema }) => ({ schema, value: seen.requestBody })),
  ];
  for (const { schema, value } of sent) {
    if (schema === undefined || value === undefined) continue;
    for (const part of secretsIn(contract.root, schema, value)) yield* foundIn(part, false);
  }
  for (const part of secretsInAnswer(contract, exchange) ?? []) yield* foundIn(part, true);
}

function* foundIn({ at, value, pointer }: AnnotatedValue, isAnswer: boolean): Generator<Found> {
  const property = splitPointer(at).at(-1);
  for (const text of leavesOf(value)) yield { text, pointer, property, isAnswer };
}

const inAnswers = new WeakMap<Exchange['outcome'], readonly AnnotatedValue[]>();

/** The secret parts of the JSON in an answer, found once for all callers; undefined if no schema describes the answer. */
export function secretsInAnswer(contract: Contract, exchange: Exchange): readonly AnnotatedValue[] | undefined {
  const { operation, seen, outcome } = exchange;
  const response = outcome.kind === 'answer' ? responseFor(operation, outcome.status) : undefined;
  const schemas = (response?.contents ?? []).flatMap(({ schema }) => schema ?? []);
  if (schemas.length === 0 || seen.responseBody === undefined) return undefined;
  const known = inAnswers.get(outcome);
  if (known !== undefined) return known;
  const found = [...new Set(schemas)].flatMap((schema) => [...secretsIn(contract.root, schema, seen.responseBody)]);
  inAnswers.set(outcome, found);
  return found;
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}
