import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** A place in a source file; both 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A text that is not YAML: where, and the parser's own words. */
export interface SyntaxFault extends Position {
  readonly says: string;
}

/** One YAML or JSON file that knows where each of its values stands. */
export interface YamlSource {
  readonly faults: readonly SyntaxFault[];
  readonly value: unknown;
  /** Position of the value's key (an item's own start in a list), or of its nearest ancestor that exists. */
  positionOf(segments: readonly string[]): Position;
}

/** Parses YAML 1.2 (JSON included). Never throws: everything wrong is in `faults`. */
export function readYaml(text: string): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const faults = [...document.errors, ...document.warnings].map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0]);
    return { says: message.trim(), line, column: col };
  });
  return {
    faults,
    value: faults.length === 0 ? document.toJS() : undefined,
    positionOf(segments) {
      const { line, col } = lines.linePos(offsetOf(document.contents, segments));
      return { line, column: col };
    },
  };
}

function offsetOf(root: Node | null, segments: readonly string[]): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const segment of segments) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === segment);
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
