import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseLanguage } from './choose-language.ts';
import { languages } from './messages/catalogues.ts';

test.each([
  { given: {}, want: 'en' },
  { given: { uiLocales: 'de' }, want: 'de' },
  { given: { uiLocales: 'de-AT' }, want: 'de' },
  { given: { uiLocales: 'de-Latn-DE-1996' }, want: 'de' },
  { given: { uiLocales: 'DE' }, want: 'de' },
  { given: { uiLocales: 'fr-CA fr de en' }, want: 'de' },
  { given: { uiLocales: 'en de' }, want: 'en' },
  { given: { uiLocales: 'de en', acceptLanguage: 'en' }, want: 'de' },
  { given: { uiLocales: 'fr', acceptLanguage: 'de' }, want: 'de' },
  { given: { uiLocales: '', acceptLanguage: 'de' }, want: 'de' },
  { given: { uiLocales: '*  de;q=0 fr,de', acceptLanguage: 'en' }, want: 'en' },
  { given: { uiLocales: 'den deu', acceptLanguage: 'en' }, want: 'en' },
  { given: { acceptLanguage: 'de-DE,de;q=0.9,en;q=0.8' }, want: 'de' },
  { given: { acceptLanguage: 'fr-FR,fr;q=0.9,en;q=0.7,de;q=0.8' }, want: 'de' },
  { given: { acceptLanguage: 'en;q=0.5, de;q=0.5' }, want: 'en' },
  { given: { acceptLanguage: 'de;q=0, *' }, want: 'en' },
  { given: { acceptLanguage: 'en;q=0, *' }, want: 'de' },
  { given: { acceptLanguage: 'ja' }, want: 'en' },
  { given: { acceptLanguage: '*' }, want: 'en' },
  { given: { acceptLanguage: ';;,,q=,-' }, want: 'en' },
])('chooses $want for $given', ({ given, want }) => {
  expect(chooseLanguage(given)).toBe(want);
});

test('returns an existing language for any input', () => {
  const tag = fc.oneof(fc.constantFrom('de', 'en', 'fr', '*', ';q=', ',', ' '), fc.string({ unit: 'binary' }));
  const text = fc.array(tag).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (uiLocales, acceptLanguage) => {
      expect(languages).toContain(chooseLanguage({ uiLocales, acceptLanguage }));
    }),
  );
});
