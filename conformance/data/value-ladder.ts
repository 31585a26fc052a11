import type { Contract, MediaContent, Operation } from '../contract/contract.ts';
import { placeAt } from '../contract/document.ts';
import { canonical, memberOf } from '../contract/json.ts';

import type { Judge } from '../schema/create-judge.ts';
import { applyRules } from './apply-rules.ts';
import type { BuildContext } from './build-context.ts';
import { buildValue } from './build-value.ts';
import { canEncode } from './encode-body.ts';
import { type LazyList, lazyList } from './lazy-list.ts';
import { moveToPresent } from './move-to-present.ts';
import type { Instant } from './time.ts';

export interface Candidate {
  readonly label: string;
  readonly value: unknown;
}

export interface DataTools {
  readonly contract: Contract;
  readonly judge: Judge;
  readonly now: Instant;
  readonly tag: string;
  /** Of this case alone. */
  readonly seed: number;
}

/** The content that a body is written in: the first that can be; undefined where the operation takes none that can. */
export function chooseContent(operation: Operation): MediaContent | undefined {
  return operation.body?.contents.find(canEncode);
}

/**
 * The ladder of values for one schema: rules applied to the contract's examples, these moved to the present, polite values
 * from the schema, then other branches. Every value is valid by the judge; doubles are left out.
 */
export function valueLadder(
  tools: DataTools,
  schema: string | undefined,
  examples: readonly unknown[],
): LazyList<Candidate> {
  return lazyList(function* () {
    const seen = new Set<string>();
    for (const { label, value: raw } of candidates(tools, schema, examples)) {
      if (raw === undefined) continue;
      const value = schema === undefined ? raw : applyRules(tools, schema, raw);
      const key = canonical(value);
      if (seen.has(key)) continue;
      seen.add(key);
      if (isValid(tools, schema, value)) yield { label, value };
    }
  });
}

function* candidates(tools: DataTools, schema: string | undefined, examples: readonly unknown[]): Generator<Candidate> {
  const { contract, now, seed, tag } = tools;
  const build = (part: Partial<BuildContext>): unknown => {
    const plain = { variant: 0, optional: false, examples: false, built: { parts: 0 } };
    const context = { root: contract.root, now, seed, tag, ...plain, ...part };
    return schema === undefined ? tag : buildValue(placeAt(contract.root, schema), context);
  };
  const given = [...examples, ...(schema === undefined ? [] : schemaExamples(tools, schema))];
  for (const value of given) {
    yield { label: 'example', value };
    yield { label: 'example moved to the present', value: moveToPresent(value, now) };
  }
  yield { label: 'examples of properties', value: build({ examples: true }) };
  yield { label: 'polite', value: build({}) };
  yield { label: 'polite, complete', value: build({ optional: true }) };
  for (const variant of [1, 2, 3, 4]) {
    yield { label: `polite, variant ${variant}`, value: build({ variant, optional: variant > 2 }) };
  }
}

function isValid({ judge }: DataTools, schema: string | undefined, value: unknown): boolean {
  return schema === undefined || judge.judge(schema, 'request', value).length === 0;
}

/** `example`, `examples` of the schema itself or of what it refers to. */
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
