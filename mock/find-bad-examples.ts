import { setImmediate } from 'node:timers/promises';
import {
  type ContractDocument,
  extendPointer,
  isObject,
  type JsonObject,
  readPointer,
} from '@lockstep/json/json-pointer';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import { createValueMaker } from '@lockstep/runtime/stateful/make-value';
import { dropUnusable } from '@lockstep/runtime/validation/drop-unusable';
import { createJudge, type JudgeValue } from '@lockstep/runtime/validation/judge-value';
import { readDirection } from '@lockstep/runtime/validation/one-direction';
import { isJsonType } from '@lockstep/runtime/validation/parse-body';
import { hasContent, serveable } from './answer-as-documented.ts';

/** An example or a schema that a mock can't serve: the schema rejects the example, or every generated value. */
export interface BadExample {
  /** The first operation that uses it. */
  readonly operationId: string;
  /** As the contract spells it: `200`, `4XX`, `default`. */
  readonly status: string;
  /** Its name; undefined if no value can be generated, so that the answer is 500. */
  readonly example: string | undefined;
  /** Location of the example or of the schema in the contract. */
  readonly pointer: string;
  /** The location in the value, and the keyword that rejects it. */
  readonly why: string;
}

/** Other work runs between slices: a start must not wait for the examples of 845 operations. */
const sliceMs = 20;

interface Resolved {
  readonly pointer: string;
  readonly node: JsonObject;
}

/**
 * Finds the response examples that a mock won't serve, each once, in the order of the operations. The mock serves a generated value
 * instead. The search runs in slices, so that a server in the same process keeps answering.
 *
 * @param stopping stops the search; it returns what it has found so far
 */
export async function findBadExamples(
  contract: ContractDocument,
  operations: OperationTable,
  stopping?: AbortSignal,
): Promise<readonly BadExample[]> {
  const document = readDirection(dropUnusable(contract).document, 'response');
  const judge = createJudge(document);
  const makeValue = createValueMaker(document, judge, 'response');
  const seen = new Set<string>();
  const found: BadExample[] = [];
  let sliceEnd = performance.now() + sliceMs;
  for (const operation of Object.values(operations)) {
    for (const { status, content } of listContents(document, operation)) {
      if (performance.now() > sliceEnd) {
        await setImmediate();
        sliceEnd = performance.now() + sliceMs;
      }
      if (stopping?.aborted === true) return found;
      found.push(...judgeContent(operation, status, content));
    }
  }
  return found;

  function judgeContent({ operationId }: Operation, status: string, { pointer, node }: Resolved): BadExample[] {
    if (seen.has(pointer)) return [];
    seen.add(pointer);
    const mediaType = pointer.split('/').at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~') ?? '';
    const { schema } = node;
    const examples = listPlacedExamples(document, { pointer, node });
    const good = examples.filter(({ name, value }) => isServed(judge, document, mediaType, schema, name, value));
    const bad = examples
      .filter((example) => !good.includes(example) && !seen.has(example.pointer))
      .map(({ name, value, pointer: at }) => {
        seen.add(at);
        return { operationId, status, example: name, pointer: at, why: explain(judge, value, schema) };
      });
    if (good.length > 0 || schema === undefined || !isJsonType(mediaType)) return bad;
    const schemaPointer = isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref : `${pointer}/schema`;
    if (seen.has(schemaPointer)) return bad;
    seen.add(schemaPointer);
    const made = makeValue(schema);
    if (made.kind === 'value') return bad;
    return [...bad, { operationId, status, example: undefined, pointer: schemaPointer, why: made.why }];
  }
}

function isServed(
  judge: JudgeValue,
  document: ContractDocument,
  mediaType: string,
  schema: unknown,
  name: string,
  value: unknown,
): boolean {
  const [served] = serveable({ document, judge }, mediaType, schema, { name, value });
  return served !== undefined && served.value === value;
}

function explain(judge: JudgeValue, value: unknown, schema: unknown): string {
  const fault = judge(value, schema);
  return fault === undefined ? 'its schema rejects it' : `${fault.at === '' ? '' : `${fault.at}: `}${fault.why}`;
}

function listContents(document: ContractDocument, { pointer }: Operation): { status: string; content: Resolved }[] {
  const responses = resolve(document, `${pointer}/responses`);
  const statuses = Object.keys(responses.node).filter((status) => !status.startsWith('x-'));
  return statuses
    .filter((status) => !/^\d{3}$/.test(status) || hasContent(Number(status)))
    .flatMap((status) => {
      const contents = memberOf(document, memberOf(document, responses, status), 'content');
      return Object.keys(contents.node).map((type) => ({ status, content: memberOf(document, contents, type) }));
    });
}

interface PlacedExample {
  readonly name: string;
  readonly value: unknown;
  readonly pointer: string;
}

function listPlacedExamples(document: ContractDocument, { pointer, node }: Resolved): PlacedExample[] {
  if (Object.hasOwn(node, 'example')) return [{ name: 'default', value: node.example, pointer: `${pointer}/example` }];
  const examples = memberOf(document, { pointer, node }, 'examples');
  return Object.keys(examples.node).flatMap((name) => {
    const example = memberOf(document, examples, name);
    if (!Object.hasOwn(example.node, 'value')) return [];
    return [{ name, value: example.node.value, pointer: `${example.pointer}/value` }];
  });
}

/** A location after all references: a shared example is reported once. */
function resolve(document: ContractDocument, pointer: string, hops = 0): Resolved {
  return follow(document, pointer, readPointer(document, pointer), hops);
}

function follow(document: ContractDocument, pointer: string, node: unknown, hops = 0): Resolved {
  if (!isObject(node)) return { pointer, node: {} };
  return typeof node.$ref === 'string' && hops < 32 ? resolve(document, node.$ref, hops + 1) : { pointer, node };
}

function memberOf(document: ContractDocument, { pointer, node }: Resolved, name: string): Resolved {
  return follow(document, extendPointer(pointer, name), Object.hasOwn(node, name) ? node[name] : undefined);
}
