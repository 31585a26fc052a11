import { expect, test } from 'vitest';
import { isNoun, nameTemplate, nounOf, readTemplate, singular } from './template.ts';

test.each([
  ['/owners/{ownerId}/pets/{petId}', '/owners/{}/pets/{}', ['ownerId', 'petId']],
  ['/pets/{id}.json', '/pets/{}', ['id']],
  ['/pets.json', '/pets', []],
  ['/v1/{name}:cancel', '/v1/{}/cancel', ['name']],
  ['/pets/', '/pets', []],
])('%s is %s', (path, name, parameters) => {
  const template = readTemplate(path);
  expect([nameTemplate(template.segments), template.parameters, template.isPlain]).toEqual([name, parameters, true]);
});

test.each(['/maps/{x},{y}', '/files/v{version}'])('%s has a parameter in a part of a segment', (path) => {
  expect(readTemplate(path).isPlain).toBe(false);
});

test.each([
  ['pets', 'pet'],
  ['Categories', 'category'],
  ['addresses', 'address'],
  ['boxes', 'box'],
  ['people', 'person'],
  ['status', 'status'],
  ['access', 'access'],
  ['order-items', 'orderitem'],
  ['constructor', 'constructor'],
])('the singular of %s is %s', (word, want) => {
  expect(singular(word)).toBe(want);
});

test('the noun of a collection is its last word', () => {
  expect(nounOf(['v1', 'owners', '{}', 'pets'])).toBe('pet');
  expect(isNoun('lens', 'lens') && isNoun('lenses', 'lens')).toBe(true);
});
