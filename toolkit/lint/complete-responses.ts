import { isObject } from '@lockstep/json/json-pointer';
import { isMap, isScalar, type Node, type Pair, parseDocument, visit, type YAMLMap, type YAMLSeq } from 'yaml';
import { defaultResponses, findMissingResponses } from '../contract/default-responses.ts';
import { methods } from '../contract/openapi-document.ts';
import { readQuickly } from '../contract/read-quickly.ts';

/** An operation that got its missing default responses. */
export interface Completed {
  readonly path: string;
  readonly method: string;
  readonly statuses: readonly string[];
}

/**
 * Writes the responses of `x-default-responses` to the operations that lack them, in the order of the statuses; every other byte stays.
 * For operations in another file, the rule `default-responses-declared` reports the missing responses. Text that is not YAML is unchanged.
 *
 * @param text of a contract in YAML or JSON
 */
export function completeResponses(text: string): { readonly text: string; readonly completed: readonly Completed[] } {
  const nothing = { text, completed: [] };
  if (!text.includes(defaultResponses)) return nothing;
  const root = readQuickly(text) as Readonly<Record<string, unknown>> | undefined;
  const references = readReferences(root);
  const lacking = listLacking(root, references);
  if (lacking.length === 0) return nothing;

  const document = parseDocument(text);
  if (document.errors.length > 0) return nothing;
  const edits = lacking.flatMap((operation) => {
    const responses: unknown = document.getIn(['paths', operation.path, operation.method, 'responses'], true);
    if (!isMap<Node, Node>(responses) || !isWritable(text, responses)) return [];
    return [...references]
      .filter(([status]) => operation.statuses.includes(status))
      .map(([status, ref]) => ({ operation, ...insertion(text, responses, status, ref) }));
  });
  // From the end, so that no offset moves. At one place the lowest status comes first.
  const ordered = edits.toSorted((a, b) => b.at - a.at || Number(b.status) - Number(a.status));
  return {
    text: ordered.reduce((whole, { at, inserted }) => whole.slice(0, at) + inserted + whole.slice(at), text),
    completed: [...new Set(edits.map(({ operation }) => operation))],
  };
}

/** The references by status. An inline response or null can't be repeated as a reference: `extension-valid` reports it. */
function readReferences(root: Readonly<Record<string, unknown>> | undefined): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(root?.[defaultResponses] ?? {}).flatMap(([status, value]: [string, unknown]) =>
      isObject(value) && typeof value.$ref === 'string' ? [[status, value.$ref]] : [],
    ),
  );
}

function listLacking(
  root: Readonly<Record<string, unknown>> | undefined,
  references: ReadonlyMap<string, string>,
): Completed[] {
  return Object.entries(root?.paths ?? {}).flatMap(([path, item]: [string, unknown]) =>
    methods.flatMap((method) => {
      const operation = (item as Readonly<Record<string, unknown>> | null)?.[method];
      const statuses = findMissingResponses(root, item, operation).filter((status) => references.has(status));
      return statuses.length === 0 ? [] : [{ path, method, statuses }];
    }),
  );
}

interface Insertion {
  readonly at: number;
  readonly status: string;
  readonly inserted: string;
}

/** Requires a map that already has a response; in a block, each response begins a line. */
function isWritable(text: string, { items: [first], flow }: YAMLMap<Node, Node>): boolean {
  return first !== undefined && (flow === true || indentOf(text, first).trim() === '');
}

function indentOf(text: string, { key }: Pair<Node, Node>): string {
  const start = key.range?.[0] ?? 0;
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
}

/** Inserts after the last response of a lower status, on a separate line if the others are. */
function insertion(text: string, { items, flow }: YAMLMap<Node, Node>, status: string, ref: string): Insertion {
  const [first] = items;
  const start = first?.key.range?.[0] ?? 0;
  const before = items.findLast(({ key }) => isScalar(key) && Number(key.value) < Number(status));
  if (flow === true) {
    const entry = `${JSON.stringify(status)}: {"$ref": ${JSON.stringify(ref)}}`;
    return before === undefined
      ? { at: start, status, inserted: `${entry}, ` }
      : { at: endOf(text, before), status, inserted: `, ${entry}` };
  }
  const indent = first === undefined ? '' : indentOf(text, first);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const entry = `${indent}'${status}': {$ref: '${ref.replaceAll("'", "''")}'}`;
  if (before === undefined) return { at: start - indent.length, status, inserted: entry + newline };
  // Comments that are indented deeper than the statuses belong to the response before them.
  const rest = new RegExp(`[^\\n]*(?:\\s*\\n${indent}[ \\t]+#[^\\n]*)*`, 'y');
  rest.lastIndex = endOf(text, before);
  rest.test(text);
  const end = rest.lastIndex;
  return end === text.length
    ? { at: text.length, status, inserted: newline + entry }
    : { at: end + 1, status, inserted: entry + newline };
}

/** Offset after the last written character: a block of text includes the line breaks after it. */
function endOf(text: string, { key, value }: Pair<Node, Node>): number {
  let end = key.range?.[1] ?? 0;
  const take = (_: unknown, { range }: Node) => {
    end = Math.max(end, range?.[1] ?? 0);
  };
  const takeFlow = (at: unknown, node: YAMLMap | YAMLSeq) => void (node.flow === true && take(at, node));
  visit(value, { Scalar: take, Alias: take, Map: takeFlow, Seq: takeFlow });
  return text.slice(0, end).trimEnd().length;
}
