import { test } from 'vitest';

/**
 * A law on random input as two tests: as many runs as show it broken in `npm test`, and a larger count in `npm run test:full`.
 *
 * @param law runs it so many times; fast-check's `numRuns`
 */
export function testLaw(
  name: string,
  { few, many }: { readonly few: number; readonly many: number },
  law: (numRuns: number) => void | Promise<void>,
): void {
  test(`${name} (${few} runs)`, () => law(few));
  test(`${name} (${many} runs)`, { tags: ['full'] }, () => law(many));
}
