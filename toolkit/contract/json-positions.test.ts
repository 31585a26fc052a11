import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPositions, readPlainJson } from './json-positions.ts';
import { readYaml } from './yaml-source.ts';

test.each([
  { at: [], line: 1, column: 1 },
  { at: ['paths', '/a'], line: 3, column: 5 },
  { at: ['paths', '/a', 'tags', '1'], line: 4, column: 22 },
  { at: ['paths', '/a', 'tags', '1', 'b\\"'], line: 4, column: 23 },
  { at: ['paths', '/a', 'none', 'b'], line: 3, column: 5 },
  { at: ['end'], line: 6, column: 3 },
])('$at stands at $line:$column', ({ at, line, column }) => {
  const text =
    '{\n  "paths": {\n    "/a": {\n      "tags" : ["]", {"b\\\\\\"": -1.5e3}], "x": [[], {}]\n    }},\n  "end": null}\n';
  expect(jsonPositions(text)?.(at)).toEqual({ line, column });
});

test('YAML is none', () => {
  expect(jsonPositions('a: 1')).toBeUndefined();
});

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test.each([
  { name: 'an object', text: '{"a": {"b": [{"b": 1}]}}', isPlain: true },
  {
    name: 'colons, quotes and backslashes in strings',
    text: String.raw`{"a:\\" : "\":b", "c\":": [":"]}`,
    isPlain: true,
  },
  { name: 'a key twice', text: '{"a": 1, "a": ":"}', isPlain: false },
  { name: 'a key twice in an inner object', text: '{"b": [{"a": 1, "a": 2}]}', isPlain: false },
  { name: 'a thousand levels', text: nested(1000), isPlain: true },
  { name: 'a level more', text: nested(1001), isPlain: false },
  { name: 'no object', text: '"a"', isPlain: false },
  { name: 'YAML', text: '{a: 1}', isPlain: false },
])('$name is plain JSON: $isPlain', ({ text, isPlain }) => {
  expect(readPlainJson(text)).toEqual(isPlain ? JSON.parse(text) : undefined);
});

function* waysIn(value: unknown, at: readonly string[] = []): Generator<readonly string[]> {
  yield at;
  if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) yield* waysIn(member, [...at, name]);
}

test('every place is where the YAML parser finds it', () => {
  const values = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const [positionOf, yaml] = [jsonPositions(text), readYaml(text)];
      for (const at of waysIn(JSON.parse(text))) expect(positionOf?.(at)).toEqual(yaml.positionOf(at));
    }),
    { numRuns: 100 },
  );
});
