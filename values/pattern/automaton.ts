// Builds automata from a pattern: the pattern is split into conditions that all apply. Each becomes an automaton by Thompson's
// construction, from its end to its start.
import type { AST } from '@eslint-community/regexpp';
import { type CharSet, readCharacters, readCharSet } from './char-set.ts';

/** States of one pattern and of its lookarounds. */
export interface Automaton {
  readonly states: readonly State[];
  readonly sets: readonly CharSet[];
  readonly start: number;
  readonly lookarounds: readonly Lookaround[];
  /** Longest text, in characters, for which it accepts exactly what the pattern does. For longer ones, and all if -1, it accepts more. */
  readonly isExactUpTo: number;
}

export type State =
  | { readonly kind: 'take'; readonly set: number; readonly next: number }
  | { readonly kind: 'fork'; readonly next: number[] }
  | { readonly kind: 'assert'; readonly what: Assertion; readonly next: number }
  | { readonly kind: 'accept' };

/** A number is the index of a lookaround. */
export type Assertion = 'start' | 'end' | 'word' | 'notWord' | number;

/** A lookaround of a pattern. In the list, it follows those that it contains. */
export interface Lookaround {
  readonly start: number;
  /** True for a lookahead, which is matched from its end to its start. */
  readonly isReversed: boolean;
  readonly isNegated: boolean;
}

export type Alternatives = readonly { readonly elements: readonly AST.Element[] }[];

export interface BuildOptions {
  readonly unicode: boolean;
  /** Ignores lookarounds, so that the automaton accepts more than the pattern. */
  readonly withoutLookarounds?: boolean;
  /** Texts of back-referenced groups. With them, references are exact for these texts only. */
  readonly groups?: ReadonlyMap<AST.CapturingGroup, string>;
}

/** Limit of states for one count, as `{1000}` within `{1000}` needs a million. Beyond it, the count is ignored: the automaton accepts more. */
const mostStates = 3000;

