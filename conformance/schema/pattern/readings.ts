import type { AST } from '@eslint-community/regexpp';
import type { Alternatives } from './automaton.ts';

/**
 * One way to fulfil a pattern, as automata can: a text that is the main part and, from its start or up to its end, each of the
 * others, or not. Lookarounds that stand elsewhere stay in the main part.
 */
export interface Reading {
  readonly main: Alternatives;
  readonly isAnchored: { readonly start: boolean; readonly end: boolean };
  readonly others: readonly AST.LookaroundAssertion[];
}

/** `^(?=.*\d)[a-z\d]+$` and the like; a lookahead at the start of a pattern without an anchor is taken at the start of the text. */
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
  // All of it stands at the borders: what is left takes anything.
  return { main, isAnchored: { start: head > 0, end: tail > 0 }, others };
}

/** Groups of one alternative are as good as none. */
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

/** Groups that a back-reference repeats, the inner ones first. */
export function repeatedGroups(alternatives: readonly AST.Alternative[]): readonly AST.CapturingGroup[] {
  return alternatives.flatMap(({ elements }) => elements.flatMap(groupsOf));
}

function groupsOf(element: AST.Element): readonly AST.CapturingGroup[] {
  if (element.type === 'Quantifier') return groupsOf(element.element);
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') return [];
  const inner = repeatedGroups(element.alternatives);
  return element.type === 'CapturingGroup' && element.references.length > 0 ? [...inner, element] : inner;
}
