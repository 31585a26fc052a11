import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { activityRows } from '../activity-types.ts';
import { catalogues, type Language } from './catalogues.ts';
import { en } from './en.ts';
import type { Message, Messages } from './message.ts';

const languages = Object.keys(catalogues) as Language[];
const catalogueOf = (language: Language): Messages => catalogues[language];
const formsOf = (message: Message) => (typeof message === 'string' ? [message] : Object.values(message));
const placeholdersOf = (text: string) => [...text.matchAll(/\{(.*?)\}/g)].map(([, name]) => name).toSorted();

/** The placeholders, by key and alternative. All plural forms of one message have the same. */
function shapeOf(language: Language) {
  return Object.fromEntries(
    Object.entries(catalogueOf(language)).map(([key, messages]) => [
      key,
      messages.map((message) => {
        const shapes = new Set(formsOf(message).map((text) => placeholdersOf(text).join()));
        expect([...shapes], `${language} ${key}`).toHaveLength(1);
        return [...shapes][0];
      }),
    ]),
  );
}

test('there is a catalogue for each language of the contract, and for no other', () => {
  const { pattern } = contract.components.parameters.Locale.schema;
  expect(/\((.*?)\)/.exec(pattern)?.[1]?.split('|')).toEqual(languages);
  for (const language of languages) expect(new RegExp(pattern).test(language)).toBe(true);
});

describe.each(languages)('the catalogue %s', (language) => {
  const texts = Object.values(catalogueOf(language)).flat().flatMap(formsOf);

  test('has every message, every alternative and every placeholder', () => {
    expect(shapeOf(language)).toEqual(shapeOf('en'));
  });

  test('has a last alternative without placeholders', () => {
    for (const [key, messages] of Object.entries(shapeOf(language))) expect(messages.at(-1), key).toBe('');
  });

  test('has each plural form that its language needs for 1 to 24 hours', () => {
    const rules = new Intl.PluralRules(language);
    const needed = new Set(Array.from({ length: 24 }, (_, index) => rules.select(index + 1)));
    const counted = Object.values(catalogueOf(language))
      .flat()
      .filter((message) => typeof message !== 'string');
    expect(counted.length).toBeGreaterThan(0);
    for (const message of counted) expect(new Set(Object.keys(message))).toEqual(new Set([...needed, 'other']));
  });

  test('has no text of another language, none empty, none with a stray space or brace', () => {
    const others = languages.filter((other) => other !== language);
    const foreign = new Set(others.flatMap((other) => Object.values(catalogueOf(other)).flat().flatMap(formsOf)));
    for (const text of texts) {
      expect(text.trim()).toBe(text);
      expect(text).not.toBe('');
      expect(text.replaceAll(/\{(name|hours)\}/g, 'x')).not.toMatch(/[{}]| {2}/);
      expect(foreign, text).not.toContain(text);
    }
    // Two texts that are equal would hide a difference: only plural forms may be.
    expect(new Set(texts).size).toBe(texts.length);
  });

  test('leaves room for the longest name', () => {
    const longest = contract.components.schemas.AccessName.maxLength;
    for (const text of texts) expect([...text.replace('{name}', 'x'.repeat(longest))].length).toBeLessThanOrEqual(200);
  });
});

test('every activity that a lock can report has a text of its own, by its method too', () => {
  for (const { type, method } of activityRows) {
    const own = Object.hasOwn(en, `${type}.${method}`);
    // A type with one method needs no key for the method.
    const methods = new Set(activityRows.filter((row) => row.type === type).map((row) => row.method));
    expect(Object.hasOwn(en, type), type).toBe(true);
    if (methods.size > 1) expect(own, `${type}.${method}`).toBe(true);
  }
});
