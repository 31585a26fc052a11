import type { ContractDocument } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';
import { type Coerce, createCoercion, freeMembers, memberSchemas, schemaTypes } from './coerce-text.ts';

/** A text under a name with members in brackets, without the first name: `a` below `items[0][price]` has the steps `0` and `price`. */
export interface DeepText {
  readonly steps: readonly string[];
  readonly value: string;
}

type DeepReading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly steps: readonly string[]; readonly says: string };

/** Brackets in one name: a text of a megabyte could have half a million, each a level of objects. */
const deepest = 32;

/** The steps from a name to a member below it: `items[0][price]` has `0` and `price` below `items`. Undefined for another name. */
export function stepsBelow(base: string, name: string): readonly string[] | undefined {
  return name.startsWith(`${base}[`) && name.endsWith(']') ? name.slice(base.length + 1, -1).split('][') : undefined;
}

export function nameDeep(base: string, steps: readonly string[]): string {
  return base + steps.map((step) => `[${step}]`).join('');
}

/** The facts about one schema: a body may have a hundred thousand values for it. */
interface Reading {
  readonly isList: boolean;
  readonly items: unknown;
  /** Of one value, or of an item of a list. */
  readonly coerce: Coerce;
  readonly named: ReadonlyMap<string, unknown>;
  readonly free: unknown;
}

/**
 * Creates the parser of objects and lists whose members are sent as texts of their own (style `deepObject`; OpenAPI 3.1, 4.8.12.3). No norm defines
 * lists in it: clients send `tags[]=a`, `tags[0]=a`, or `tags=a` once for each item.
 */
export function createDeepObjectReader(
  document: ContractDocument,
): (schema: unknown, texts: readonly DeepText[]) => DeepReading {
  const known = new Map<unknown, Reading>();
  return (schema, texts) => read(schema, texts, []);

  function read(schema: unknown, texts: readonly DeepText[], before: readonly string[]): DeepReading {
    const { isList, items, coerce, named, free } = describe(schema);
    const [first, ...others] = texts.filter(({ steps }) => steps.length === 0);
    if (first !== undefined) {
      if (others.length + 1 < texts.length)
        return fault(before, 'is sent as a text and with members: send one of them');
      if (isList) return { kind: 'value', value: texts.map(({ value }) => coerce(value)) };
      if (others.length === 0) return { kind: 'value', value: coerce(first.value) };
      return fault(before, `is sent ${texts.length} times: send it once`);
    }
    if (before.length === deepest) return fault(before, `has more than ${deepest} levels of brackets`);
    const inner = Map.groupBy(texts, ({ steps: [step = ''] }) => step);
    const below = (own: unknown, step: string, all: readonly DeepText[]): DeepReading =>
      read(
        own,
        all.map(({ steps, value }) => ({ steps: steps.slice(1), value })),
        [...before, step],
      );
    if (isList && [...inner.keys()].every((step) => /^\d*$/.test(step))) {
      const ordered = [...inner].sort(([one], [other]) => Number(one) - Number(other));
      const made = ordered.flatMap(([step, all]) =>
        step === '' ? all.map((one) => below(items, step, [one])) : [below(items, step, all)],
      );
      return join(made, (values) => values);
    }
    const names = [...inner.keys()];
    const made = [...inner].map(([step, all]) => below(named.get(step) ?? free, step, all));
    return join(made, (values) => Object.fromEntries(values.map((value, index) => [names[index], value])));
  }

  function describe(schema: unknown): Reading {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const isList = schemaTypes(document, schema).has('array');
    const items = isList ? listParts(document, schema).find((part) => 'items' in part)?.items : undefined;
    const reading = {
      isList,
      items,
      coerce: createCoercion(document, isList ? items : schema),
      named: memberSchemas(document, schema),
      free: freeMembers(document, schema),
    };
    known.set(schema, reading);
    return reading;
  }
}

function join(read: readonly DeepReading[], build: (values: readonly unknown[]) => unknown): DeepReading {
  const values: unknown[] = [];
  for (const one of read) {
    if (one.kind === 'fault') return one;
    values.push(one.value);
  }
  return { kind: 'value', value: build(values) };
}

function fault(steps: readonly string[], says: string): DeepReading {
  return { kind: 'fault', steps, says };
}
