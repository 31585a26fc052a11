import type { Contract } from '../contract/contract.ts';
import { isObject, type JsonObject, type Seen } from '../contract/document.ts';
import type { Answer, Exchange } from '../execute/exchange.ts';
import type { Place } from './constraints.ts';
import { findPlace } from './find-place.ts';

/**
 * What a refusal asks for. `keywords` are those of JSON Schema that the server holds in addition; `reference` wants the id of
 * something that exists; `wrong` names a place and nothing else.
 */
export type Rule =
  | { readonly kind: 'required' | 'forbidden' | 'unique' | 'reference' | 'wrong' }
  | { readonly kind: 'keywords'; readonly keywords: JsonObject };

/** One sentence of a refusal: where, and what. */
export interface Complaint {
  /** Where the server says that it is, outer first: `['body', 'author', 'name']`; empty where it does not. */
  readonly path: readonly string[];
  readonly rules: readonly Rule[];
  /** In its own words, for the names that stand in it. */
  readonly says: string;
}

const mostComplaints = 40;
const longestText = 4_000;

/** Members that say where, in the order of trust. */
const placeMembers = [
  'instancePath', 'dataPath', 'instance_path', 'loc', 'source', 'pointer', 'jsonPointer', 'propertyPath', 'property_path', 'path', 'field', 'fieldName', 'field_name',
  'fieldPath', 'param', 'parameter', 'parameterName', 'property', 'propertyName', 'attribute', 'member', 'argument', 'arg', 'column', 'location', 'key', 'name', 'target',
]; // biome-ignore format: a list

/** Members that say what. */
const textMembers =
  /^(msg|messages?|detail|details|description|reason|error|errors|title|text|error_?message|default_?message|constraints|summary|cause|hint|error_?description|problem|issue|validation|explanation|type|code|keyword|rule|kind|tag|expected)$/i;

/** Members that hold complaints and name no place themselves. */
const containers =
  /^(errors?|details?|violations|issues|messages?|fields?|field_?errors|form_?errors|invalid[-_]?(params|parameters|fields)|validation(_?errors)?|validation_?messages|_errors|properties|children|data|meta|extra|extensions|problems?|reasons?|causes?|inner_?errors?|body_?errors|constraints|constraint_?violations|non_field_errors|response|result|exception|items)$/i;

/** Statuses whose body may say what was wrong with the data. */
const aboutData = new Set([400, 404, 409, 412, 413, 415, 422, 428]);

/** A 4xx that may say what was wrong with the data, or a 5xx that may. */
export interface Rejection {
  readonly status: number;
  /** As JSON, or as text. */
  readonly body: unknown;
  readonly observations: readonly Observation[];
  /** Its sentences. */
  readonly says: readonly string[];
  /** Status and text without what differs from request to request: the same words are about the same rule. */
  readonly words: string;
}

/** One sentence of a rejection: what it asks for, and where. */
export interface Observation extends Complaint {
  /** The place of the request; undefined where the sentence names none. */
  readonly place: Place | undefined;
}

const known = new WeakMap<Exchange['outcome'], Rejection | undefined>();

/**
 * Reads what an answer rejects, once for each answer.
 *
 * @returns undefined where it is no rejection of data
 */
export function readRejection(contract: Contract, exchange: Exchange): Rejection | undefined {
  const { outcome } = exchange;
  if (!known.has(outcome)) known.set(outcome, parse(contract, exchange));
  return known.get(outcome);
}

function parse(contract: Contract, { operation, outcome, seen }: Exchange): Rejection | undefined {
  if (outcome.kind !== 'answer') return undefined;
  const { status } = outcome;
  const body = bodyOf(outcome, seen);
  const words = `${status} ${withoutValues(body)}`;
  // A server error may name what is not supported; its form says nothing.
  if (status >= 500) {
    const text = outcome.body.subarray(0, 2_000).toString();
    return { status, body, observations: [], says: [text], words };
  }
  if (!aboutData.has(status)) return undefined;
  const observations = readComplaints(body).map((complaint): Observation => {
    return { ...complaint, place: findPlace(contract, operation, seen, complaint) };
  });
  return { status, body, observations, says: observations.map(({ says }) => says), words };
}

