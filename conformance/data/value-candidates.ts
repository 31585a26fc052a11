import type { BuildContext } from '@lockstep/values/build-scalar';
import { buildValue, isTooLarge } from '@lockstep/values/build-value';
import type { Instant } from '@lockstep/values/instant';
import type { SchemaNode } from '@lockstep/values/shape';
import type { Contract, MediaContent } from '../contract/contract.ts';
import { canonical, type JsonObject, memberOf, placeAt } from '../contract/document.ts';
import type { Judge } from '../schema/create-judge.ts';
import { hasValues } from './encode-body.ts';
import { applyRules, moveToPresent } from './time.ts';

export interface Candidate {
  readonly label: string;
  readonly value: unknown;
}

export interface DataTools {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly now: Instant;
  readonly tag: string;
  /** Seed of this case. */
  readonly seed: number;
}

/** The candidates for a body. If the media type is not JSON, a text among the examples may be the encoded document. */
export function bodyCandidates(tools: DataTools, content: MediaContent): LazyList<Candidate> {
  const isText = (example: unknown): example is string => !hasValues(content) && typeof example === 'string';
  const texts = content.examples.filter(isText);
  const values = valueCandidates(
    tools,
    content.schema,
    content.examples.filter((example) => !isText(example)),
  );
  return {
    at: (index) => {
      const value = texts[index];
      return value === undefined ? values.at(index - texts.length) : { label: 'example', value };
    },
  };
}

/**
 * The candidates for one schema: examples of the contract, the same examples moved to the present, values built from the schema, then other branches.
 * The rules of the contract are applied to each. Invalid and repeated values are skipped. A schema without candidates is reported as a
 * problem of the contract with its location.
 *
 * @param name of the parameter or member: `end_time` comes after `start_time`, an `email` is an address
 */
export function valueCandidates(
  tools: DataTools,
  schema: string | undefined,
  examples: readonly unknown[],
  name = '',
): LazyList<Candidate> {
  return lazyList(function* () {
    const seen = new Set<string>();
    const failure: Failure = { rejected: undefined, isTooLarge: false };
    let isEmpty = true;
    for (const { label, make, isLast } of candidates(tools, schema, examples, failure, name)) {
      // The last branches are only tried while there is no candidate.
      if (isLast && (!isEmpty || failure.isTooLarge)) break;
      const raw = make();
      if (raw === undefined) continue;
      const value = schema === undefined ? raw : applyRules(tools, schema, raw);
      const key = canonical(value);
      if (seen.has(key)) continue;
      seen.add(key);
      if (isValid(tools, schema, value)) {
        isEmpty = false;
        yield { label, value };
      } else failure.rejected ??= value;
    }
    if (isEmpty && schema !== undefined) reportUnbuildable(tools, schema, failure);
  });
}

/** The reason why there is no candidate. */
interface Failure {
  rejected: unknown;
  isTooLarge: boolean;
}

interface CandidateStep {
  readonly label: string;
  readonly make: () => unknown;
  /** Whether it is tried only if no earlier candidate was valid. */
  readonly isLast?: boolean;
}

/** Branches that are tried before a schema counts as unbuildable. */
const mostVariants = 16;

function* candidates(
  tools: DataTools,
  schema: string | undefined,
  examples: readonly unknown[],
  failure: Failure,
  name: string,
): Generator<CandidateStep> {
  const given = [...examples, ...(schema === undefined ? [] : schemaExamples(tools, schema))];
  for (const value of given) {
    yield { label: 'example', make: () => value };
    yield { label: 'example moved to the present', make: () => moveToPresent(value, tools.now) };
  }
  const build = (part: BuildWishes) => () => {
    if (failure.isTooLarge && part.optional !== true) return undefined;
    const context = contextFor(tools, part);
    const value = buildValue(nodeFor(tools, schema, {}), context, name);
    if (value === undefined && isTooLarge(context)) failure.isTooLarge = true;
    return value;
  };
  yield { label: 'examples of properties', make: build({ examples: true }) };
  yield { label: 'polite', make: build({}) };
  yield { label: 'polite, complete', make: build({ optional: true }) };
  yield { label: 'polite, lists empty', make: build({ sparse: true }) };
  for (let variant = 1; variant <= mostVariants; variant += 1) {
    const label = `polite, variant ${variant}`;
    yield { label, make: build({ variant, optional: variant > 2 && variant % 2 === 1 }), isLast: variant > 4 };
  }
}

