// The platform parses JSON. js-yaml parses YAML: it reads a megabyte in a tenth of a second and reports the offset of each value.
// Lines are computed when a message first needs one.
import {
  CORE_SCHEMA,
  constructFromEvents,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  EVENT_ID,
  type Event,
  getScalarValue,
  mapTag,
  mergeTag,
  parseEvents,
  seqTag,
  YAMLException,
} from 'js-yaml';
import { ContractError, type Excerpt } from './contract.ts';
import { isObject, type JsonObject, joinPointer, type Pointer, splitPointer } from './document.ts';
import { messageOf } from './printable.ts';

export interface Source {
  readonly root: JsonObject;
  /** 1-based line of the nearest existing value: a pointer may name a missing keyword. */
  readonly lineOf: (pointer: Pointer) => number;
  readonly excerptAt: (pointer: Pointer) => Excerpt;
  /** Members that are repeated in their object; the last one counts. */
  readonly repeated: readonly Pointer[];
}

/** Bounds recursion: no known document is nested as deeply. */
const mostDepth = 1200;
/** Bounds a document before and after its aliases are expanded: a megabyte of `[],` takes thirty megabytes in memory. */
const mostValues = 2_000_000;

/** Unknown tags are ignored: `!Ref name` and `!!timestamp 2030-01-01` are texts. */
const unknownTags = ['!', 'tag:'].flatMap((name) => {
  const any = { matchByTagPrefix: true, identify: () => false };
  return [
    defineScalarTag(name, { ...any, resolve: (text) => text }),
    defineSequenceTag(name, { ...seqTag, ...any }),
    defineMappingTag(name, { ...mapTag, ...any }),
  ];
});
const schema = CORE_SCHEMA.withTags(mergeTag, ...unknownTags);

/**
 * Reads JSON, or YAML 1.2 with merge keys.
 *
 * @throws ContractError with the syntax error and its line, or if the root is not an object
 */
export function readSource(file: string, given: string): Source {
  const text = given.replace(/^\uFEFF/, '');
  try {
    const { root, repeated } = readJson(text) ?? readYaml(text);
    if (!isObject(root)) throw new Unreadable(1, 'The document is not an object.', 'Name an OpenAPI document.');
    let index: ReturnType<typeof indexLines> | undefined;
    const locate = (pointer: Pointer) => {
      index ??= indexLines(text);
      return index(pointer);
    };
    let lines: readonly string[] | undefined;
    return {
      root,
      repeated,
      lineOf: (pointer) => locate(pointer).line,
      excerptAt: (pointer) => {
        lines ??= text.split('\n');
        return cutOut(lines, locate(pointer));
      },
    };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const { line, message, fix } = explainJson(file, text) ?? error;
    throw new ContractError(file, [{ pointer: '#', line, message, fix }]);
  }
}

class Unreadable extends Error {
  readonly line: number;
  readonly fix: string;

  constructor(line: number, message: string, fix: string) {
    super(message);
    this.line = line;
    this.fix = fix;
  }
}

