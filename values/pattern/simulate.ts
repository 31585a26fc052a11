import type { Assertion, Automaton, Lookaround } from './automaton.ts';
import type { Alphabet } from './char-set.ts';

/** The neighbour on one side of a position: the limit of the text, a character of `\w`, or another character. */
type Side = 'edge' | 'word' | 'other';

/** Whether a lookaround holds at a position. */
type Oracle = (lookaround: number) => boolean;

interface Reached {
  /** States that consume a character. */
  readonly takes: readonly number[];
  readonly accepts: boolean;
}

/** Follows one automaton over the classes of an alphabet, in all its states at once. */
export class Walker {
  readonly alphabet: Alphabet;
  readonly automaton: Automaton;
  readonly #members: readonly Uint8Array[];
  readonly #seen: Uint32Array;
  readonly #knowsWords: boolean;
  #pass = 0;
  /** States visited so far: the measure of work. */
  steps = 0;

  constructor(automaton: Automaton, alphabet: Alphabet) {
    this.automaton = automaton;
    this.alphabet = alphabet;
    this.#members = automaton.sets.map((set) => alphabet.membersOf(set));
    this.#knowsWords = automaton.states.some(
      (state) => state.kind === 'assert' && (state.what === 'word' || state.what === 'notWord'),
    );
    this.#seen = new Uint32Array(automaton.states.length);
  }

  /** The states that are reached without consuming a character. */
  close(states: readonly number[], before: Side, after: Side, holds: Oracle = () => false): Reached {
    const takes: number[] = [];
    let accepts = false;
    this.#pass += 1;
    const waiting = states.slice();
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (this.#seen[index] === this.#pass) continue;
      this.#seen[index] = this.#pass;
      this.steps += 1;
      const state = this.automaton.states[index];
      if (state?.kind === 'take') takes.push(index);
      else if (state?.kind === 'fork') waiting.push(...state.next);
      else if (state?.kind === 'accept') accepts = true;
      else if (state?.kind === 'assert') {
        const { what } = state;
        if (typeof what === 'number' ? holds(what) : stands(what, before, after)) waiting.push(state.next);
      }
    }
    return { takes, accepts };
  }

  /** The states after a character. */
  advance(takes: readonly number[], charClass: number): number[] {
    const next = new Set<number>();
    for (const index of takes) {
      const state = this.automaton.states[index];
      if (state?.kind === 'take' && this.#members[state.set]?.[charClass] === 1) next.add(state.next);
    }
    this.steps += takes.length;
    return [...next];
  }

  sideOf(charClass: number | undefined): Side {
    if (charClass === undefined) return 'edge';
    return this.#knowsWords && this.alphabet.classes[charClass]?.isWord ? 'word' : 'other';
  }
}

function stands(what: Exclude<Assertion, number>, before: Side, after: Side): boolean {
  if (what === 'start') return before === 'edge';
  if (what === 'end') return after === 'edge';
  return ((before === 'word') !== (after === 'word')) === (what === 'word');
}

/**
 * Whether a pattern with lookarounds matches somewhere. First, one walk per lookaround finds all positions where it holds; for a
 * lookahead, from the end (Barrière and Pit-Claudel, "Linear Matching of JavaScript Regular Expressions", 2024).
 *
 * @returns undefined after more than `mostSteps` steps
 */
export function search(walker: Walker, text: readonly number[], mostSteps: number): boolean | undefined {
  const limit = walker.steps + mostSteps;
  const held: Uint8Array[] = [];
  const walk = ({ start, isReversed }: Omit<Lookaround, 'isNegated'>, isLast: boolean): Uint8Array | undefined => {
    const accepted = new Uint8Array(text.length + 1);
    let states: number[] = [];
    for (let count = 0; count <= text.length; count += 1) {
      const place = isReversed ? text.length - count : count;
      const before = walker.sideOf(text[place - 1]);
      const after = walker.sideOf(text[place]);
      states.push(start);
      const reached = walker.close(states, before, after, (index) => held[index]?.[place] === 1);
      if (walker.steps > limit) return undefined;
      accepted[place] = reached.accepts ? 1 : 0;
      if (isLast && reached.accepts) return accepted;
      states = walker.advance(reached.takes, text[isReversed ? place - 1 : place] ?? -1);
    }
    return accepted;
  };
  for (const lookaround of walker.automaton.lookarounds) {
    const accepted = walk(lookaround, false);
    if (accepted === undefined) return undefined;
    held.push(lookaround.isNegated ? accepted.map((accepts) => 1 - accepts) : accepted);
  }
  return walk({ start: walker.automaton.start, isReversed: false }, true)?.includes(1);
}

/** From `dead`, no continuation is accepted; from `matched`, every continuation is. */
export const dead = 0;
export const matched = 1;

/** Whether a match may start and end anywhere, or only at the limits of the text. */
export interface Ends {
  readonly opensAnywhere: boolean;
  readonly closesAnywhere: boolean;
}

interface DfaState {
  readonly states: readonly number[];
  readonly before: Side;
  readonly next: Int32Array;
  accepts: boolean | undefined;
}

/** A lazily built deterministic automaton. Its source must have no lookarounds. */
export class Dfa {
  readonly #walker: Walker;
  readonly #ends: Ends;
  readonly #ids = new Map<string, number>();
  readonly #all: (DfaState | undefined)[] = [undefined, undefined];
  start: number;
  /** Size of its cache, in states of the source automaton. */
  size = 0;

  constructor(walker: Walker, ends: Ends) {
    this.#walker = walker;
    this.#ends = ends;
    this.start = this.#intern([walker.automaton.start], 'edge');
  }

  get steps(): number {
    return this.#walker.steps;
  }

  step(id: number, charClass: number): number {
    const state = this.#all[id];
    if (state === undefined) return id;
    const known = state.next[charClass] ?? dead;
    if (known >= 0) return known;
    const after = this.#walker.sideOf(charClass);
    const reached = this.#walker.close(state.states, state.before, after);
    const next =
      reached.accepts && this.#ends.closesAnywhere
        ? matched
        : this.#intern(this.#walker.advance(reached.takes, charClass), after);
    state.next[charClass] = next;
    return next;
  }

  /** Whether it accepts the text that led to this state. */
  accepts(id: number): boolean {
    const state = this.#all[id];
    if (state === undefined) return id === matched;
    state.accepts ??= this.#walker.close(state.states, state.before, 'edge').accepts;
    return state.accepts;
  }

  /** Forgets all states but one. @returns its new number */
  forgetAllBut(id: number): number {
    const state = this.#all[id];
    this.#ids.clear();
    this.#all.length = 2;
    this.size = 0;
    this.start = this.#intern([this.#walker.automaton.start], 'edge');
    return state === undefined ? id : this.#intern(state.states, state.before);
  }

  #intern(reached: readonly number[], before: Side): number {
    const { automaton, alphabet } = this.#walker;
    const all = this.#ends.opensAnywhere ? [...new Set([...reached, automaton.start])] : reached;
    if (all.length === 0) return dead;
    const states = all.toSorted((a, b) => a - b);
    const key = `${before} ${states.join()}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#all.push({
      states,
      before,
      next: new Int32Array(alphabet.classes.length).fill(-1),
      accepts: undefined,
    });
    this.#ids.set(key, id - 1);
    this.size += states.length + alphabet.classes.length;
    return id - 1;
  }
}
