// Changes a valid value so that it breaks one keyword at one place: the data of invalid requests.
import { typeOfValue } from '@lockstep/values/shape';
import {
  canonical,
  isObject,
  joinPointer,
  memberOf,
  type Pointer,
  placeAt,
  readPointer,
} from '../contract/document.ts';
import { type Breaker, type Breaking, scalarBreakers, type Way, type Wire } from './break-scalar.ts';
import { structureBreakers } from './break-structure.ts';
import { replaceAt } from './time.ts';
import { buildFrom, buildNode, type DataTools } from './value-candidates.ts';
import { holdsDoubtfulText } from './value-polarity.ts';
import { createPlaceFinder, type Place, type PlaceFinder } from './violable-places.ts';

/** A value of the whole schema with one fault. */
export interface Violating {
  readonly value: unknown;
  /** JSON pointer of the fault in the value, `/tags/0`. */
  readonly at: string;
  /** Location of the broken keyword in the contract. */
  readonly pointer: Pointer;
  readonly keyword: string;
  /** `one step above the maximum`. */
  readonly how: string;
  /** 0: the first way to break the keyword. Every name that is required has turn 0; items of a list but the first have later turns. */
  readonly turn: number;
  /** Whether many servers that reject the first way accept this later one. */
  readonly isLikely: boolean;
}

const breakers: ReadonlyMap<string, Breaker> = new Map(Object.entries({ ...scalarBreakers, ...structureBreakers }));

/** Limits of candidates that are judged, for one way and for one schema. A schema of thousands of properties costs more. */
const most = { ofWay: 12, ofSchema: 6_000, properties: 500 } as const;

/**
 * Yields values that differ from an accepted one at one place, where they break one keyword in every reading: formats are judged
 * leniently, and texts on the wire may be numbers. Optional parts that the accepted value lacks are added. Each keyword is broken
 * once, the gravest first, before any is broken in a second way. The same arguments yield the same values.
 *
 * @param accepted undefined to start from the smallest value that can be built
 * @param wire `text` for values that are sent as text: parameters, and members of forms
 */
export function* violationsOf(
  tools: DataTools,
  schema: Pointer,
  accepted: unknown,
  wire: Wire,
): Generator<Violating, undefined> {
  const isValid = accepted !== undefined && tools.judge.accepts(schema, 'request', accepted);
  const start = isValid ? accepted : buildFrom(tools, schema, { sparse: true });
  if (start === undefined || !tools.judge.accepts(schema, 'request', start)) return;
  const finder = createPlaceFinder(tools, schema);
  const { properties } = finder.form.common(finder.form.at(schema));
  const left = Math.ceil(most.ofSchema / (1 + Math.floor(properties.size / most.properties)));
  const context: Context = { tools, schema, wire, finder, left, met: new Set() };
  let entries = finder.places(start).flatMap((place) => entriesOf(context, place));
  entries.sort((a, b) => a.breaker.rank - b.breaker.rank);
  for (let turn = 0; entries.length > 0 && context.left > 0; turn += 1) {
    const open: Entry[] = [];
    for (const entry of entries) {
      // Further items of a list follow its first one.
      if (entry.place.isRepeated && turn === 0) {
        open.push(entry);
        continue;
      }
      let next = entry.values.next();
      for (; next.done !== true; next = entry.values.next()) {
        // A server may validate only the first item of a parameter.
        const isSecond = wire === 'text' && turn === 1 && entry.place.isRepeated && entry.place.at.endsWith('/1');
        yield { ...next.value, turn, isLikely: isSecond || next.value.isLikely };
        if (entry.breaker.isEach !== true) break;
      }
      if (next.done !== true) open.push(entry);
    }
    entries = open;
  }
}

interface Context {
  readonly tools: DataTools;
  readonly schema: Pointer;
  readonly wire: Wire;
  readonly finder: PlaceFinder;
  /** Number of candidates that may still be judged. */
  left: number;
  /** Values that were yielded, by their difference. */
  readonly met: Set<string>;
}

/** A keyword at a place. */
interface Entry {
  readonly place: Place;
  readonly keyword: string;
  readonly breaker: Breaker;
  readonly values: Iterator<Omit<Violating, 'turn'>, undefined>;
}

function entriesOf(context: Context, place: Place): Entry[] {
  const { value: written } = placeAt(context.tools.contract.root, place.pointer);
  return Object.keys(place.schema).flatMap((keyword) => {
    const breaker = breakers.get(keyword);
    // Some keywords were added when the schema was read, such as those of a discriminator.
    if (breaker === undefined || memberOf(written, keyword) === undefined) return [];
    return [{ place, keyword, breaker, values: valuesOf(context, place, keyword, breaker) }];
  });
}

