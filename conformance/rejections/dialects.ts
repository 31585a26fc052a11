// Readers of rejections, one for each dialect in which frameworks write errors. Each reader can be removed alone.
import { isObject, type JsonObject } from '../contract/document.ts';
import { formatOfName, type Rule, readRules } from './read-rules.ts';

/** One sentence of a rejection with its place and its rules. */
export interface Complaint {
  /** Names from the outside in, `['body', 'author', 'name']`; empty if the sentence names no place. */
  readonly path: readonly string[];
  readonly rules: readonly Rule[];
  readonly message: string;
}

interface Position {
  /** Names of the members above this one, which may name places of the request. */
  readonly trail: readonly string[];
  /** Places of the enclosing complaints: the place of an inner complaint is relative to them. */
  readonly above: readonly string[];
}

type Walk = (node: unknown, position: Position) => readonly Complaint[];

/** @returns undefined if the node is not written in this dialect */
type Dialect = (node: unknown, position: Position, walk: Walk) => readonly Complaint[] | undefined;

const most = { complaints: 40, depth: 8, text: 4_000, sentences: 12 } as const;

/** In the order in which they are tried. */
const dialects: readonly Dialect[] = [
  /** One member is the place, another the text: FastAPI, Spring, express-validator, ajv, zod, JSON:API, problem details. */
  (node, { above }, walk) => {
    if (!isObject(node)) return undefined;
    const place = placeOf(node);
    const message = textOf(node);
    if (place === undefined || message === '') return undefined;
    const path = [...above, ...place];
    const deeper = Object.entries(node)
      .filter(([name, part]) => isDeeper(part) && !echoes.test(name))
      .flatMap(([name, part]) => walk(part, { trail: trailOf(name, part), above: path }));
    return [{ path, rules: readRules(message, path.at(-1)), message }, ...deeper];
  },

  /** The name of a member is the place: Django, Rails, Laravel. This also reads the members of any other object. */
  (node, { trail, above }, walk) => {
    if (!isObject(node)) return undefined;
    return Object.entries(node)
      .filter(([name]) => !ignored.test(name))
      .flatMap(([name, part]) => walk(part, { trail: [...trail, ...trailOf(name, part)], above }));
  },

  (node, position, walk) => (Array.isArray(node) ? node.flatMap((item) => walk(item, position)) : undefined),

  /** A text under the name of a place. */
  (node, { trail, above }) => {
    const path = [...above, ...trail];
    if (typeof node !== 'string' || path.length === 0) return undefined;
    // A text with a digit and no space, such as the error's id or version, is no complaint.
    if (node === '' || (trail.length > 0 && /^\S*\d\S*$/.test(node))) return [];
    const message = node.slice(0, most.text);
    return [{ path, rules: readRules(message, path.at(-1)), message }];
  },

  /** Sentences that contain their place, and error codes in capitals: Go, joi, fastify, Firebase. */
  (node) => {
    if (typeof node !== 'string') return undefined;
    let last: readonly string[] = [];
    return splitSentences(node.slice(0, most.text)).map((message): Complaint => {
      const coded = readCode(message);
      const named = coded?.path ?? placeInProse(message);
      // "Validation failed for field x. Value is required." names the place once.
      last = named.length > 0 || !/^(value|it|this|field)\b/i.test(message) ? named : last;
      return { path: last, rules: coded?.rules ?? readRules(message, named.at(-1)), message };
    });
  },
];

/** Reads places and rules out of the body of a rejection of any framework. */
export function readComplaints(body: unknown): readonly Complaint[] {
  let count = 0;
  const walkAt =
    (depth: number): Walk =>
    (node, position) => {
      if (depth > most.depth || count >= most.complaints) return [];
      for (const read of dialects) {
        const found = read(node, position, walkAt(depth + 1));
        if (found === undefined) continue;
        if (typeof node === 'string') count += found.length;
        return found;
      }
      return [];
    };
  return walkAt(0)(body, { trail: [], above: [] }).slice(0, most.complaints);
}

/** Members that hold the place, the most reliable first. */
const placeMembers = [
  'instancePath', 'dataPath', 'instance_path', 'loc', 'source', 'pointer', 'jsonPointer', 'propertyPath', 'property_path', 'path', 'field', 'fieldName', 'field_name',
  'fieldPath', 'param', 'parameter', 'parameterName', 'property', 'propertyName', 'attribute', 'member', 'argument', 'arg', 'column', 'location', 'key', 'name', 'target',
]; // biome-ignore format: a list

/** Members that hold the text. */
const textMembers =
  /^(msg|messages?|detail|details|description|reason|error|errors|title|text|error_?message|default_?message|constraints|summary|cause|hint|error_?description|problem|issue|validation|explanation|type|code|keyword|rule|kind|tag|expected)$/i;

