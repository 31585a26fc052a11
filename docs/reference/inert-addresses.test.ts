import { describe, expect, test } from 'vitest';
import { inertAddresses, replaceAddresses } from './inert-addresses.ts';

const one = [{ address: 'https://cdn.example/logo.svg', instead: 'data:,' }];

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
    name: 'says what did not occur',
    given: 'https://cdn.example/other.svg',
    want: { script: 'https://cdn.example/other.svg', missing: ['https://cdn.example/logo.svg'] },
  },
];

describe('replaceAddresses', () => {
  for (const { name, given, want } of table) test(name, () => expect(replaceAddresses(given, one)).toEqual(want));
});

describe('inertAddresses', () => {
  test('holds values that are data and that fit into any kind of quotes', () => {
    for (const { instead } of inertAddresses) expect(instead).toMatch(/^data:[\w+/;,=#-]*$/);
  });

  test('puts no address behind one that it begins with', () => {
    const addresses = inertAddresses.map(({ address }) => address);
    const hidden = addresses.filter((address, at) =>
      addresses.slice(0, at).some((earlier) => address.startsWith(earlier)),
    );
    expect(hidden).toEqual([]);
  });
});