function* valuesOf(
  context: Context,
  place: Place,
  keyword: string,
  breaker: Breaker,
): Generator<Omit<Violating, 'turn'>, undefined> {
  const { tools, finder, wire } = context;
  const location = breaker.type === undefined ? place : finder.typed(place, breaker.type);
  if (location === undefined) return;
  const { form } = finder;
  const shape = form.common(place.node);
  const breaking: Breaking = {
    ...{ keyword, schema: place.schema, shape, wire, seed: tools.seed, holds: finder.holds },
    value: readPointer(location.host, location.at),
    build: (schema) => buildNode(tools, form.join(form.adopt(schema)), { sparse: true }),
    member: (name) => buildNode(tools, form.property(shape, name), { sparse: true }, name),
  };
  const typed: Place = { ...place, ...location };
  for (const { how, candidates, forbidden, isLikely = false } of breaker.ways(breaking)) {
    const found = firstBroken(context, typed, { breaker, breaking, candidates });
    if (found === undefined) continue;
    const part = forbidden === undefined ? [keyword] : [keyword, forbidden.name, ...forbidden.by];
    const at = forbidden === undefined ? place.at : joinPointer(place.at, forbidden.name);
    yield {
      value: found.whole,
      at,
      pointer: joinPointer(place.pointer, ...part),
      keyword: forbidden?.by[0] ?? keyword,
      how,
      isLikely,
    };
  }
}

interface Attempt extends Pick<Way, 'candidates'> {
  readonly breaker: Breaker;
  readonly breaking: Breaking;
}

/** The first candidate that breaks nothing but the keyword, else the first that breaks the keyword and others at the same place. */
function firstBroken(context: Context, place: Place, attempt: Attempt): { readonly whole: unknown } | undefined {
  let second: { readonly whole: unknown; readonly key: string } | undefined;
  let count = 0;
  for (const candidate of attempt.candidates) {
    if (context.left <= 0 || count >= most.ofWay) break;
    count += 1;
    if (candidate === undefined || isGrey(candidate, context.wire)) continue;
    const key = `${place.at} ${canonical(candidate)}`;
    if (context.met.has(key)) continue;
    context.left -= 1;
    const whole = replaceAt(place.host, place.at, candidate);
    const found = judgeBroken(context, place, attempt, candidate, whole);
    if (found === undefined) continue;
    if (found.isSingle) {
      context.met.add(key);
      return { whole };
    }
    second ??= { whole, key };
  }
  if (second !== undefined) context.met.add(second.key);
  return second;
}

/** Whether a value breaks the keyword in every reading, and nothing outside the place; undefined if not. */
function judgeBroken(
  { tools: { judge }, schema, wire }: Context,
  place: Place,
  { breaker, breaking }: Attempt,
  candidate: unknown,
  whole: unknown,
): { readonly isSingle: boolean } | undefined {
  const violations = judge.judge(schema, 'request', whole) ?? [];
  // The author of two branches that are `nullable` means null to be valid.
  if (candidate === null && violations.some((one) => one.keyword === 'oneOf')) return undefined;
  const keyword = breaker.judgedAs ?? breaking.keyword;
  const pointer = joinPointer(place.pointer, keyword);
  const isNamed = violations.some((one) => one.at === place.at && one.pointer === pointer && one.keyword === keyword);
  // A value of a branch breaks every other branch too, and the judge names only the choice.
  const isOfChoice = place.choices.length > 0 && violations.length > 0;
  const isBroken = breaker.isBroken === undefined ? isNamed || isOfChoice : breaker.isBroken(breaking, candidate);
  const outermost = place.choices[0] ?? place.at;
  if (!isBroken || !violations.every(({ at }) => isWithin(at, outermost))) return undefined;
  const others = readingsOf(candidate, wire).map((reading) => replaceAt(place.host, place.at, reading));
  if ([whole, ...others].some((one) => judge.polarityOf(schema, one) !== 'invalid')) return undefined;
  // The judge also names the parts of `contains` and `propertyNames` that do not hold.
  return {
    isSingle: violations.filter((one) => !isWithin(one.pointer, pointer)).length === 0 || violations.length === 1,
  };
}

function isWithin(at: string, place: string): boolean {
  return at === place || at.startsWith(`${place}/`);
}

/** Further values that some readers read: a text of digits may be a number, and on a wire of text a number may be a text. */
function readingsOf(value: unknown, wire: Wire): readonly unknown[] {
  if (Array.isArray(value)) {
    const items = value.map((item) => readingsOf(item, wire)[0] ?? item);
    return items.some((item, index) => item !== value[index]) ? [items] : [];
  }
  if (typeof value === 'string') {
    if (/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return [Number(value)];
    const truth = { true: true, false: false }[value.toLowerCase()];
    return truth === undefined ? [] : [truth];
  }
  return wire === 'text' && (typeof value === 'number' || typeof value === 'boolean') ? [String(value)] : [];
}

/** Texts that no reader of an address or a header changes. */
const plain = /^[\x21-\x7e]+( [\x21-\x7e]+)*$/;

/** Whether readers differ about a value itself. */
function isGrey(value: unknown, wire: Wire): boolean {
  const type = typeOfValue(value);
  if (type === 'number')
    return Object.is(value, -0) || !Number.isFinite(value) || Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER;
  if (type === 'string') {
    if (holdsDoubtfulText(value)) return true;
    return wire === 'text' && value !== '' && (!plain.test(String(value)) || /[/\\]|^\.\.?$/.test(String(value)));
  }
  if (wire === 'json') return false;
  // An empty list or object is not sent at all.
  const parts = isObject(value) ? Object.values(value) : Array.isArray(value) ? value : undefined;
  return value === null || parts?.length === 0;
}
