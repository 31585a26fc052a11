import { museumContract, museumOperations } from '@lockstep/runtime/fixtures/museum';
import type { Operation } from '@lockstep/runtime/operation';
import { parseUrlEncoded } from '@lockstep/runtime/validation/parse-url-encoded';
import { describe, expect, test } from 'vitest';
import { chooseExample, readPreferences } from './choose-example.ts';

const headers = [
  { name: 'code and example', given: 'code=418, example=teapot', want: { code: '418', example: 'teapot' } },
  {
    name: 'quotes, case and semicolons',
    given: 'Code="418"; EXAMPLE=teapot',
    want: { code: '418', example: 'teapot' },
  },
  { name: 'preferences of others, ignored', given: 'return=minimal, respond-async, seed=7', want: { seed: '7' } },
  { name: 'the first of what comes twice', given: 'code=418, code=404', want: { code: '418' } },
  { name: 'nothing', given: '', want: {} },
];

describe('readPreferences', () => {
  for (const { name, given, want } of headers) {
    test(`reads ${name}`, () => expect(readPreferences(given, parseUrlEncoded('__code=500'))).toEqual(want));
  }

  test('reads the query where there is no header', () => {
    expect(readPreferences(undefined, parseUrlEncoded('__code=500&__dynamic=true&limit=1'))).toEqual({
      code: '500',
      dynamic: 'true',
    });
  });
});

const choices = [
  { name: 'nothing asked for', given: {}, want: { dynamic: false } },
  { name: 'a code', given: { code: '418' }, want: { dynamic: false, code: 418 } },
  {
    name: 'a code with an example',
    given: { code: '418', example: 'kettle' },
    want: { dynamic: false, code: 418, example: 'kettle' },
  },
  { name: 'an example of a success', given: { example: 'mask' }, want: { dynamic: false, code: 201, example: 'mask' } },
  {
    name: 'an example of an error',
    given: { example: 'kettle' },
    want: { dynamic: false, code: 418, example: 'kettle' },
  },
  { name: 'an invented answer', given: { dynamic: 'true', seed: '7' }, want: { dynamic: true, seed: '7' } },
];

const refusals = [
  {
    name: 'a code that is not declared',
    given: { code: '499' },
    says: 'Prefer: addExhibit has no response 499: it has 201, 400, 401, 413, 415, 418, 429 or 500',
  },
  { name: 'a code that is no code', given: { code: 'teapot' }, says: /has no response teapot/ },
  {
    name: 'an example that the code does not have',
    given: { code: '418', example: 'mask' },
    says: 'Prefer: addExhibit 418 has no example mask: it has teapot or kettle',
  },
  {
    name: 'an example that nothing has',
    given: { example: '__proto__' },
    says: /addExhibit has no example __proto__: it has vase, mask/,
  },
  {
    name: 'dynamic that is no boolean',
    given: { dynamic: 'maybe' },
    says: 'Prefer: dynamic=maybe is neither true nor false',
  },
];

describe('chooseExample', () => {
  for (const { name, given, want } of choices) {
    test(`takes ${name}`, () =>
      expect(chooseExample(museumContract, museumOperations.addExhibit, given)).toEqual(want));
  }

  for (const { name, given, says } of refusals) {
    test(`refuses ${name}`, () => {
      expect(() => chooseExample(museumContract, museumOperations.addExhibit, given)).toThrow(says);
    });
  }

  test('keeps consecutive choices apart', () => {
    const { addExhibit, removeExhibit } = museumOperations;
    const choose = (given: object, operation: Operation = addExhibit) =>
      chooseExample(museumContract, operation, given);
    expect(choose({ dynamic: 'true', seed: '7' })).toEqual({ dynamic: true, seed: '7' });
    expect(choose({ dynamic: 'true', seed: '8' })).toEqual({ dynamic: true, seed: '8' });
    expect(choose({ dynamic: 'true' })).toEqual({ dynamic: true });
    expect(choose({ dynamic: 'false' })).toEqual({ dynamic: false });
    expect(choose({ example: 'kettle' })).toEqual({ dynamic: false, code: 418, example: 'kettle' });
    expect(() => choose({ example: 'kettle' }, removeExhibit)).toThrow('has no example kettle');
  });

  test('takes any code of a range, and any that default stands for', () => {
    expect(chooseExample(museumContract, museumOperations.getFeatured, { code: '451' }).code).toBe(451);
    expect(chooseExample(museumContract, museumOperations.removeExhibit, { code: '503' }).code).toBe(503);
  });
});
