/** The seed of all random tests of a run, and whether it was chosen just now. */
export interface ChosenSeed {
  readonly seed: number;
  readonly isNew: boolean;
}

/**
 * Takes the seed from `FC_SEED`, or chooses one.
 *
 * A random failure that nobody can repeat is worth little: CI has to name its seed, everywhere else the chosen one is printed.
 *
 * @param random as `Math.random`, from 0 to 1
 * @throws Error when `FC_SEED` is no integer of 32 bits, or when `CI` is set and it is not
 */
export function chooseSeed({ CI, FC_SEED }: NodeJS.ProcessEnv, random: () => number): ChosenSeed {
  if (CI && !FC_SEED) throw new Error('Random tests of CI run from a known seed: set FC_SEED to an integer.');
  const seed = FC_SEED ? Number(FC_SEED) : Math.floor(random() * 0x7fff_ffff);
  // fast-check takes the lower 32 bits, so that a longer one would be another than the one printed.
  if (seed !== (seed | 0)) throw new Error(`FC_SEED is ${FC_SEED}: a seed is an integer of 32 bits.`);
  return { seed, isNew: !FC_SEED };
}
