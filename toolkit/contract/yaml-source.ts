import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';

/** A place in a source file; both 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A syntax fault: its position, and the parser's message. */
export interface SyntaxFault extends Position {
  readonly message: string;
  /** The first occurrence of a duplicate key. */
  readonly first?: Position & { readonly key: string };
  /** Path of a duplicate key. */
  readonly path?: readonly string[];
}

/** A parsed YAML or JSON file, with the positions of its values. */
export interface YamlSource {
  readonly faults: readonly SyntaxFault[];
  readonly value: unknown;
  /** Position of the value's key (an item's own start in a list), or of its nearest ancestor that exists. */
  positionOf(segments: readonly string[]): Position;
}

/** Parses YAML 1.2 (JSON included). Never throws: every syntax error is in `faults`. */
export function readYaml(text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: areSameName });
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const isRepeating = document.errors.some(({ code }) => code === 'DUPLICATE_KEY');
  const repeated = new Map(isRepeating ? listRepeated(document).map((one) => [one.key.range?.[0], one]) : []);
  const faults = [...document.errors, ...document.warnings].map(({ code, message, pos }) => {
    const again = code === 'DUPLICATE_KEY' ? repeated.get(pos[0]) : undefined;
    const first = again && {
      first: { key: String(again.key), ...positionAt(again.first.range?.[0] ?? 0) },
      path: again.path,
    };
    const opened = code === 'BAD_INDENT' || code === 'MISSING_CHAR' ? findUnclosed(document, text, pos[0]) : undefined;
    if (opened !== undefined)
      return { message: `${text.charAt(opened)} is opened here, and never closed`, ...positionAt(opened) };
    // The parser's message names one of its own functions.
    const reworded = code === 'MULTIPLE_DOCS' ? 'a second document begins here' : message.trim();
    return { message: reworded, ...positionAt(pos[0]), ...first };
  });
  // The parser resolves anchors only when it builds a value, and throws at the first missing one.
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) === undefined)
        faults.push({
          message: `*${alias.source} has no &${alias.source} before it`,
          ...positionAt(alias.range?.[0] ?? 0),
        });
    },
  });
  return {
    faults,
    // Lifts the parser's limit of a hundred nested aliases: an alias is the same object again.
    value: faults.length === 0 ? document.toJS({ maxAliasCount: -1 }) : undefined,
    positionOf: (segments) => positionAt(offsetOf(document.contents, segments)),
  };
}

/** An object has names, so `200` and `'200'` are one, as in the parser of the linter. */
function areSameName(one: unknown, other: unknown): boolean {
  return isScalar(one) && isScalar(other) && String(one.value) === String(other.value);
}

/** A key that is in its map again, with the value before, which does not count. */
export interface RepeatedKey {
  readonly path: readonly string[];
  readonly before: unknown;
}

/** The value of a text whose only faults are repeated keys: of each, the last one counts, as in `JSON.parse`. */
export function readRepeated(text: string): { readonly value: unknown; readonly repeated: readonly RepeatedKey[] } {
  const document = parseDocument(text, { uniqueKeys: false });
  const read = (node: unknown): unknown => (isNode(node) ? node.toJS(document, { maxAliasCount: -1 }) : null);
  return {
    value: document.toJS({ maxAliasCount: -1 }),
    repeated: listRepeated(document).map(({ path, before }) => ({ path, before: read(before) })),
  };
}

/** The value without positions, for JSON in a hundredth of the time. Undefined for a text that is neither JSON nor YAML. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readYaml(text).value;
  }
}

/** Offset of the bracket or quote whose missing end the parser reports at `offset`, often the end of the text. */
function findUnclosed(document: Document, text: string, offset: number): number | undefined {
  let found: number | undefined;
  visit(document, {
    Node(_, node) {
      const [from, to] = node.range ?? [offset, offset];
      const isEnclosing = (isMap(node) || isSeq(node)) && node.flow === true;
      const isQuoted = isScalar(node) && (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE');
      if (from >= offset || !(isEnclosing || isQuoted)) return;
      const end = { '{': '}', '[': ']' }[text.charAt(from)] ?? text.charAt(from);
      const isClosed =
        to - from > 1 &&
        text
          .slice(from + 1, to)
          .trimEnd()
          .endsWith(end);
      if (!isClosed) found = Math.max(from, found ?? 0);
    },
  });
  return found;
}

interface Repeated {
  readonly key: Scalar;
  readonly first: Scalar;
  readonly path: readonly string[];
  /** The value of the occurrence before. */
  readonly before: unknown;
}

function listRepeated(document: Document): readonly Repeated[] {
  const found: Repeated[] = [];
  visit(document, {
    Map(_, map, around) {
      const seen = new Map<string, { readonly first: Scalar; before: unknown }>();
      for (const { key, value } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        const known = seen.get(name);
        if (known !== undefined)
          found.push({
            key,
            first: known.first,
            path: [...pathOf([...around, map]), name],
            before: known.before,
          });
        seen.set(name, { first: known?.first ?? key, before: value });
      }
    },
  });
  return found;
}

/** The names and indexes of a chain of nodes, from the document to a map. */
function pathOf(nodes: readonly unknown[]): readonly string[] {
  return nodes.flatMap((node, index) => {
    if (isPair(node)) return [String(node.key)];
    return isSeq(node) ? [String(node.items.indexOf(nodes[index + 1]))] : [];
  });
}

function offsetOf(root: Node | null, segments: readonly string[]): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const segment of segments) {
    if (isMap(node)) {
      const pair = node.items.findLast(({ key }) => isScalar(key) && String(key.value) === segment);
      if (pair === undefined) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(segment)] as Node | undefined;
      if (item === undefined) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}