function bodyOf(outcome: Answer, seen: Seen): unknown {
  if (seen.responseBody !== undefined) return seen.responseBody;
  const text = outcome.body.subarray(0, 20_000).toString();
  try {
    return JSON.parse(text);
  } catch {
    // A page is made for eyes: what it says stands between its tags.
    return /^\s*</.test(text)
      ? text.replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/g, ' ').slice(0, longestText)
      : text;
  }
}

/** Without values in quotes, numbers and ids. */
function withoutValues(rejection: unknown): string {
  const text = typeof rejection === 'string' ? rejection : (JSON.stringify(rejection) ?? '');
  return text
    .slice(0, 2_000)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{20,}|\d+/gi, '0')
    .replaceAll(/\\?["'`][^"'`]{0,80}["'`]/g, (quoted) => (/[:\s]/.test(quoted) ? quoted : '""'));
}

/** Reads field and rule out of the body of a refusal, whatever framework wrote it. */
export function readComplaints(body: unknown): Complaint[] {
  const found: Complaint[] = [];
  const tell = (path: readonly string[], text: string, node: JsonObject | undefined): void => {
    if (found.length >= mostComplaints) return;
    const structured = node === undefined ? [] : readStructure(node);
    let last: readonly string[] = [];
    for (const sentence of path.length > 0 ? [text] : splitSentences(text)) {
      const coded = path.length > 0 ? undefined : readCode(sentence);
      const named = path.length > 0 ? path : (coded?.path ?? quotedPlace(sentence));
      const rules = structured.length > 0 ? structured : (coded?.rules ?? readRules(sentence, named.at(-1)));
      // "Validation failed for field x. Value is required." names the place once.
      const own = named.length > 0 || !/^(value|it|this|field)\b/i.test(sentence) ? named : last;
      last = own;
      found.push({ path: own, rules, says: sentence });
    }
  };
  /** @param trail members that led here @param above places that led here: what names its own place stands beneath those alone */
  const walk = (node: unknown, trail: readonly string[], above: readonly string[], depth: number): void => {
    if (depth > 8 || found.length >= mostComplaints) return;
    if (typeof node === 'string') {
      // The id of the error itself, or its version, is no complaint about an `id` or a `version`.
      const isData = trail.length > 0 && /^\S*\d\S*$/.test(node);
      if (node !== '' && !isData) tell([...above, ...trail], node.slice(0, longestText), undefined);
    } else if (Array.isArray(node)) {
      for (const item of node) walk(item, trail, above, depth + 1);
    } else if (isObject(node)) {
      const place = placeOf(node);
      const text = textOf(node);
      if (place !== undefined && text !== '') {
        const extra = missingOrExtra(node);
        const own = [...above, ...place];
        tell([...own, ...(extra === undefined ? [] : [extra])], text, node);
        for (const [name, part] of Object.entries(node)) {
          if (isDeeper(part) && !echoes.test(name)) walk(part, trailOf(name, part), own, depth + 1);
        }
        return;
      }
      for (const [name, part] of Object.entries(node)) {
        if (!silent.test(name)) walk(part, [...trail, ...trailOf(name, part)], above, depth + 1);
      }
    }
  };
  walk(body, [], [], 0);
  return found;
}

/** An error code in capitals: `MISSING_LOCAL_ID`, `INVALID_EMAIL`, `TENANT_ID_MISMATCH`. */
function readCode(sentence: string): { readonly path: string[]; readonly rules: Rule[] } | undefined {
  const code = /^["']?([A-Z]{2,}(?:_[A-Z0-9]+)+)\b/.exec(sentence)?.[1];
  if (code === undefined) return undefined;
  const missing = /^(?:MISSING|EMPTY|REQUIRED)_(.+)$|^(.+)_(?:REQUIRED|MISSING|EMPTY)$/.exec(code);
  const wrong =
    /^(?:INVALID|BAD|UNKNOWN|UNSUPPORTED|WRONG|ILLEGAL)_(.+)$|^(.+)_(?:MISMATCH|INVALID|NOT_FOUND|NOT_ALLOWED|UNSUPPORTED)$/.exec(
      code,
    );
  const words = missing?.[1] ?? missing?.[2] ?? wrong?.[1] ?? wrong?.[2];
  const isUnknown = /_NOT_FOUND$/.test(code);
  if (words === undefined) return undefined;
  const path = [words.toLowerCase().replace(/^req_/, 'request_')];
  if (missing !== null) return { path, rules: [{ kind: 'required' }] };
  const ruleOfCode = (): Rule => {
    if (isUnknown) return { kind: 'reference' };
    return format === undefined ? { kind: 'forbidden' } : { kind: 'keywords', keywords: format };
  };
  const format = formatWords.slice(0, 9).find(([names]) => names.test(words.replaceAll('_', ' ')))?.[1];
  return { path, rules: [ruleOfCode()] };
}

/** Members that say nothing of what is wrong: where it came from, and what was sent. */
const silent =
  /^(status|status_?code|timestamp|instance|trace(_?id)?|request_?id|documentation_url|stack(trace)?|method|url|input|value|rejected_?value|ctx|context|params|help|success|ok|received|keyword|inclusive|type|request(_?body)?|payload|sent)$/i;

/** Members of a complaint that hold what was sent. */
const echoes = /^(input|value|rejected_?value|received|sent|payload|request(_?body)?)$/i;

function isDeeper(part: unknown): boolean {
  return Array.isArray(part) ? part.some(isObject) : isObject(part);
}

function trailOf(name: string, part: unknown): string[] {
  if (/^\d+$/.test(name) || containers.test(name) || /_(errors?|details?|messages?)$/i.test(name)) return [];
  const isText = typeof part === 'string';
  // class-validator calls each constraint by its name: `isEmail`, `minLength`.
  if (isText && (textMembers.test(name) || /^(is[A-Z]|min|max|matches|array|name$)/.test(name))) return [];
  return splitPath(name);
}

function placeOf(node: JsonObject): string[] | undefined {
  for (const name of placeMembers) {
    const value = node[name];
    if (isObject(value)) {
      const inner = value.pointer ?? value.parameter ?? value.header ?? value.path ?? value.field;
      if (typeof inner === 'string') return splitPath(inner);
      continue;
    }
    if (
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((part) => typeof part === 'string' || typeof part === 'number')
    ) {
      return value.flatMap((part) => splitPath(String(part)));
    }
    // "location": "body" beside "param" says only in which part.
    if (typeof value !== 'string' || value.length > 120 || /\s/.test(value.trim()) || value.startsWith('http'))
      continue;
    if (value === '' && !(name === 'instancePath' || name === 'dataPath')) continue;
    if (/^(error|.*Error|.*Exception)$/.test(value)) continue;
    const part =
      typeof node.in === 'string'
        ? node.in
        : typeof node.location === 'string' && name !== 'location'
          ? node.location
          : undefined;
    return [...(part === undefined || /\s/.test(part) ? [] : [part]), ...splitPath(value)];
  }
  for (const holder of [node.extensions, node.meta, node.info, node.context]) {
    const inner = isObject(holder) ? (holder.field ?? holder.path ?? holder.param ?? holder.property) : undefined;
    if (typeof inner === 'string' && /^[\w$.[\]/-]{1,80}$/.test(inner)) return splitPath(inner);
  }
  const context = node.context;
  const label = isObject(context) ? (context.key ?? context.label) : undefined;
  return typeof label === 'string' ? splitPath(label) : undefined;
}

function textOf(node: JsonObject): string {
  const texts: string[] = [];
  for (const [name, part] of Object.entries(node)) {
    if (!textMembers.test(name)) continue;
    if (typeof part === 'string') texts.push(part);
    else if (Array.isArray(part)) texts.push(...part.filter((item) => typeof item === 'string'));
    else if (isObject(part)) texts.push(...Object.values(part).filter((item) => typeof item === 'string'));
  }
  return texts.join('. ').slice(0, longestText);
}

/** `/author/name`, `author.name`, `author[0].name`, `$.author`, `author[name]` as a list of names. */
export function splitPath(text: string): string[] {
  return text
    .replace(/^[$#]/, '')
    .split(/[./[\]]+/)
    .map((part) =>
      part
        .replaceAll(/^["'`]|["'`]$/g, '')
        .replaceAll('~1', '/')
        .replaceAll('~0', '~'),
    )
    .filter((part) => part !== '');
}

