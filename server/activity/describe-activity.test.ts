import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activityRows } from './activity-types.ts';
import { describeActivity } from './describe-activity.ts';
import { catalogues, type Language } from './messages/catalogues.ts';

const languages = Object.keys(catalogues) as Language[];
const plain = { method: 'unknown', accessName: null, details: '{}' };
const passage = { type: 'PASSAGE_STARTED', method: 'pin', accessName: 'Party' };

const cases = [
  { given: { ...plain, type: 'LOCK', method: 'key' }, language: 'en', want: 'Locked by key' },
  {
    given: { ...plain, type: 'UNLOCK', method: 'pin', accessName: 'Cleaner' },
    language: 'en',
    want: 'Unlocked with the code "Cleaner"',
  },
  { given: { ...plain, type: 'UNLOCK', method: 'pin' }, language: 'en', want: 'Unlocked with a code' },
  {
    given: { ...plain, type: 'UNLOCK', method: 'pin', accessName: 'Cleaner' },
    language: 'de',
    want: 'Mit dem Code „Cleaner“ entriegelt',
  },
  {
    given: { ...plain, type: 'UNLOCK', method: 'pin', accessName: 'Cleaner' },
    language: 'fr',
    want: 'Déverrouillé avec le code «\u00a0Cleaner\u00a0»',
  },
  {
    given: { ...plain, type: 'UNLOCK', method: 'pin', accessName: '清掃' },
    language: 'ja',
    want: 'コード「清掃」で解錠',
  },
  {
    given: { ...passage, details: '{"hours":1}' },
    language: 'en',
    want: 'Kept unlocked for 1 hour with the code "Party"',
  },
  {
    given: { ...passage, details: '{"hours":3}' },
    language: 'en',
    want: 'Kept unlocked for 3 hours with the code "Party"',
  },
  {
    given: { ...passage, details: '{"hours":1}' },
    language: 'de',
    want: 'Mit dem Code „Party“ für 1 Stunde offen gehalten',
  },
  {
    given: { ...passage, details: '{"hours":24}' },
    language: 'de',
    want: 'Mit dem Code „Party“ für 24 Stunden offen gehalten',
  },
  {
    given: { ...passage, details: '{"hours":1}' },
    language: 'es',
    want: 'Abierto durante 1 hora con el código «Party»',
  },
  {
    given: { ...passage, details: '{"hours":2}' },
    language: 'es',
    want: 'Abierto durante 2 horas con el código «Party»',
  },
  {
    given: { ...passage, details: '{"hours":1}' },
    language: 'fr',
    want: 'Maintenu ouvert 1\u00a0heure avec le code «\u00a0Party\u00a0»',
  },
  {
    given: { ...passage, details: '{"hours":2}' },
    language: 'fr',
    want: 'Maintenu ouvert 2\u00a0heures avec le code «\u00a0Party\u00a0»',
  },
  { given: { ...passage, details: '{"hours":1}' }, language: 'ja', want: 'コード「Party」で1時間の開放を開始' },
  { given: { ...passage, details: '{}' }, language: 'en', want: 'Kept unlocked with the code "Party"' },
  {
    given: { ...passage, accessName: null, details: '{"hours":3}' },
    language: 'en',
    want: 'Kept unlocked with a code',
  },
  { given: { ...plain, type: 'UNLOCK', method: 'telepathy', accessName: 'Cleaner' }, language: 'en', want: 'Unlocked' },
  { given: { ...plain, type: 'TELEPORTED' }, language: 'de', want: 'Sonstiges Ereignis' },
  { given: { ...plain, type: 'constructor', method: 'toString' }, language: 'en', want: 'Other activity' },
  {
    given: { ...plain, type: 'UNLOCK', method: 'pin', accessName: '{hours} $& {name}' },
    language: 'en',
    want: 'Unlocked with the code "{hours} $& {name}"',
  },
] as const;

describe('a description', () => {
  test.each(cases)('$want', ({ given, language, want }) => {
    expect(describeActivity(given, language)).toBe(want);
  });

  test('has 1 to 200 characters and contains the whole name if its length is valid', () => {
    const accessName = fc.string({ unit: 'binary', minLength: 1, maxLength: 400 });
    const row = fc.constantFrom(...activityRows);
    const hours = fc.option(fc.integer({ min: 1, max: 24 }), { nil: undefined });
    fc.assert(
      fc.property(accessName, row, hours, fc.constantFrom(...languages), (name, { type, method }, given, language) => {
        const details = JSON.stringify({ hours: given });
        const text = describeActivity({ type, method, accessName: name, details }, language);
        const nameless = describeActivity({ type, method, accessName: null, details }, language);
        expect([...text].length).toBeGreaterThan(0);
        expect([...text].length).toBeLessThanOrEqual(200);
        if (text !== nameless && [...name].length <= 60) expect(text).toContain(name);
      }),
      { numRuns: 2000 },
    );
  });

  test('cuts a name that is too long between characters, and marks the cut', () => {
    const text = describeActivity({ ...plain, type: 'UNLOCK', method: 'pin', accessName: '🐢'.repeat(300) }, 'en');
    expect([...text]).toHaveLength(200);
    expect(text).toMatch(/🐢…"$/);
    expect(text.isWellFormed()).toBe(true);
  });
});