export function buildAutomaton(alternatives: Alternatives, options: BuildOptions): Automaton {
  const states: State[] = [{ kind: 'accept' }];
  const sets: CharSet[] = [];
  const setIndex = new Map<string, number>();
  const lookarounds: Lookaround[] = [];
  const open = new Set<AST.CapturingGroup>();
  let isExactUpTo = Number.POSITIVE_INFINITY;
  let isReversed = false;
  let flags = { unicode: options.unicode, ignoreCase: false, dotAll: false, multiline: false };

  const add = (state: State): number => states.push(state) - 1;
  const take = (set: CharSet, next: number): number => {
    const key = set.join();
    const index = setIndex.get(key) ?? sets.push(set) - 1;
    setIndex.set(key, index);
    return add({ kind: 'take', set: index, next });
  };

  const buildAlternatives = (all: Alternatives, next: number): number => {
    const entries = all.map(({ elements }) => buildElements(elements, next));
    return entries.length === 1 ? (entries[0] ?? next) : add({ kind: 'fork', next: entries });
  };
  const buildElements = (elements: readonly AST.Element[], next: number): number =>
    isReversed
      ? elements.reduce((entry, element) => build(element, entry), next)
      : elements.reduceRight((entry, element) => build(element, entry), next);

  const build = (element: AST.Element, next: number): number => {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
        if (flags.ignoreCase) isExactUpTo = -1;
        return take(readCharSet(element, flags), next);
      case 'Group':
        return buildModified(element, next);
      case 'CapturingGroup':
        return buildGroup(element, next);
      case 'Quantifier':
        return buildRepeated(element, next);
      case 'Backreference':
        return buildReference(element, next);
      case 'Assertion':
        return buildAssertion(element, next);
      default:
        throw new Error(`${element.type} is only valid with flag v`);
    }
  };

  const buildModified = ({ alternatives: own, modifiers }: AST.Group, next: number): number => {
    const outer = flags;
    const { add: on, remove: off } = modifiers ?? {};
    for (const flag of ['ignoreCase', 'dotAll', 'multiline'] as const) {
      flags = { ...flags, [flag]: (outer[flag] || on?.[flag] === true) && off?.[flag] !== true };
    }
    const entry = buildAlternatives(own, next);
    flags = outer;
    return entry;
  };

  const buildText = (text: string, next: number): number => {
    return readCharacters(text, options.unicode).reduceRight((entry, code) => take([code, code], entry), next);
  };

  const buildGroup = (group: AST.CapturingGroup, next: number): number => {
    const text = options.groups?.get(group);
    if (text !== undefined) return buildText(text, next);
    open.add(group);
    const entry = buildAlternatives(group.alternatives, next);
    open.delete(group);
    return entry;
  };

  const buildReference = (reference: AST.Backreference, next: number): number => {
    isExactUpTo = -1;
    const resolved = [reference.resolved].flat();
    // A reference inside its own group, or before it, matches empty text.
    const entries = resolved.filter((group) => !open.has(group)).map((group) => buildGroup(group, next));
    return add({ kind: 'fork', next: options.groups === undefined ? [...entries, next] : entries });
  };

  const buildRepeated = (quantifier: AST.Quantifier, next: number): number => {
    const { element, min, max } = quantifier;
    const { copies, isCounted } = planCopies(quantifier);
    let entry = next;
    if (isCounted) {
      for (let count = min; count < max; count += 1) {
        entry = add({ kind: 'fork', next: [build(element, entry), next] });
      }
    } else {
      const branches = [next];
      const fork = add({ kind: 'fork', next: branches });
      const one = build(element, fork);
      branches.unshift(one);
      entry = min === 0 ? fork : one;
      // In a text of `max` characters there is no room for one more repetition.
      if (max !== Number.POSITIVE_INFINITY) isExactUpTo = Math.min(isExactUpTo, isFilled(element) ? max : -1);
      if (copies < min) isExactUpTo = -1;
    }
    const built = isCounted || min === 0 ? 0 : 1;
    for (let count = built; count < Math.min(min, copies) && states.length < 20 * mostStates; count += 1) {
      entry = build(element, entry);
    }
    return entry;
  };

  const buildAssertion = (assertion: AST.Assertion, next: number): number => {
    switch (assertion.kind) {
      case 'start':
      case 'end':
        if (!flags.multiline) return add({ kind: 'assert', what: assertion.kind, next });
        isExactUpTo = -1;
        return next;
      case 'word':
        return add({ kind: 'assert', what: assertion.negate ? 'notWord' : 'word', next });
      default: {
        if (options.withoutLookarounds) {
          isExactUpTo = -1;
          return next;
        }
        const outer = { isExactUpTo, isReversed };
        isExactUpTo = Number.POSITIVE_INFINITY;
        isReversed = assertion.kind === 'lookahead';
        const start = buildAlternatives(assertion.alternatives, 0);
        const canBeAsked = isExactUpTo === Number.POSITIVE_INFINITY;
        isExactUpTo = canBeAsked ? outer.isExactUpTo : -1;
        // An over-approximation would, when negated, reject too much.
        if (!canBeAsked) {
          isReversed = outer.isReversed;
          return next;
        }
        const index = lookarounds.push({ start, isReversed, isNegated: assertion.negate }) - 1;
        isReversed = outer.isReversed;
        return add({ kind: 'assert', what: index, next });
      }
    }
  };

  const start = buildAlternatives(alternatives, 0);
  return { states, sets, start, lookarounds, isExactUpTo };
}

/** How often an element is built, and whether that covers its maximum count. */
function planCopies({ element, min, max }: AST.Quantifier): { readonly copies: number; readonly isCounted: boolean } {
  const size = sizeOf(element);
  if (max * size <= mostStates) return { copies: max, isCounted: true };
  return { copies: Math.max(1, Math.min(min, Math.floor((2 * mostStates) / size))), isCounted: false };
}