function missingOrExtra(node: JsonObject): string | undefined {
  const params = isObject(node.params) ? node.params : {};
  const name = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const keys = Array.isArray(node.keys) ? node.keys[0] : undefined;
  return typeof name === 'string' ? name : typeof keys === 'string' ? keys : undefined;
}

/** Limits that a complaint gives as data: pydantic's `ctx`, ajv's `params`, joi's `context`, zod's own members. */
function readStructure(node: JsonObject): Rule[] {
  const rules: Rule[] = [];
  const keywords: Record<string, unknown> = {};
  for (const holder of [node, node.ctx, node.params, node.context, node.args, node.arguments, node.meta]) {
    if (!isObject(holder)) continue;
    if (typeof holder.missingProperty === 'string') rules.push({ kind: 'required' });
    if (typeof holder.additionalProperty === 'string') rules.push({ kind: 'forbidden' });
    const members =
      holder.allowedValues ??
      holder.valids ??
      holder.options ??
      holder.choices ??
      holder.allowed ??
      holder.values ??
      holder.permitted;
    if (Array.isArray(members) && members.length > 0 && members.every(isPlain)) keywords.enum = members;
    for (const [name, value] of Object.entries(holder)) {
      if (typeof value === 'string' && /^(pattern|regex|regexp)$/i.test(name)) keywords.pattern = stripSlashes(value);
      if (typeof value !== 'number') continue;
      const keyword = limitNames.find(([names]) => names.test(name))?.[1];
      if (keyword !== undefined) keywords[keyword] = value;
    }
  }
  // zod: what a limit counts stands beside it.
  const counted = String(node.type ?? node.origin ?? '');
  if (/^(string|array|set)$/.test(counted)) {
    for (const [from, to] of counted === 'string' ? textLimits : listLimits) {
      if (from in keywords) keywords[to] = keywords[from];
      delete keywords[from];
    }
  }
  if (node.code === 'unrecognized_keys') rules.push({ kind: 'forbidden' });
  if (Object.keys(keywords).length > 0) rules.push({ kind: 'keywords', keywords });
  return rules;
}

