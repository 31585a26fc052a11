// The values that a row of the phase `boundary` has, as changes of the accepted request and in words.
import type { Factor } from '../data/boundaries.ts';
import type { BoundaryClass } from '../data/boundary-classes.ts';
import type { Cell } from '../data/covering-array.ts';
import type { Change } from '../data/request-parts.ts';
import type { Boundary, Draft } from '../execute/exchange.ts';

/** A class in a row. */
export interface Choice {
  readonly cell: Cell;
  readonly factor: Factor;
  readonly of: BoundaryClass;
}

export function choiceOf(factors: readonly Factor[], cell: Cell): Choice[] {
  const factor = factors[cell.factor];
  const of = factor?.classes[cell.index];
  return factor === undefined || of === undefined ? [] : [{ cell, factor, of }];
}

/** Names that a label shows. */
const mostNames = 3;

export function labelOf(choices: readonly Choice[]): string {
  const names = choices.slice(0, mostNames).map(({ of }) => of.name);
  const left = choices.length - names.length;
  return left === 0 ? names.join('; ') : `${names.join('; ')}; ${left} more`;
}

export function changeOf({ factor: { part }, of }: Choice, mark: string, isSimilar = false): Change {
  const make = isSimilar ? (of.similar ?? of.make) : of.make;
  return { part, value: make(mark) };
}

/** A longer value is described by its length. */
const mostShown = 40;

export function boundaryOf({ factor, of }: Choice, base: Draft, value: unknown, isSure: boolean): Boundary {
  const { name: place, pointer, keyword, how } = of;
  const isNamed = of.isNamed && isSure;
  const { part } = factor;
  const leaf = factor.name.replace(/^\w+ (?=.)/, '');
  const text = JSON.stringify(value) ?? '';
  const plain = typeof value === 'string' ? value : text;
  const shown =
    text.length <= mostShown
      ? plain
      : Array.isArray(value)
        ? `${value.length} items`
        : `${[...plain].length} characters`;
  const isAbsent = part.kind === 'parameter' && !base.parameters.some(({ parameter }) => parameter === part.parameter);
  const spelled =
    part.kind === 'media type' ? of.name.replace(/^media type /, '') : value === undefined ? leaf : `${leaf}=${shown}`;
  const against = of.similar !== undefined ? 'with a similar value' : isAbsent ? 'without it' : 'with its usual value';
  return { place, part: factor.name, pointer, keyword, isNamed, against, text: `${spelled} (${how})` };
}