/** Members that hold complaints and name no place themselves. */
const containers =
  /^(errors?|details?|violations|issues|messages?|fields?|field_?errors|form_?errors|invalid[-_]?(params|parameters|fields)|validation(_?errors)?|validation_?messages|_errors|properties|children|data|meta|extra|extensions|problems?|reasons?|causes?|inner_?errors?|body_?errors|constraints|constraint_?violations|non_field_errors|response|result|exception|items)$/i;

/** An error code in capitals: `MISSING_LOCAL_ID`, `INVALID_EMAIL`, `TENANT_ID_MISMATCH`. */
function readCode(sentence: string): { readonly path: string[]; readonly rules: Rule[] } | undefined {
  const code = /^["']?([A-Z]{2,}(?:_[A-Z0-9]+)+)\b/.exec(sentence)?.[1];
  if (code === undefined) return undefined;
  const missing = /^(?:MISSING|EMPTY|REQUIRED)_(.+)$|^(.+)_(?:REQUIRED|MISSING|EMPTY)$/.exec(code);
  const wrong =
    /^(?:INVALID|BAD|UNKNOWN|UNSUPPORTED|WRONG|ILLEGAL)_(.+)$|^(.+)_(?:MISMATCH|INVALID|NOT_ALLOWED|UNSUPPORTED)$/.exec(
      code,
    );
  const words = missing?.[1] ?? missing?.[2] ?? wrong?.[1] ?? wrong?.[2];
  if (words === undefined) return undefined;
  const path = [words.toLowerCase().replace(/^req_/, 'request_')];
  if (missing !== null) return { path, rules: [{ kind: 'required' }] };
  const format = formatOfName(words.replaceAll('_', ' '));
  return { path, rules: [format === undefined ? { kind: 'forbidden' } : { kind: 'keywords', keywords: format }] };
}

/** Members without complaints: metadata of the error, and the request's own values. */
const ignored =
  /^(status|status_?code|timestamp|instance|trace(_?id)?|request_?id|documentation_url|stack(trace)?|method|url|input|value|rejected_?value|ctx|context|params|help|success|ok|received|keyword|inclusive|type|request(_?body)?|payload|sent)$/i;

/** Members of a complaint that repeat the request's values. */
const echoes = /^(input|value|rejected_?value|received|sent|payload|request(_?body)?)$/i;

function isDeeper(part: unknown): boolean {
  return Array.isArray(part) ? part.some(isObject) : isObject(part);
}

function trailOf(name: string, part: unknown): string[] {
  if (/^\d+$/.test(name) || containers.test(name) || /_(errors?|details?|messages?)$/i.test(name)) return [];
  const isText = typeof part === 'string';
  // class-validator uses names of constraints as members: `isEmail`, `minLength`.
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
    // "location": "body" next to "param" is only the part of the request.
    if (typeof value !== 'string' || value.length > 120 || /\s/.test(value.trim()) || value.startsWith('http'))
      continue;
    if (value === '' && !(name === 'instancePath' || name === 'dataPath')) continue;
    if (/^(error|.*Error|.*Exception)$/.test(value)) continue;
    return splitPath(value);
  }
  const { extensions } = node;
  return isObject(extensions) && typeof extensions.field === 'string' ? splitPath(extensions.field) : undefined;
}

function textOf(node: JsonObject): string {
  const texts: string[] = [];
  for (const [name, part] of Object.entries(node)) {
    if (!textMembers.test(name)) continue;
    if (typeof part === 'string') texts.push(part);
    else if (Array.isArray(part)) texts.push(...part.filter((item) => typeof item === 'string'));
    else if (isObject(part)) texts.push(...Object.values(part).filter((item) => typeof item === 'string'));
  }
  return texts.join('. ').slice(0, most.text);
}

/** `/author/name`, `author.name`, `author[0].name`, `$.author`, `author[name]` as a list of names. */
function splitPath(text: string): string[] {
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

function splitSentences(text: string): string[] {
  return text
    .split(/\r?\n|;\s|(?<=[a-z)\]"'])\.\s+(?=[A-Z"'`])|,\s(?=[\w./]+ (?:is|must|should|can|may|has|does)\b)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .slice(0, most.sentences);
}

/** The place in a sentence: a name in quotes, before a colon, or before "is required". */
function placeInProse(sentence: string): string[] {
  // Ajv, as fastify writes it: a pointer, and the member that its object lacks.
  const [pointer] = /^(?:body|querystring|params|headers|data)(?:\/[^\s/]+)+(?= must\b)/.exec(sentence) ?? [];
  const lacking = / must have required property '([^']+)'/.exec(sentence)?.[1] ?? [];
  if (pointer !== undefined) return splitPath(pointer).concat(lacking);
  const name = '([\\w$][\\w$.[\\]-]{0,60})';
  const rows = [
    new RegExp(
      `(?:field|property|parameter|param|attribute|column|key|argument|member|header|query|name)s?[: ]+['"\`]${name}['"\`]`,
      'i',
    ),
    new RegExp(`['"\`]${name}['"\`]`),
    new RegExp(`^(?:body|query|path|params|data|request|headers?)[./ ]${name}\\b`, 'i'),
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
    // A quoted word is a name, even "field".
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