const limitNames = [
  [/^(ge|gte|min|minimum|min_?value)$/i, 'minimum'],
  [/^(gt|exclusive_?min(imum)?)$/i, 'exclusiveMinimum'],
  [/^(le|lte|max|maximum|max_?value)$/i, 'maximum'],
  [/^(lt|exclusive_?max(imum)?)$/i, 'exclusiveMaximum'],
  [/^min_?length$/i, 'minLength'],
  [/^max_?length$/i, 'maxLength'],
  [/^min_?items$/i, 'minItems'],
  [/^max_?items$/i, 'maxItems'],
] as const;

const textLimits = [
  ['minimum', 'minLength'],
  ['maximum', 'maxLength'],
] as const;
const listLimits = [
  ['minimum', 'minItems'],
  ['maximum', 'maxItems'],
] as const;

const number = '(-?\\d+(?:[.,]\\d+)?)';

/** Formats of JSON Schema by the words that servers use for them. */
const formatWords: readonly (readonly [RegExp, JsonObject])[] = [
  [/\b(uuid|guid)\b/i, { format: 'uuid' }],
  [/\be-?mail/i, { format: 'email' }],
  [/\b(date-?time|timestamp|iso-? ?8601|rfc-? ?3339|datetime)\b/i, { format: 'date-time' }],
  [/\bdate\b/i, { format: 'date' }],
  [/\b(url|uri)\b/i, { format: 'uri' }],
  [/\bipv6\b/i, { format: 'ipv6' }],
  [/\b(ipv4|ip address|ip)\b/i, { format: 'ipv4' }],
  [/\b(host ?name|domain)\b/i, { format: 'hostname' }],
  [/\bslug\b/i, { pattern: '^[a-z0-9-]+$' }],
  [/\b(hex|hexadecimal)\b/i, { pattern: '^[0-9a-f]+$' }],
  [/\b(integer|int(32|64)?|whole number|digits?)\b/i, { type: 'integer' }],
  [/\b(number|float|double|decimal|numeric)\b/i, { type: 'number' }],
  [/\b(boolean|bool)\b/i, { type: 'boolean' }],
  [/\b(array|list)\b/i, { type: 'array' }],
  [/\b(object|map|dict(ionary)?)\b/i, { type: 'object' }],
  [/\bstring\b/i, { type: 'string' }],
];

