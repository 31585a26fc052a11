import { describe, expect, test } from 'vitest';
import { changeRenderer, inertAddresses, type SearchedPlace, splitIntroduction } from './renderer-changes.ts';

const one = [{ text: 'https://cdn.example/logo.svg', instead: 'data:,' }];

const table = [
  {
    name: 'replaces an address',
    given: 'a`https://cdn.example/logo.svg`b',
    want: { script: 'a`data:,`b', missing: [] },
  },
  {
    name: 'replaces it wherever it stands',
    given: 'https://cdn.example/logo.svg https://cdn.example/logo.svg',
    want: { script: 'data:, data:,', missing: [] },
  },
  {
    name: 'lists texts that did not occur',
    given: 'https://cdn.example/other.svg',
    want: { script: 'https://cdn.example/other.svg', missing: ['https://cdn.example/logo.svg'] },
  },
];

describe('changeRenderer', () => {
  for (const { name, given, want } of table) test(name, () => expect(changeRenderer(given, one)).toEqual(want));
});

describe('inertAddresses', () => {
  test('holds values that are data and that fit into any kind of quotes', () => {
    for (const { instead } of inertAddresses) expect(instead).toMatch(/^data:[\w+/;,=#-]*$/);
  });

  test('puts no address behind one that it begins with', () => {
    const addresses = inertAddresses.map(({ text }) => text);
    const hidden = addresses.filter((address, at) =>
      addresses.slice(0, at).some((earlier) => address.startsWith(earlier)),
    );
    expect(hidden).toEqual([]);
  });
});

describe('splitIntroduction', () => {
  const parameters = [
    { name: 'https://a.example', description: '', place: 'server' },
    { name: 'Errors', description: 'Each has a code.', place: 'description', deepLink: '/#section/errors' },
    { name: 'no_door', description: 'Status: 404', place: 'description', deepLink: '/#section/errors/no_door' },
  ];
  const text = 'Opens doors. Errors Each has a code. no_door Status: 404';
  const root: SearchedPlace = { id: '/', url: '/', title: 'Doors', text, path: [], kind: 'root', parameters };

  test('makes places of the sections of the introduction, each by its title and in what it stands in', () => {
    const [introduction, ...sections] = splitIntroduction(root);
    expect(introduction).toEqual({ ...root, text: 'Opens doors. ', parameters: parameters.slice(0, 1) });
    expect(sections).toMatchObject([
      { url: '/section/errors', title: 'Errors', text: 'Each has a code.', path: ['Doors'] },
      { url: '/section/errors/no_door', title: 'no_door', text: 'Status: 404', path: ['Doors', 'Errors'] },
    ]);
  });

  test('leaves an operation as it is, and an introduction without sections', () => {
    const operation = { ...root, kind: 'operation' };
    const plain = { ...root, parameters: parameters.slice(0, 1) };
    expect([operation, plain].flatMap(splitIntroduction)).toEqual([operation, plain]);
  });
});
