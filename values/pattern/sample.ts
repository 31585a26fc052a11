import type { Random } from '../random.ts';
import type { Automaton } from './automaton.ts';
import { type Alphabet, type CharSet, createAlphabet, hasCodePoint } from './char-set.ts';
import { Dfa, dead, type Ends, matched, Walker } from './simulate.ts';

/** One of several conditions that all apply to a text. */
export interface Conjunct extends Ends {
  readonly automaton: Automaton;
  /** True if the text must not match. */
  readonly isNegated: boolean;
}

/** Limits of the length of a text in code points, inclusive. */
export interface LengthBounds {
  readonly min: number;
  readonly max: number;
}

/** The remaining visits of states, of which about 50 million take a second. */
export interface Budget {
  left: number;
}

/** Draws texts, and caches the states of its automata between them. */
export type Sampler = (draw: Draw) => string | null | undefined;

export interface Draw {
  readonly bounds: LengthBounds;
  readonly random: Random;
  readonly budget: Budget;
  /** Prefers letters and digits. */
  readonly isPolite: boolean;
  /** Start of longer texts, where the patterns allow it. */
  readonly word: string;
}

/** States of one layer that are followed, chosen at random if there are more. */
const mostStates = 300;

/** Preferred lengths, where a pattern allows several. */
const liked = { least: 8, most: 12, mostDigits: 4 };

/**
 * Draws one text that satisfies all conditions. It searches the product of the deterministic automata layer by layer, along the
 * cheapest path to each state; ties are broken at random. Letters and digits cost nothing.
 *
 * @param last the highest character
 * @returns a function that returns null if no such text exists, undefined if none was found within the budget
 */
export function createSampler(conjuncts: readonly Conjunct[], last: number): Sampler {
  const sets = conjuncts.flatMap(({ automaton }) => automaton.sets);
  const alphabet = createAlphabet(sets, last);
  const choices = alphabet.classes.map(({ ranges }) => readChoice(ranges));
  const product = new Product(conjuncts, alphabet);
  const free = choices.map((choice) => ({ ...choice, price: 0 }));
  return ({ bounds, random, budget, isPolite, word }) => {
    const layers: Layer[] = [firstLayer(product)];
    const fitting: { length: number; place: number }[] = [];
    for (let length = 0; length <= bounds.max; length += 1) {
      const layer = layers[length];
      if (layer === undefined || layer.states.length === 0) break;
      const place = length < bounds.min ? undefined : cheapestEnd(product, layer);
      if (place !== undefined) fitting.push({ length, place });
      const isEnough = fitting.length > 0 && length >= Math.max(bounds.min, liked.most);
      if (isEnough || length === bounds.max || budget.left < 0) break;
      const spent = product.steps;
      layers.push(nextLayer(product, layer, isPolite ? choices : free, random));
      budget.left -= product.steps - spent + Math.min(layer.states.length, mostStates) * choices.length;
    }
    const end = chooseEnd(fitting, random);
    const isWhole = budget.left >= 0 && layers.every(({ states }) => states.length <= mostStates);
    if (end === undefined) return isWhole ? null : undefined;
    const text = spell(layers, end, choices, random, word);
    // Shorter numbers are preferred.
    const short = fitting.filter(({ length }) => length > 0 && length <= liked.mostDigits);
    const shorter = /^\d{5,}$/.test(text) ? pick(short, random) : undefined;
    return shorter === undefined ? text : spell(layers, shorter, choices, random, word);
  };
}

/** Parallel lists: states of the product, each with its cheapest path. */
interface Layer {
  readonly states: number[];
  readonly prices: number[];
  /** Indexes in the previous layer. */
  readonly from: number[];
  readonly by: number[];
}

function firstLayer(product: Product): Layer {
  return product.start === dead
    ? { states: [], prices: [], from: [], by: [] }
    : { states: [product.start], prices: [0], from: [-1], by: [-1] };
}

function nextLayer(product: Product, layer: Layer, choices: readonly Choice[], random: Random): Layer {
  const next: Layer = { states: [], prices: [], from: [], by: [] };
  const placeOf = new Map<number, number>();
  const ties: number[] = [];
  const followed = [...layer.states.keys()];
  while (followed.length > mostStates) {
    followed[random(followed.length)] = followed.at(-1) ?? 0;
    followed.pop();
  }
  for (const from of followed) {
    const state = layer.states[from] ?? dead;
    for (const [by, { characters, price: own }] of choices.entries()) {
      if (characters.length === 0) continue;
      const reached = product.step(state, by);
      if (reached === dead) continue;
      const price = (layer.prices[from] ?? 0) + own;
      const place = placeOf.get(reached) ?? next.states.length;
      const known = next.prices[place];
      const isNew = known === undefined || price < known;
      ties[place] = isNew ? 1 : (ties[place] ?? 0) + (price === known ? 1 : 0);
      if (!isNew && (price !== known || random(ties[place] ?? 1) !== 0)) continue;
      placeOf.set(reached, place);
      next.states[place] = reached;
      next.prices[place] = price;
      next.from[place] = from;
      next.by[place] = by;
    }
  }
  return next;
}