/** What a sentence asks for; more than one where it says more than one thing. */
export function readRules(says: string, field?: string): Rule[] {
  const text = says.trim();
  const rules: Rule[] = [];
  const keywords: Record<string, unknown> = { ...readLimits(text), ...readPatternOf(text), ...readCharacters(text) };
  const members = 'pattern' in keywords ? [] : readMembers(text, field);
  if (members.length > 0) keywords.enum = members;
  if (
    /already\b.{0,20}\b(exists?|taken|in use|used|registered|been)|must be unique|\bduplicate|not unique|unique constraint|is taken|\bexists already|should be unique/i.test(
      text,
    )
  )
    rules.push({ kind: 'unique' });
  else if (
    /unknown (field|property|parameter|key|argument|attribute|query)|unrecogni[sz]ed|extra (fields?|inputs?)|not (permitted|allowed)( here)?\W*$|not permitted|additional propert|unexpected (field|property|key|parameter|argument)|should not exist|is not (a )?(known|recognized|allowed|valid) (field|property|attribute)|unpermitted|read-?only|(is|are)(n't| not) (yet |currently )?(implemented|supported|available|enabled|included|part of)|unsupported|unimplemented/i.test(
      text,
    ) &&
    members.length === 0
  )
    rules.push({ kind: 'forbidden' });
  else if (
    /\brequired\b|\bmissing\b|(must|can|could|may|should|do|shall)( ?not|n't) be (an? )?(blank|empty|null|nil|undefined|omitted)|can'?t be (blank|empty|null)|cannot be (blank|empty|null)|must be (present|provided|specified|set|given|supplied|non-?empty)|must (contain|include|have) (an? )?(value|property|field)|(not|no)\b.{0,40}\b(provided|specified|supplied|given)\b|is (blank|empty|null|undefined)\b|non-?empty|must not be empty|received undefined|please (provide|specify|enter)|mandatory|expected .{0,40} but (got|received|was) (undefined|null|nothing)/i.test(
      text,
    )
  )
    rules.push({ kind: 'required' });
  else if (
    /(does|do|did)( ?not|n't) exist|not found|could ?(not|n't) (find|be found|locate)|no such|cannot find|unable to find|foreign key|unknown (id|user|[a-z]+ id)|invalid (pk|reference)|not a (known|existing)|nonexist|non-exist|doesn't refer|must reference|references? (a|an) (missing|unknown)/i.test(
      text,
    )
  )
    rules.push({ kind: 'reference' });
  const isAboutForm =
    /\b(valid|invalid|malformed|well-?formed|badly formed|must be|should be|expected|expects|not an?|parse|parsing|format|syntax|convert|cast|decode|deserialize|type|unmarshal|has to be|needs to be|bad)\b/i.test(
      text,
    );
  if (isAboutForm && Object.keys(keywords).length === 0 && rules.length === 0) {
    // What is expected, not what came: "expected string, received number".
    const wanted = text.replace(/,?\s*(but )?(received|got|found|was|instead of|given|not)\b.*$/i, (tail) =>
      /not an?\b/i.test(tail) ? tail : '',
    );
    const expected =
      /(?:expected|must be|should be|not an?|into|to|type|valid|as)\b(.*)$/is.exec(wanted)?.[1] ?? wanted;
    const word =
      formatWords.find(([words]) => words.test(expected)) ?? formatWords.find(([words]) => words.test(wanted));
    if (word !== undefined) Object.assign(keywords, word[1]);
  }
  if (Object.keys(keywords).length > 0) rules.push({ kind: 'keywords', keywords });
  return rules;
}