const sizes = new WeakMap<AST.Element, number>();

/** Cached: without it, nested elements would be counted twice as often at each level. */
function sizeOf(element: AST.Element): number {
  const known = sizes.get(element) ?? countStates(element);
  sizes.set(element, known);
  return known;
}

function countStates(element: AST.Element): number {
  if (element.type === 'Quantifier') return planCopies(element).copies * sizeOf(element.element);
  const own = 'alternatives' in element && element.type !== 'Assertion' ? element.alternatives : [];
  return 1 + own.flatMap(({ elements }) => elements).reduce((sum, inner) => sum + sizeOf(inner), 0);
}

/** Whether an element consumes at least one character. */
function isFilled(element: AST.Element): boolean {
  if (element.type === 'Quantifier') return element.min > 0 && isFilled(element.element);
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') return element.type.startsWith('Character');
  return element.alternatives.every(({ elements }) => elements.some(isFilled));
}

/**
 * One alternative of a pattern, as conditions for automata: the text matches the main part, and each of the other parts
 * matches from its start, or up to its end, or must not match. Lookarounds in other places stay in the main part.
 */
export interface Reading {
  readonly main: Alternatives;
  readonly isAnchored: { readonly start: boolean; readonly end: boolean };
  readonly others: readonly AST.LookaroundAssertion[];
}

/** Splits `^(?=.*\d)[a-z\d]+$` and the like. A lookahead at the start of an unanchored pattern applies at the start of the text. */
export function readingsOf({ alternatives }: AST.Pattern): readonly Reading[] {
  const readings = alternatives.map(readAlternative);
  return readings.some(({ others }) => others.length > 0)
    ? readings
    : [{ main: alternatives, isAnchored: { start: false, end: false }, others: [] }];
}

function readAlternative(alternative: AST.Alternative): Reading {
  const elements = flatten(alternative.elements);
  const isBorder =
    (...kinds: readonly AST.Assertion['kind'][]) =>
    (element: AST.Element): boolean =>
      element.type === 'Assertion' && kinds.includes(element.kind);
  const head = countWhile(elements, isBorder('start', 'lookahead'));
  const tail = countWhile(elements.slice(head).reverse(), isBorder('end', 'lookbehind'));
  const borders = [...elements.slice(0, head), ...elements.slice(elements.length - tail)];
  const others = borders.filter((element) => element.type === 'Assertion').filter(isLookaround);
  const main = [{ elements: elements.slice(head, elements.length - tail) }];
  // If all elements are at the borders, the empty main part accepts any text.
  return { main, isAnchored: { start: head > 0, end: tail > 0 }, others };
}

/** Dissolves groups with a single alternative. */
function flatten(elements: readonly AST.Element[]): readonly AST.Element[] {
  return elements.flatMap((element) => {
    const isPlain =
      (element.type === 'Group' && element.modifiers === null) ||
      (element.type === 'CapturingGroup' && element.references.length === 0);
    const [only, ...more] = isPlain ? element.alternatives : [];
    return only === undefined || more.length > 0 ? [element] : flatten(only.elements);
  });
}

function countWhile<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  const end = items.findIndex((item) => !holds(item));
  return end < 0 ? items.length : end;
}

function isLookaround(assertion: AST.Assertion): assertion is AST.LookaroundAssertion {
  return assertion.kind === 'lookahead' || assertion.kind === 'lookbehind';
}

/** Groups that a back-reference refers to, the inner ones first. */
export function repeatedGroups(alternatives: readonly AST.Alternative[]): readonly AST.CapturingGroup[] {
  return alternatives.flatMap(({ elements }) => elements.flatMap(groupsOf));
}

function groupsOf(element: AST.Element): readonly AST.CapturingGroup[] {
  if (element.type === 'Quantifier') return groupsOf(element.element);
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') return [];
  const inner = repeatedGroups(element.alternatives);
  return element.type === 'CapturingGroup' && element.references.length > 0 ? [...inner, element] : inner;
}