/** Characters that precede a value: a comma or an opening bracket; in YAML also a line break, and `-` or `?` before a space. */
const signs = { json: /[,[{]/g, yaml: /[,[{]|\r?\n|\r|[-?](?=\s)/g } as const;

/** Throws before parsing a text that would exhaust memory. */
function boundValues(text: string, language: keyof typeof signs): void {
  if (text.length <= mostValues) return;
  let count = 0;
  for (const _ of text.matchAll(signs[language])) {
    count += 1;
    if (count > mostValues)
      throw new Unreadable(1, `The document has more than ${mostValues} values.`, 'Test its parts separately.');
  }
}

type Read = Pick<Source, 'repeated'> & { readonly root: unknown };

/** @returns undefined for a text that is not JSON: it may be YAML */
function readJson(text: string): Read | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  boundValues(text, 'json');
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  return { root, repeated: scanJson(text) };
}

/** The platform's parser explains errors in JSON better than a YAML parser. */
function explainJson(file: string, text: string): Unreadable | undefined {
  if (!/\.json$/i.test(file)) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    const [, offset = '0'] = /position (\d+)/.exec(message) ?? [];
    const atEnd = /end of JSON/.test(message) ? text.length : Number(offset);
    return new Unreadable(lineAt(text, atEnd), message, 'Correct the JSON.');
  }
}

/**
 * Finds what `JSON.parse` accepts: repeated members (RFC 8259, 4), and nesting too deep for recursion.
 *
 * @param text JSON without errors
 */
function scanJson(text: string): Pointer[] {
  const repeated: Pointer[] = [];
  const colon = /\s*:/y;
  /** For each open object or list: the names so far, and the current name or index. */
  const open: { readonly names: Set<string> | undefined; at: string | number }[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '{' || char === '[') {
      if (open.length >= mostDepth) throw tooDeep(lineAt(text, index));
      open.push({ names: char === '{' ? new Set() : undefined, at: char === '{' ? '' : 0 });
    } else if (char === '}' || char === ']') open.pop();
    else if (char === ',' || char === '"') {
      const inner = open.at(-1);
      if (char === ',') {
        if (typeof inner?.at === 'number') inner.at += 1;
        continue;
      }
      const end = endOfText(text, index);
      colon.lastIndex = end + 1;
      if (inner?.names !== undefined && colon.test(text)) {
        inner.at = text.slice(index + 1, end);
        if (inner.names.has(inner.at)) repeated.push(joinPointer('#', ...open.map(({ at }) => at)));
        inner.names.add(inner.at);
      }
      index = end;
    }
  }
  return repeated;
}

/** The index of the closing quotation mark: an even number of backslashes precedes it. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end;
  }
}

function tooDeep(line: number): Unreadable {
  const message = `The document is nested more than ${mostDepth} levels deep.`;
  return new Unreadable(line, message, 'Move parts out, and refer to them by $ref.');
}

function readYaml(text: string): Read {
  boundValues(text, 'yaml');
  try {
    const events = parseEvents(text, { maxDepth: mostDepth });
    const construct = (json: boolean): unknown[] =>
      constructFromEvents(events, { source: text, schema, json, maxTotalMergeKeys: mostValues });
    let all: unknown[];
    let repeated: readonly Pointer[] = [];
    try {
      all = construct(false);
    } catch (error) {
      if (!(error instanceof YAMLException) || !/duplicate/.test(error.reason)) throw error;
      all = construct(true);
      repeated = findRepeated(events, text);
    }
    const [root] = all;
    if (all.length > 1) throw new Unreadable(1, 'The file holds several documents.', 'Name a file with one document.');
    if (events.some(({ type }) => type === EVENT_ID.ALIAS)) countValues(root);
    return { root, repeated };
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(1);
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? 1 : error.mark.line + 1;
    if (/depth/i.test(error.reason)) throw tooDeep(line);
    throw new Unreadable(line, error.reason, 'Correct the YAML.');
  }
}

/** A value with aliases is stored once, but a walk visits it once per path that leads to it. */
function countValues(root: unknown): void {
  const counts = new Map<object, number | 'open'>();
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = counts.get(value);
    if (known === 'open')
      throw new Unreadable(1, 'An alias names a part that contains the alias.', 'Write $ref instead.');
    if (known !== undefined) return known;
    counts.set(value, 'open');
    const sum = Object.values(value).reduce<number>((total, part) => total + count(part), 1);
    if (sum > mostValues) throw new Unreadable(1, 'The aliases expand to millions of values.', 'Write $ref instead.');
    counts.set(value, sum);
    return sum;
  };
  count(root);
}

/** Events as a tree: the members of an object or list with their offsets. The events themselves would take twenty times the memory of the text. */
class EventTree {
  /** For each event, the index after everything that it contains. */
  readonly #ends: Int32Array;
  readonly #offsets: Int32Array;
  readonly #maps = new Set<number>();
  /** The names of members, by event. */
  readonly #names = new Map<number, string>();
  readonly #children = new Map<number, ReadonlyMap<string, Child>>();
  readonly repeated: [parent: number, name: string][] = [];

