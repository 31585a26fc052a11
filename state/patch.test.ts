import type { JsonObject } from '@lockstep/json/json-pointer';
import { describe, expect, test } from 'vitest';
import { jsonPatch, mergePatch, PatchFault } from './patch.ts';

describe('a merge patch (RFC 7396, appendix A)', () => {
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 'foo' }, null, null],
  ])('%j changed by %j is %j', (target, patch, want) => {
    expect(mergePatch(target, patch)).toEqual(want);
  });
});

describe('a JSON Patch (RFC 6902, appendix A)', () => {
  test.each<readonly [JsonObject, readonly JsonObject[], unknown]>([
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
    [{ foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: ['abc'] }], { foo: ['bar', ['abc']] }],
    [{ foo: ['bar', 'qux', 'baz'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['bar', 'baz'] }],
    [{ baz: 'qux', foo: 'bar' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo', foo: 'bar' }],
    [
      { foo: { bar: 1 }, qux: {} },
      [{ op: 'move', from: '/foo/bar', path: '/qux/thud' }],
      { foo: {}, qux: { thud: 1 } },
    ],
    [
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'add', path: '/c/b', value: 2 },
      ],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    [{ '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
  ])('%j changed by %j is %j', (target, steps, want) => {
    const before = structuredClone(target);
    expect(jsonPatch(target, steps)).toEqual(want);
    expect(target).toEqual(before);
  });

  test.each([
    [{ op: 'add', path: '/baz/bat', value: 'qux' }],
    [{ op: 'remove', path: '/baz' }],
    [{ op: 'replace', path: '/baz', value: 1 }],
    [{ op: 'test', path: '/foo', value: 'baz' }],
    [{ op: 'add', path: '/list/3', value: 1 }],
    [{ op: 'increase', path: '/foo' }],
    [{ op: 'remove', path: '/list/length' }],
    [{ op: 'remove', path: '/list/00' }],
    [{ op: 'add', path: '/baz' }],
  ])('%j cannot be applied', (step) => {
    expect(() => jsonPatch({ foo: 'bar', list: [1] }, [step])).toThrow(PatchFault);
  });

  test('whose copies double the item with each step cannot be applied', () => {
    const steps = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '', path: `/copy${index}` }));
    expect(() => jsonPatch({ foo: 'bar' }, steps)).toThrow(PatchFault);
  });
});

test('a patch of __proto__ sets a member and not the prototype', () => {
  const patch = JSON.parse('{"a":{"__proto__":{"isAdmin":true}}}');
  const steps = [{ op: 'add', path: '/a/__proto__', value: { isAdmin: true } }];
  for (const changed of [mergePatch({ a: {} }, patch), jsonPatch({ a: {} }, steps)])
    expect(JSON.stringify(changed)).toBe(JSON.stringify(patch));
});
