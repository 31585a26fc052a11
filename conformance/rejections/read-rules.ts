import type { JsonObject } from '../contract/document.ts';

/** A rule inferred from a sentence of a rejection. `keywords` are additional JSON Schema keywords. */
export type Rule =
  | { readonly kind: 'required' | 'forbidden' }
  | { readonly kind: 'keywords'; readonly keywords: JsonObject };

/** Formats of JSON Schema by the names that servers use for them. */
const formatWords: readonly (readonly [RegExp, JsonObject])[] = [
  [/\b(uuid|guid)\b/i, { format: 'uuid' }],
  [/\be-?mail/i, { format: 'email' }],
  [/\b(date-?time|timestamp|iso-? ?8601|rfc-? ?3339|datetime)\b/i, { format: 'date-time' }],
  [/\bdate\b/i, { format: 'date' }],
  [/\b(url|uri)\b/i, { format: 'uri' }],
  [/\bipv6\b/i, { format: 'ipv6' }],
  [/\b(ipv4|ip address|ip)\b/i, { format: 'ipv4' }],
  [/\b(host ?name|domain)\b/i, { format: 'hostname' }],
];

/** The format that a name asks for: `email` in `INVALID_EMAIL`. */
export function formatOfName(name: string): JsonObject | undefined {
  return formatWords.find(([words]) => words.test(name))?.[1];
}

export function readRules(message: string, field?: string): Rule[] {
  const text = message.trim();
  const rules: Rule[] = [];
  const keywords: Record<string, unknown> = {};
  const members = readMembers(text, field);
  if (members.length > 0) keywords.enum = members;
  Object.assign(keywords, readBound(text));
  if (
    /\brequired\b|\bmissing\b|(must|can|could|may|should|do|shall)( ?not|n't) be (an? )?(blank|empty|null|nil|undefined|omitted)|can'?t be (blank|empty|null)|cannot be (blank|empty|null)|must be (present|provided|specified|set|given|supplied|non-?empty)|must (contain|include|have) (an? )?(value|property|field)|(not|no)\b.{0,40}\b(provided|specified|supplied|given)\b|is (blank|empty|null|undefined)\b|non-?empty|must not be empty|received undefined|please (provide|specify|enter)|mandatory|expected .{0,40} but (got|received|was) (undefined|null|nothing)/i.test(
      text,
    )
  )
    rules.push({ kind: 'required' });
  if (Object.keys(keywords).length > 0) rules.push({ kind: 'keywords', keywords });
  return rules;
}

/** Bounds as Ajv writes them. */
const bounds: readonly (readonly [RegExp, keyword: string])[] = [
  [/\bmust be >= (-?\d+(?:\.\d+)?)$/, 'minimum'],
  [/\bmust be <= (-?\d+(?:\.\d+)?)$/, 'maximum'],
  [/\bmust be > (-?\d+(?:\.\d+)?)$/, 'exclusiveMinimum'],
  [/\bmust be < (-?\d+(?:\.\d+)?)$/, 'exclusiveMaximum'],
  [/\bmust be multiple of (\d+(?:\.\d+)?)$/, 'multipleOf'],
  [/\bmust NOT have fewer than (\d+) characters$/, 'minLength'],
  [/\bmust NOT have more than (\d+) characters$/, 'maxLength'],
  [/\bmust NOT have fewer than (\d+) items$/, 'minItems'],
  [/\bmust NOT have more than (\d+) items$/, 'maxItems'],
];

function readBound(text: string): JsonObject {
  const found = bounds.flatMap(([words, keyword]) => {
    const bound = words.exec(text)?.[1];
    return bound === undefined ? [] : [[keyword, Number(bound)]];
  });
  return Object.fromEntries(found);
}

const surelyListed =
  /(?:one of(?: the following)?(?: values?)?|any of|allowed(?: values?| options?| types?)?(?: are| is)?|valid (?:values?|choices|options|types?)(?: are| is| include)?|accepted(?: values?)?(?: are| for \w+ class)?|possible values(?: are)?|permitted values?(?: are)?|supported (?:values?|types?|formats?)?(?: are)?|must be in|not in|choose from|choices(?: are)?|options(?: are)?)\s*[:=]?\s*(.+)$/is;
const perhapsListed = /(?:expected|should be|must be|must equal|equal to)\s*[:=]?\s*(.+)$/is;

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