function cheapestEnd(product: Product, { states, prices }: Layer): number | undefined {
  let best: number | undefined;
  states.forEach((state, place) => {
    if (!product.accepts(state)) return;
    if (best === undefined || (prices[place] ?? 0) < (prices[best] ?? 0)) best = place;
  });
  return best;
}

function chooseEnd<End extends { readonly length: number }>(ends: readonly End[], random: Random): End | undefined {
  const good = ends.filter(({ length }) => length >= liked.least && length <= liked.most);
  const filled = ends.filter(({ length }) => length > 0);
  return pick(good, random) ?? pick(filled, random) ?? ends[0];
}

function spell(
  layers: readonly Layer[],
  end: { readonly length: number; readonly place: number },
  choices: readonly Choice[],
  random: Random,
  word: string,
): string {
  const classes: number[] = [];
  let { place } = end;
  for (let length = end.length; length > 0; length -= 1) {
    classes.push(layers[length]?.by[place] ?? 0);
    place = layers[length]?.from[place] ?? 0;
  }
  const mark = end.length > word.length + 2 ? word : '';
  return classes
    .reverse()
    .map((charClass, index) => {
      const characters = choices[charClass]?.characters ?? [];
      const marked = [mark[index], mark[index]?.toUpperCase()].find((char) => char && characters.includes(char));
      const first = index === 0 ? characters.filter((char) => char !== '0') : characters;
      return marked ?? pick(first, random) ?? pick(characters, random) ?? '';
    })
    .join('');
}

interface Choice {
  readonly characters: readonly string[];
  readonly price: number;
}

const lower = [...'abcdefghijklmnopqrstuvwxyz'];
const upper = lower.map((char) => char.toUpperCase());
const digits = [...'0123456789'];
const signs = [...'-_.,:;/+=@#%&*()[]{}<>!?$^|~`\'"\\'];
/** The first kind with a matching character is used. */
const kinds: readonly { readonly characters: readonly string[]; readonly price: number }[] = [
  { characters: [...lower, ...digits], price: 0 },
  { characters: upper, price: 0 },
  { characters: signs, price: 4 },
  { characters: [' '], price: 6 },
];

function readChoice(ranges: CharSet): Choice {
  for (const { characters, price } of kinds) {
    const own = characters.filter((char) => hasCodePoint(ranges, char.codePointAt(0) ?? 0));
    if (own.length > 0) return { characters: own, price };
  }
  const others = firstCharacters(ranges, 2000).filter((char) => /^\P{C}$/u.test(char));
  if (others.length > 0) return { characters: others.slice(0, 64), price: 50 };
  // Control characters come last. A lone surrogate is never drawn, as UTF-8 cannot encode it.
  return { characters: firstCharacters(ranges, 64).filter((char) => /^\P{Cs}$/u.test(char)), price: 500 };
}

function firstCharacters(ranges: CharSet, most: number): string[] {
  const found: string[] = [];
  for (let index = 0; index < ranges.length && found.length < most; index += 2) {
    const [from = 0, to = 0] = [ranges[index], ranges[index + 1]];
    for (let codePoint = from; codePoint <= to && found.length < most; codePoint += 1) {
      if (codePoint < 0xd800 || codePoint > 0xdfff) found.push(String.fromCodePoint(codePoint));
    }
  }
  return found;
}

/** States of several automata at once. */
class Product {
  readonly #parts: readonly { readonly dfa: Dfa; readonly isNegated: boolean }[];
  readonly #ids = new Map<string, number>();
  /** The first state is the dead one. */
  readonly #tuples: (readonly number[])[] = [[]];
  readonly #next: (number | undefined)[][] = [[]];
  readonly start: number;

  constructor(conjuncts: readonly Conjunct[], alphabet: Alphabet) {
    this.#parts = conjuncts.map(({ automaton, isNegated, ...ends }) => ({
      dfa: new Dfa(new Walker(automaton, alphabet), ends),
      isNegated,
    }));
    this.start = this.#intern(this.#parts.map(({ dfa }) => dfa.start));
  }

  get steps(): number {
    return this.#parts.reduce((sum, { dfa }) => sum + dfa.steps, 0);
  }

  step(id: number, charClass: number): number {
    const next = this.#next[id] ?? [];
    next[charClass] ??= this.#intern(
      this.#parts.map(({ dfa }, index) => dfa.step(this.#tuples[id]?.[index] ?? dead, charClass)),
    );
    return next[charClass];
  }

  accepts(id: number): boolean {
    return this.#parts.every(
      ({ dfa, isNegated }, index) => dfa.accepts(this.#tuples[id]?.[index] ?? dead) !== isNegated,
    );
  }

  #intern(tuple: readonly number[]): number {
    const isDead = this.#parts.some(({ isNegated }, index) => tuple[index] === (isNegated ? matched : dead));
    if (isDead) return 0;
    const key = tuple.join();
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#tuples.push(tuple) - 1;
    this.#ids.set(key, id);
    this.#next.push([]);
    return id;
  }
}

function pick<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[random(items.length)];
}
