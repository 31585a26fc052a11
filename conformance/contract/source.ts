import { isNode, isPair, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { ContractError, type ContractProblem } from './contract.ts';
import { joinPointer, splitPointer } from './document.ts';
import { isObject, type JsonObject } from './json.ts';

export interface Source {
  readonly root: JsonObject;
  /** 1-based line of the nearest place that stands in the file: a pointer may name a keyword that is missing. */
  readonly lineOf: (pointer: string) => number;
}

/**
 * Reads YAML or JSON text and remembers where each place stands.
 *
 * @throws ContractError with every syntax error, or when the root is no object
 */
export function readSource(file: string, text: string): Source {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, merge: true });
  const broken = document.errors.map((error): ContractProblem => {
    const line = counter.linePos(error.pos[0]).line;
    return { pointer: '#', line, says: error.message.split('\n')[0] ?? 'not YAML', cure: 'Mend the YAML.' };
  });
  if (broken.length > 0) throw new ContractError(file, broken);
  const root: unknown = document.toJS({ maxAliasCount: 10_000 });
  if (!isObject(root)) {
    const says = 'The document is not an object.';
    throw new ContractError(file, [{ pointer: '#', line: 1, says, cure: 'Name an OpenAPI document.' }]);
  }
  let lines: Map<string, number> | undefined;
  return {
    root,
    lineOf: (pointer) => {
      lines ??= readLines(document, counter);
      for (let tokens = splitPointer(pointer); tokens.length > 0; tokens = tokens.slice(0, -1)) {
        const line = lines.get(joinPointer('#', ...tokens));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}

function readLines(document: ReturnType<typeof parseDocument>, counter: LineCounter): Map<string, number> {
  const lines = new Map<string, number>();
  visit(document, (key, node, path) => {
    const start = isPair(node) ? rangeStart(node.key) : rangeStart(node);
    if (start === undefined || key === 'key') return;
    const tokens = [...path, node].flatMap((step, depth, steps) => tokensOf(step, steps[depth - 1]));
    const pointer = joinPointer('#', ...tokens);
    if (!lines.has(pointer)) lines.set(pointer, counter.linePos(start).line);
  });
  return lines;
}

/** What one step of a path adds to the pointer: the key of a pair, the index in a sequence, nothing for a map. */
function tokensOf(step: unknown, parent: unknown): (string | number)[] {
  if (isPair(step)) return [String(isNode(step.key) ? step.key.toJSON() : step.key)];
  return isSeq(parent) ? [parent.items.indexOf(step)] : [];
}

function rangeStart(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
