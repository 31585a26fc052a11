import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern, readPattern, renewSteps } from './read-pattern.ts';

/** Length of a text for which the platform's engine does quadratic or exponential work. */
const long = 100_000;

describe('a pattern that the platform takes longer for than the text is long', () => {
  test.each([
    { name: 'a repetition of a repetition', pattern: '^(a+)+$', text: `${'a'.repeat(long)}!` },
    { name: 'alternatives that overlap', pattern: '^(a|aa)+$', text: `${'a'.repeat(long)}!` },
    { name: 'two repetitions that overlap', pattern: '^\\s*\\S*\\s*,$', text: ' '.repeat(long) },
    { name: 'no anchor', pattern: '[a-z]+[0-9]', text: 'a'.repeat(long) },
    { name: 'an anchor in one alternative alone', pattern: '^b|a*c', text: 'a'.repeat(long) },
    { name: 'what may be left out, thirty times', pattern: '^(?:a?){30}a{30}$', text: 'a'.repeat(29) },
    { name: 'a date that is any', pattern: '^(\\d{1,4}[-/]?)+$', text: `${'1'.repeat(long)}!` },
    { name: 'letters of any script', pattern: '^(\\p{L}+\\p{M}*)+$', text: `${'é'.repeat(long)}!` },
  ])('is run in linear time: $name', ({ pattern, text }) => {
    const linear = readPattern(pattern);
    // No time is measured, since the platform's engine would not terminate.
    expect(String(linear)).toBe(`linear ${pattern}`);
    expect(linear.test(text)).toBe(false);
  });

  test('has the same verdicts as the platform', () => {
    const pieces = [...'aZ0_-. \n\u2028\u00a0\ufeff\v\u0007é\u{1f422}', '\ud83d'];
    const patterns = [
      '^(a+)+$',
      '(?:a|[^\\S\\n])*.$',
      '^(?:\\w+\\W*)*$',
      '(?:^|\\s)(\\d*|\\D)+\\b',
      '^([^]|[])+\\B$',
      '^(?:\\p{L}+|\\P{Lu}+|[\\p{Script=Latin}0])*$',
      '(?:[\\s\\w][^\\s\\w]*)+\\u{1f422}',
      '^(?:.+\\cG?)*$',
      '^(?:\\S+[\\-.]?)*?(?<name>Z)+$',
      '^(?:[^\\d\\p{L}]+|é)*$',
    ];
    assert(
      property(constantFrom(...patterns), string({ unit: constantFrom(...pieces), maxLength: 8 }), (pattern, text) => {
        const linear = readPattern(pattern);
        expect(String(linear)).toBe(`linear ${pattern}`);
        expect([pattern, text, linear.test(text)]).toEqual([pattern, text, compilePattern(pattern).test(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  test('does not match the texts of a value that would take too long all the same', () => {
    const pattern = readPattern('^(?:a?){999}a{999}$');
    const good = 'a'.repeat(999);
    renewSteps();
    expect(pattern.test('a'.repeat(100_000))).toBe(false);
    // Steps are counted by length, although the first letter of this text does not match.
    for (let spent = 0; spent < 9; spent += 1) pattern.test('b'.repeat(999));
    expect([pattern.test(good), pattern.test(good)]).toEqual([true, false]);
    renewSteps();
    expect(pattern.test(good)).toBe(true);
  });

  test.each([
    { pattern: '^(?=(a+)+$)', says: 'a lookahead' },
    { pattern: '^(a+)\\1$', says: 'a back-reference' },
    { pattern: '^(?:a?){2000}a{2000}$', says: 'invalid repeat count' },
    { pattern: '^(?i:a+)+$', says: 'a modifier' },
    { pattern: `^${'('.repeat(5000)}a${')*'.repeat(5000)}$`, says: '' },
    { pattern: 'a(', says: 'Invalid regular expression' },
  ])('is refused where nothing can run it: $pattern', ({ pattern, says }) => {
    expect(() => readPattern(pattern)).toThrow(says);
  });
});

test.each([
  '^[0-9a-f]{24}$',
  '^[\\x21-\\x7e]{1,255}$',
  '^[A-Za-z0-9_-]+$',
  '^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,}$',
  '^(?!.*--)[a-z-]+$',
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  '^\\+[1-9]\\d{1,14}$',
  '^[\\w\\-]+$',
  'ab|cd',
])('%s is left to the platform', (pattern) => {
  expect(String(readPattern(pattern))).toBe(String(compilePattern(pattern)));
});

test('a text that is too long for the stack of the platform does not match', () => {
  expect(readPattern('^([a-z])*$').test('a'.repeat(6_000_000))).toBe(false);
});