function readLimits(text: string): JsonObject {
  const found: Record<string, unknown> = {};
  const isLength = /\b(characters?|chars?|length|long|letters|digits|bytes|too short|string)\b/i.test(text);
  const isCount = /\b(items?|elements?|entries|values)\b/i.test(text);
  const isSize = /\bsize must be\b/i.test(text);
  const [low, high] = isCount
    ? ['minItems', 'maxItems']
    : isLength || isSize
      ? ['minLength', 'maxLength']
      : ['minimum', 'maximum'];
  const read = (digits: string | undefined): number => Number(String(digits).replace(',', '.'));
  const range = new RegExp(
    `(?:between|range|from|in)\\W{0,3}${number}\\s*(?:and|to|-|\\.\\.+|,|through|–)\\s*${number}`,
    'i',
  ).exec(text);
  if (range !== null) {
    found[low] = read(range[1]);
    found[high] = read(range[2]);
    return found;
  }
  const rows: readonly (readonly [string, string, boolean])[] = [
    [
      '(?:greater than or equal(?: to)?|at least|minimum(?: (?:value|length|is|of|allowed))*|>=|≥|no less than|fewer than|not be less than|smaller than|min(?:imum)?(?: \\w+)?[:= ]|or more|shorter than|too short \\()',
      low,
      false,
    ],
    [
      '(?:less than or equal(?: to)?|at most|maximum(?: (?:value|length|is|of|allowed))*|<=|≤|no more than|not be (?:greater|more|longer) than|up to|max(?:imum)?(?: \\w+)?[:= ]|longer than|exceeds?(?: the)?(?: \\w+){0,3}|more than|greater than)',
      high,
      false,
    ],
  ];
  const isNegated = /\b(not|never|cannot|can't|no)\b/i.test(text);
  const plain: readonly (readonly [string, string])[] = [
    ['(?:greater than|more than|larger than|above|after|>)', low === 'minimum' ? 'exclusiveMinimum' : low],
    ['(?:less than|smaller than|below|under|<)', high === 'maximum' ? 'exclusiveMaximum' : high],
  ];
  if (!isNegated) {
    for (const [words, keyword] of plain) {
      const match = new RegExp(`${words}\\s*(?!or equal|=)${number}`, 'i').exec(text);
      if (match !== null)
        found[keyword] =
          read(match[1]) +
          (keyword === 'minLength' || keyword === 'minItems'
            ? 1
            : keyword === 'maxLength' || keyword === 'maxItems'
              ? -1
              : 0);
    }
  }
  if (Object.keys(found).length === 0) {
    for (const [words, keyword] of rows) {
      const match = new RegExp(`${words}\\W{0,4}(?:of |is |than |to )?\\W?${number}`, 'i').exec(text);
      if (match !== null && !(keyword in found)) found[keyword] = read(match[1]);
    }
  }
  if (/\bmust be (?:a )?positive|positive (?:number|integer)/i.test(text)) found.exclusiveMinimum = 0;
  if (/\bnon-?negative/i.test(text)) found.minimum = 0;
  return found;
}

/** "3-512 characters from [a-z0-9._-]", "only letters, digits and underscores": the characters that may stand there. */
function readCharacters(text: string): JsonObject {
  const listed =
    /(?:(\d+)\s*(?:-|to|–)\s*(\d+) )?characters? (?:from|in|of|among) (?:the (?:set|class) )?(\[[^\]\s]{2,60}\])/i.exec(
      text,
    );
  if (listed !== null) return { pattern: `^${listed[3]}{${listed[1] ?? 1},${listed[2] ?? 64}}$` };
  const named =
    /\b(?:only|consist of|contain|comprise)\b(.{0,30}(?:letters|alphanumeric|lower-?case|characters).*)$/is.exec(
      text,
    )?.[1];
  if (named === undefined || !/only|consist|must (start|begin)/i.test(text)) return {};
  const isLower = /lower-?case/i.test(named) && !/upper-?case/i.test(named);
  const letters = isLower ? 'a-z' : 'a-zA-Z';
  const more = [
    /digits|numbers|alphanumeric|numeric/i.test(named) ? '0-9' : '',
    /underscore|_/i.test(named) ? '_' : '',
  ];
  // Dashes are left out: what takes them takes a name without them too.
  return { pattern: `^[${letters}][${letters}${more.join('')}]{2,19}$` };
}