/** Deepest level at which optional parts are built. */
const deepest = 6;

export type BuildWishes = Partial<
  Pick<BuildContext, 'variant' | 'optional' | 'sparse' | 'examples' | 'seed' | 'tag' | 'vary'>
>;

/**
 * A value for a schema of the contract; without a schema, a text with the run's tag.
 *
 * @param also further keywords of JSON Schema 2020-12
 * @returns undefined if no value can be built
 */
export function buildFrom(
  tools: DataTools,
  schema: string | undefined,
  wishes: BuildWishes,
  name = '',
  also: JsonObject = {},
): unknown {
  return buildNode(tools, nodeFor(tools, schema, also), wishes, name);
}

/** A value that satisfies all schemas of a node; undefined if none can be built. */
export function buildNode(tools: DataTools, node: SchemaNode, wishes: BuildWishes, name = ''): unknown {
  return buildValue(node, contextFor(tools, wishes), name);
}

function nodeFor({ judge }: DataTools, schema: string | undefined, also: JsonObject): SchemaNode {
  const form = judge.forms.request;
  const own = schema === undefined ? [] : form.at(schema).schemas;
  return Object.keys(also).length === 0 ? form.join(...own) : form.join(...own, form.adopt(also));
}

function contextFor({ judge, now, seed, tag }: DataTools, wishes: BuildWishes): BuildContext {
  const plain = { variant: 0, serial: 0, optional: false, examples: false, deepest, spent: { parts: 0, bytes: 0 } };
  // In a server's log, this word shows where a text comes from.
  return { form: judge.forms.request, now, seed, tag, word: 'conform', ...plain, ...wishes };
}

/** Reports the location that makes a schema unbuildable. */
function reportUnbuildable({ judge }: DataTools, schema: string, { rejected, isTooLarge: isLarge }: Failure): void {
  const form = judge.forms.request;
  const fix = 'Correct the schema, or add a valid example.';
  const endless = form.endless(form.at(schema));
  if (endless !== undefined) {
    const message = endless.isCircle ? 'requires itself at every level' : 'accepts no value';
    judge.report(form.pointerOf(endless.node) ?? schema, `No value can be built: the schema ${message}.`, fix);
    return;
  }
  if (isLarge) {
    judge.report(schema, 'No value was built: even the smallest valid value is too large for a request.', fix);
    return;
  }
  const [violation] = rejected === undefined ? [] : (judge.judge(schema, 'request', rejected) ?? []);
  const why =
    violation === undefined ? 'no text, number or list fits' : `${violation.at || 'the value'} ${violation.message}`;
  judge.report(violation?.pointer ?? schema, `No valid value was built: ${why}.`, fix);
}

function isValid({ judge }: DataTools, schema: string | undefined, value: unknown): boolean {
  return schema === undefined || judge.accepts(schema, 'request', value);
}

/** `example` and `examples` of the schema, or of the schema that it refers to. */
function schemaExamples({ contract }: DataTools, schema: string): unknown[] {
  let place = placeAt(contract.root, schema);
  for (let hops = 0; hops < 8; hops += 1) {
    const single = memberOf(place.value, 'example');
    const several = memberOf(place.value, 'examples');
    const found = [...(single === undefined ? [] : [single]), ...(Array.isArray(several) ? several : [])];
    const reference = memberOf(place.value, '$ref');
    if (found.length > 0 || typeof reference !== 'string') return found;
    place = placeAt(contract.root, reference);
  }
  return [];
}

/** A list whose items are generated on first use: most lists of candidates are never read to the end. */
export interface LazyList<Item> {
  /** The item; undefined beyond the end. */
  readonly at: (index: number) => Item | undefined;
}

function lazyList<Item>(make: () => Generator<Item>): LazyList<Item> {
  const made: Item[] = [];
  let source: Generator<Item> | undefined;
  return {
    at: (index) => {
      source ??= make();
      while (made.length <= index) {
        const next = source.next();
        if (next.done === true) return undefined;
        made.push(next.value);
      }
      return made[index];
    },
  };
}

/** The item at an index, or the last one before it. */
export function atOrBefore<Item>(list: LazyList<Item>, index: number): Item | undefined {
  for (let at = index; at >= 0; at -= 1) {
    const item = list.at(at);
    if (item !== undefined) return item;
  }
  return undefined;
}
