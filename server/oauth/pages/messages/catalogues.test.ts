import { describe, expect, test } from 'vitest';
import { samplePages } from '../fixtures/sample-pages.ts';
import { html } from '../html.ts';
import { contractScopes } from '../scope-groups.ts';
import type { Catalogue } from './catalogue.ts';
import { catalogues, languages } from './catalogues.ts';

const placeholdersOf = (text: string) => [...text.matchAll(/\{(.*?)\}/g)].map(([, name]) => name).toSorted();

/** Every text of a catalogue by its path. */
function textsOf({ texts, groups, scopes }: Catalogue): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries(texts),
    ...Object.entries(groups).flatMap(([key, [name, stake]]) => [
      [`groups.${key}`, name] as const,
      [`groups.${key}.stake`, stake] as const,
    ]),
    ...Object.entries(scopes).map(([scope, text]) => [`scopes.${scope}`, text] as const),
  ]);
}

/** Texts that are intentionally the same in German and English. */
const shared = ['service', 'groups.codes'];

test('English has the words of the contract', () => {
  expect(catalogues.en.scopes).toBe(contractScopes);
});

describe.each(languages)('the catalogue %s', (language) => {
  const texts = textsOf(catalogues[language]);
  const english = textsOf(catalogues.en);

  test('has every text, with the placeholders of the English one', () => {
    const shapes = (all: ReadonlyMap<string, string>) =>
      Object.fromEntries([...all].map(([key, text]) => [key, placeholdersOf(text)]));
    expect(shapes(texts)).toEqual(shapes(english));
  });

  test('has a text for each scope of the contract', () => {
    expect(Object.keys(catalogues[language].scopes).toSorted()).toEqual(Object.keys(contractScopes).toSorted());
  });

  test('has no empty text, none with a stray space or brace, none left in English', () => {
    for (const [key, text] of texts) {
      expect(text, key).toMatch(/\S/);
      expect(text.replaceAll(/\{\w+\}/g, 'x'), key).not.toMatch(/^\s|\s$|[{}]| {2}/);
      if (language !== 'en' && !shared.includes(key)) expect(text, key).not.toBe(english.get(key));
    }
  });

  test('has no text that no page uses', () => {
    // Tags count as a break, since values and code are in their own elements.
    const said = samplePages.map(({ render }) => render(language)).join('\n');
    const silent = [...texts].filter(
      ([, text]) => !text.split(/\{.*?\}|`|(?:(?=;| \())/).every((part) => said.includes(html`${part}`.toString())),
    );
    expect(silent.map(([key]) => key)).toEqual([]);
  });
});