function readPatternOf(text: string): JsonObject {
  if (!/match|pattern|regex|format|regular expression/i.test(text)) return {};
  const quoted =
    /["'`](\^?[^\s].*?)["'`](?:\s|[.,)]|$)|(?:^|\s)\/(\S.*?)\/[a-z]*(?:[\s.,)]|$)|(\^\S.*?\$)(?=$|[\s.,"'`)])/;
  const after = /(?:match(?:es|ing)?|pattern|regex(?:p)?|regular expression|format)\b(.*)$/is.exec(text)?.[1] ?? '';
  const match = quoted.exec(after);
  const source = match?.[1] ?? match?.[2] ?? match?.[3];
  // A quoted word is a name, not a pattern.
  if (source === undefined || !/[[\\^$*+(|]/.test(source)) return {};
  return { pattern: stripSlashes(source) };
}

function stripSlashes(source: string): string {
  return /^\/(.*)\/[a-z]*$/s.exec(source)?.[1] ?? source;
}

const surelyListed =
  /(?:one of(?: the following)?(?: values?)?|any of|allowed(?: values?| options?| types?)?(?: are| is)?|valid (?:values?|choices|options|types?)(?: are| is| include)?|accepted(?: values?)?(?: are| for \w+ class)?|possible values(?: are)?|permitted values?(?: are)?|supported (?:values?|types?|formats?)?(?: are)?|must be in|not in|choose from|choices(?: are)?|options(?: are)?)\s*[:=]?\s*(.+)$/is;
const perhapsListed = /(?:expected|should be|must be|must equal|equal to)\s*[:=]?\s*(.+)$/is;

/** Values that a sentence lists as the only ones. */
function readMembers(text: string, field: string | undefined): (string | number)[] {
  const list = (surelyListed.exec(text) ?? perhapsListed.exec(text))?.[1];
  if (list === undefined) return [];
  const head = list.split(/[;\n]|,?\s*(?:but|instead|received|got|given|not)\s/i)[0] ?? '';
  const bracket = /^[^"'`[({]{0,30}[[({](.*?)[\])}]/s.exec(head)?.[1];
  const quoted = [...(bracket ?? head).matchAll(/"([^"]{1,80})"|'([^']{1,80})'|`([^`]{1,80})`/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
  const isSure = surelyListed.test(text);
  if (quoted.length > 0) return quoted.filter((value) => value !== field).map(asWritten);
  if (!isSure) return [];
  const words = (bracket ?? head)
    .split(/\s*(?:,|\||\/|\bor\b|\band\b)\s*/)
    .map((word) => word.trim().replace(/[.)\]]+$/, ''))
    .filter((word) => word !== '');
  return words.length > 0 &&
    words.length <= 60 &&
    words.every((word) => /^[\w.:+@*-]{1,60}$/.test(word)) &&
    (words.length > 1 || bracket !== undefined)
    ? words.map(asWritten)
    : [];
}

function asWritten(text: string): string | number {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function splitSentences(text: string): string[] {
  return text
    .split(/\r?\n|;\s|(?<=[a-z)\]"'])\.\s+(?=[A-Z"'`])|,\s(?=[\w.]+ (?:is|must|should|can|may|has|does)\b)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .slice(0, 12);
}

/** A name in quotes, or before a colon, or the first word before "is required": where a plain sentence says that it is. */
function quotedPlace(sentence: string): string[] {
  const name = '([\\w$][\\w$.[\\]-]{0,60})';
  const rows = [
    // The Go validator: Key: 'User.Email' Error:Field validation for 'Email' failed on the 'required' tag
    new RegExp(`field validation for ['"]${name}['"]`, 'i'),
    new RegExp(
      `(?:field|property|parameter|param|attribute|column|key|argument|member|header|query|name)s?[: ]+['"\`]${name}['"\`]`,
      'i',
    ),
    new RegExp(`['"\`]${name}['"\`]`),
    new RegExp(`^(?:body|query|path|params|data|request|headers?)[./ ]${name}\\b`, 'i'),
    new RegExp(`\\b(?:field|property|parameter|param|attribute|argument|header)s? ${name}`, 'i'),
    new RegExp(
      `(?:unknown|missing|invalid|unexpected|unrecognized|required) (?:required )?(?:field|property|parameter|param|attribute|argument|query|key|value|header)s?[: ]+${name}`,
      'i',
    ),
    new RegExp(`^${name}\\s*(?::|=)`),
    new RegExp(
      `^(?:the |your |an? )?${name} (?:is|are|must|should|can|may|has|have|does|field|already|cannot|was|needs|value|not)\\b`,
      'i',
    ),
    new RegExp(`(?:missing|invalid|requires?|unknown|duplicate)(?: an?| the| required| valid)? ${name}\\b`, 'i'),
  ];
  for (const row of rows) {
    const match = row.exec(sentence);
    const found = match?.[1];
    if (found === undefined) continue;
    // "field" in quotes is a name.
    const isQuoted = sentence.includes(`"${found}"`) || sentence.includes(`'${found}'`);
    if (
      isQuoted ||
      !/^(the|a|an|this|that|value|field|it|body|request|input|is|error|json|object|string|property|parameter|must|not|schema)$/i.test(
        found,
      )
    )
      return splitPath(found);
  }
  return [];
}
