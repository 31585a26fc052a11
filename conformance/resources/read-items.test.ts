import { describe, expect, test } from 'vitest';
import { mostItems, readItems } from './read-items.ts';

function read(body: unknown) {
  const { list, whole, isList } = readItems(body, 'pet');
  return { list: list.map((item) => Object.fromEntries(item)), whole: whole && Object.fromEntries(whole), isList };
}

const one = [{ id: 1 }];

describe('the items of an answer are', () => {
  test.each<{ name: string; body: unknown; list: readonly object[] }>([
    { name: 'those of an array, without empty ones', body: [null, {}, ...one], list: one },
    { name: 'those of the list with their name', body: { tags: [{ id: 9 }], pets: one }, list: one },
    {
      name: 'those of a filled list, before an empty one with their name',
      body: { pets: [], rows: one },
      list: one,
    },
    { name: 'objects, before plain texts', body: { names: ['a'], rows: [null, ...one] }, list: one },
    {
      name: 'none of an empty page, next to the names of its columns',
      body: { ids: [], result: [], columns: ['a'] },
      list: [],
    },
    { name: 'plain texts of a list of any name', body: { errors: [], all: ['a'] }, list: [{ '@value': 'a' }] },
    { name: 'those of the outer list', body: { rows: one, more: { pets: [{ id: 9 }] } }, list: one },
    { name: 'those of an inner list, next to an empty one', body: { errors: [], data: { pets: one } }, list: one },
    { name: 'those of a list inside three objects', body: { a: { b: { c: { d: one } } } }, list: one },
    {
      name: 'members of a map, next to an empty list',
      body: { pets: [], byId: { a: { n: 1 }, b: { n: 2 } } },
      list: [
        { n: 1, '@key': 'a' },
        { n: 2, '@key': 'b' },
      ],
    },
    {
      name: 'members of a map inside two objects',
      body: { data: { pets: { a: { n: 1 }, b: { n: 2 } } } },
      list: [
        { n: 1, '@key': 'a' },
        { n: 2, '@key': 'b' },
      ],
    },
    {
      name: 'members of a map that share one member, and hold objects',
      body: { a: { n: 1, at: { x: 3 } }, b: { n: 2, note: 'new' } },
      list: [
        { n: 1, 'at.x': 3, '@key': 'a' },
        { n: 2, note: 'new', '@key': 'b' },
      ],
    },
    { name: 'the only member of a map, without its key', body: { a: { n: 1 } }, list: [{ n: 1 }] },
    { name: 'none of an empty list', body: [], list: [] },
    { name: 'none of empty lists of other names', body: { errors: [], rows: [] }, list: [] },
    { name: 'the first of many', body: Array(mostItems + 1).fill({ id: 1 }), list: Array(mostItems).fill({ id: 1 }) },
  ])('$name', ({ body, list }) => expect(read(body)).toMatchObject({ list, isList: true }));

  test.each([
    { name: 'one object', body: { id: 1 } },
    { name: 'one object in a wrapper, with another inside', body: { data: { id: 1, owner: { id: 2 } } } },
    { name: 'objects of different shape', body: { owner: { age: 4 }, address: { street: 'A' } } },
    { name: 'an object next to a plain member', body: { a: { n: 1 }, next: null } },
    { name: 'an empty wrapper', body: { data: {} } },
    { name: 'plain text', body: 'a' },
  ])('none of $name: it is no list', ({ body }) => expect(read(body)).toMatchObject({ list: [], isList: false }));
});

describe('the object of an answer is read', () => {
  const longText = 'ab '.repeat(100);
  const token = 'a'.repeat(2_000);

  test.each<{ name: string; body: unknown; whole: object | undefined }>([
    { name: 'from three wrappers', body: { a: { b: { c: { n: 1 } } } }, whole: { n: 1 } },
    {
      name: 'from an object with remarks',
      body: { ok: true, error: null, message: '', errors: [], data: { n: 1 } },
      whole: { n: 1 },
    },
    {
      name: 'from a usual wrapper next to code and message',
      body: { code: 2000, message: 'Success', result: { id: 'a' } },
      whole: { id: 'a' },
    },
    {
      name: 'with its code next to an object of its own',
      body: { code: 'x', address: { street: 'A' } },
      whole: { code: 'x', 'address.street': 'A' },
    },
    { name: 'with a number next to an object', body: { count: 3, data: { n: 1 } }, whole: { count: 3, 'data.n': 1 } },
    { name: 'with both of two objects', body: { a: { n: 1 }, b: { n: 2 } }, whole: { 'a.n': 1, 'b.n': 2 } },
    { name: 'with its id, even if that is an object', body: { _id: { $oid: 'a' } }, whole: { '_id.$oid': 'a' } },
    { name: 'without empty text', body: { n: 1, note: '' }, whole: { n: 1 } },
    { name: 'with text up to 300 characters', body: { a: longText, b: `${longText} ` }, whole: { a: longText } },
    { name: 'with tokens up to 2,000 characters', body: { a: token, b: `${token}a` }, whole: { a: token } },
    { name: 'four objects deep', body: { n: 1, a: { b: { c: { d: 2 } } } }, whole: { n: 1, 'a.b.c.d': 2 } },
    { name: 'by its own members first', body: { a: { b: 2 }, 'a.b': 1 }, whole: { 'a.b': 1 } },
    { name: 'with a mark if it belongs to the system', body: { n: 1, is_system: true }, whole: { n: 1, '@system': 1 } },
    { name: 'without that mark if it does not', body: { n: 1, is_system: false }, whole: { n: 1 } },
    { name: 'as none if it has no scalar', body: { rows: [] }, whole: undefined },
  ])('$name', ({ body, whole }) => expect(read(body).whole).toEqual(whole));

  test('up to 60 members', () => {
    const members = Array.from({ length: 61 }, (_, index) => [`m${index}`, index]);
    expect(Object.keys(read(Object.fromEntries(members)).whole ?? {})).toHaveLength(60);
  });
});
