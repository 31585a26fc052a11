import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPositions } from './json-positions.ts';
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