  constructor(events: readonly Event[], text: string) {
    this.#ends = new Int32Array(events.length);
    this.#offsets = new Int32Array(events.length);
    const open: { readonly index: number; readonly isMap: boolean; isNameNext: boolean }[] = [];
    const known = new Map<string, string>();
    events.forEach((event, index) => {
      const { type } = event;
      this.#ends[index] = index + 1;
      this.#offsets[index] = offsetOf(event);
      if (type === EVENT_ID.POP) {
        this.#ends[open.pop()?.index ?? 0] = index + 1;
        return;
      }
      const outer = open.at(-1);
      if (outer?.isMap === true && outer.isNameNext && type === EVENT_ID.SCALAR) {
        const name = getScalarValue(text, event);
        known.set(name, known.get(name) ?? name);
        this.#names.set(index, known.get(name) ?? name);
      }
      if (outer !== undefined) outer.isNameNext = !outer.isNameNext;
      const isMap = type === EVENT_ID.MAPPING;
      if (isMap) this.#maps.add(index);
      if (type !== EVENT_ID.SCALAR && type !== EVENT_ID.ALIAS) open.push({ index, isMap, isNameNext: isMap });
    });
  }

  /** Children by name or index. */
  childrenOf(parent: number): ReadonlyMap<string, Child> {
    const known = this.#children.get(parent);
    if (known !== undefined) return known;
    const children = new Map<string, Child>();
    const isMap = this.#maps.has(parent);
    const last = (this.#ends[parent] ?? 0) - 1;
    for (let index = parent + 1; index < last; ) {
      const value = isMap ? (this.#ends[index] ?? last) : index;
      const name = isMap ? (this.#names.get(index) ?? '') : String(children.size);
      if (isMap && children.has(name) && name !== '<<') this.repeated.push([parent, name]);
      children.set(name, { value, offset: this.#offsets[index] ?? 0 });
      index = this.#ends[value] ?? last;
    }
    this.#children.set(parent, children);
    return children;
  }
}

interface Child {
  /** Index of the value's event. */
  readonly value: number;
  /** Offset of the name, or of the value itself in a list. */
  readonly offset: number;
}

function offsetOf(event: Event): number {
  if (!('anchorStart' in event)) return 0;
  if ('valueStart' in event) return event.valueStart;
  return 'start' in event ? event.start : event.anchorStart;
}

function findRepeated(events: readonly Event[], text: string): Pointer[] {
  const tree = new EventTree(events, text);
  const found: Pointer[] = [];
  const walk = (parent: number, pointer: Pointer): void => {
    const before = tree.repeated.length;
    const children = tree.childrenOf(parent);
    found.push(...tree.repeated.slice(before).map(([, name]) => joinPointer(pointer, name)));
    for (const [name, { value }] of children) walk(value, joinPointer(pointer, name));
  };
  walk(1, '#');
  return found;
}

interface Location {
  /** 1-based. */
  readonly line: number;
  /** 0-based. */
  readonly column: number;
}

/** Lines before and after a value, and characters of a line: JSON may have only one. */
const around = { before: 4, after: 6, characters: 200, left: 60 } as const;

function cutOut(all: readonly string[], { line, column }: Location): Excerpt {
  const first = Math.max(1, line - around.before);
  const lines = all.slice(first - 1, line + around.after).map((whole, index) => {
    const text = whole.trimEnd();
    const from = first + index === line && text.length > around.characters ? Math.max(0, column - around.left) : 0;
    const part = text.slice(from, from + around.characters);
    return `${from > 0 ? '…' : ''}${part}${from + part.length < text.length ? '…' : ''}`;
  });
  while (lines.length > line - first + 1 && lines.at(-1) === '') lines.pop();
  return { line, first, lines };
}

/** JSON is a subset of YAML, so that one index serves both. */
function indexLines(text: string): (pointer: Pointer) => Location {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  let tree: EventTree;
  try {
    tree = new EventTree(parseEvents(text, { maxDepth: mostDepth }), text);
  } catch {
    return () => ({ line: 1, column: 0 });
  }
  return (pointer) => {
    let offset = 0;
    let parent = 1;
    for (const token of splitPointer(pointer)) {
      const child = tree.childrenOf(parent).get(token);
      if (child === undefined) break;
      ({ offset, value: parent } = child);
    }
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) };
  };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
