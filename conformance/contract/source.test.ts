import { describe, expect, test } from 'vitest';
import { ContractError } from './contract.ts';
import { readSource } from './source.ts';

describe('a value is read according to YAML 1.2 and JSON', () => {
  const table: readonly [name: string, text: string, want: unknown][] = [
    ['dates are texts', 'a: 2030-01-01\nb: 2030-01-01T00:00:00Z', { a: '2030-01-01', b: '2030-01-01T00:00:00Z' }],
    ['yes and no are texts, true is not', 'a: yes\nb: no\nc: true', { a: 'yes', b: 'no', c: true }],
    ['statuses are names', '200: a\n"404": b', { 200: 'a', 404: 'b' }],
    ['merge keys', 'a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}', { a: { x: 1, y: 2 }, b: { x: 1, y: 3 } }],
    ['anchors', 'a: &a [1]\nb: *a', { a: [1], b: [1] }],
    ['unknown tags', 'a: !Ref x\nb: !Join [1]\nc: !Map {x: 1}', { a: 'x', b: [1], c: { x: 1 } }],
    ['tags of YAML 1.1', 'a: !!timestamp 2030-01-01\nb: !!binary aGk=', { a: '2030-01-01', b: 'aGk=' }],
    ['a big integer', 'a: 9007199254740993', { a: 2 ** 53 }],
    ['a byte order mark', '\ufeffa: 1', { a: 1 }],
    ['a byte order mark before JSON', '\ufeff{"a": 1}', { a: 1 }],
    ['JSON with tabs', '{\n\t"a":\t1\n}', { a: 1 }],
    ['YAML that begins as JSON does', '{a: 1, # comment\n b: 2}', { a: 1, b: 2 }],
    ['folded and kept lines', 'a: >-\n  b\n  c\nd: |\n  e\n', { a: 'b c', d: 'e\n' }],
    ['a document with a mark', '---\na: 1\n...\n', { a: 1 }],
  ];
  test.each(table)('%s', (_, text, want) => {
    expect(readSource('api.yaml', text).root).toEqual(want);
  });

  test.each(['__proto__: {x: 1}', '{"__proto__": {"x": 1}}'])(
    'a member called __proto__ is an ordinary member: %s',
    (text) => {
      const { root } = readSource('api.yaml', text);
      expect(Object.keys(root)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(root)).toBe(Object.prototype);
    },
  );
});

describe('an unreadable document is rejected with its line', () => {
  const deep = 3000;
  const laughs = ['a0: &a0 [x, x]', ...Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)];
  const table: readonly [name: string, file: string, text: string, want: RegExp][] = [
    ['a tab for indentation', 'api.yaml', 'a:\n  b: 1\n\tc: 2', /api.yaml:3 /],
    ['a bracket that stays open', 'api.yaml', 'a: 1\nb: [\n', /api.yaml:[23] /],
    ['an alias of nothing', 'api.yaml', 'a: 1\nb: *c', /api.yaml:2 /],
    ['two documents', 'api.yaml', 'a: 1\n---\nb: 2', /several documents/],
    ['nothing', 'api.yaml', '', /not an object/],
    ['nothing but a comment', 'api.yaml', '# nothing', /not an object/],
    ['a broken JSON', 'api.json', '{\n  "a": 1,\n  "b" 2\n}', /api.json:3 #\n.*Expected ':'/],
    ['truncated JSON', 'api.json', '{\n  "a": [1,', /api.json:2 #\n.*end of JSON/],
    ['YAML nested beyond all measure', 'api.yaml', `a: ${'['.repeat(deep)}${']'.repeat(deep)}`, /1200 levels/],
    [
      'JSON nested beyond all measure',
      'api.json',
      `{"a":\n${'['.repeat(deep)}${']'.repeat(deep)}}`,
      /:2 #\n.*1200 levels/,
    ],
    ['aliases that multiply', 'api.yaml', laughs.join('\n'), /millions of values/],
    ['an alias in a circle', 'api.yaml', 'a: &a {b: *a}', /names a part that contains the alias/],
  ];
  test.each(table)('%s', (_, file, text, want) => {
    expect(() => readSource(file, text)).toThrow(ContractError);
    expect(() => readSource(file, text)).toThrow(want);
  });
});

test.each([
  { name: 'JSON', text: `{"a":[${'[],'.repeat(1_000_001)}1]}` },
  { name: 'lines that end with a carriage return', text: `a:\r${'- a\r'.repeat(2_000_001)}` },
  { name: 'items within items', text: `a:\n${`${'- '.repeat(1_000)}a\n`.repeat(2_000)}` },
])('millions of values are refused before they are read: $name', ({ text }) => {
  expect(() => readSource('api', text)).toThrow('The document has more than 2000000 values.');
});

describe('a repeated member is reported, and the last one counts', () => {
  const table: readonly [text: string, pointers: readonly string[]][] = [
    ['a: {b: 1, c: 2, b: 3}\nd: 1\nd: 2', ['#/d', '#/a/b']],
    ['{"a": {"b": 1, "c": 2, "b": 3}, "l": [{"x": 1}, {"y/z": ",", "y/z": "\\""}]}', ['#/a/b', '#/l/1/y~1z']],
    ['{"a": {"c": "\\\\", "b": "\\\\\\"", "b"   :\n 3, "c": 2}}', ['#/a/b', '#/a/c']],
  ];
  test.each(table)('%s', (text, pointers) => {
    const { root, repeated } = readSource('api', text);
    expect(root.a).toEqual({ b: 3, c: 2 });
    expect(repeated).toEqual(pointers);
  });

  test('the same name in two objects, or as a value, is no repetition', () => {
    expect(readSource('api', '{"a": {"a": "a"}, "b": [{"a": 1}, {"a": 1}], "c": "a: {"}').repeated).toEqual([]);
  });
});

describe('the line of a place', () => {
  const yaml = `# comment
paths:
  /a:
    get:
      tags:
        - one
        - two
      "quo\\u0074ed": &x
        deep: 1
      alias: *x
`;
  const json = '{\n  "paths": {\n    "/a": {"get": {\n      "tags": ["one",\n        "two"]\n    }}\n  }\n}';
  const table: readonly [text: string, pointer: string, line: number][] = [
    [yaml, '#/paths', 2],
    [yaml, '#/paths/~1a/get', 4],
    [yaml, '#/paths/~1a/get/tags/1', 7],
    [yaml, '#/paths/~1a/get/quoted/deep', 9],
    [yaml, '#/paths/~1a/get/alias/deep', 10],
    [yaml, '#/paths/~1a/get/responses/200', 4],
    [yaml, '#/components', 1],
    [yaml, '#', 1],
    [json, '#/paths/~1a/get', 3],
    [json, '#/paths/~1a/get/tags/0', 4],
    [json, '#/paths/~1a/get/tags/1', 5],
    [json.replaceAll('\n', '\r\n'), '#/paths/~1a/get/tags/1', 5],
    [json.replaceAll('  ', '\t'), '#/paths/~1a/get/tags/1', 5],
  ];
  test.each(table)('%#: %s %s', (text, pointer, line) => {
    expect(readSource('api', text).lineOf(pointer)).toBe(line);
  });
});

describe('the lines around a value', () => {
  const yaml = ['a:', ...Array.from({ length: 20 }, (_, index) => `  k${index}: ${index}`), ''].join('\n');
  const minified = JSON.stringify({ a: 'x'.repeat(500), b: { c: 1 }, d: 'y'.repeat(500) });

  test.each([
    ['in the middle', yaml, '#/a/k9', { line: 11, first: 7, lines: [5, 15].map((at) => `  k${at}: ${at}`), count: 11 }],
    ['of the first', yaml, '#/a', { line: 1, first: 1, lines: ['a:', '  k5: 5'], count: 7 }],
    ['of the last', yaml, '#/a/k19', { line: 21, first: 17, lines: ['  k15: 15', '  k19: 19'], count: 5 }],
  ])('%s', (_, text, pointer, { line, first, lines, count }) => {
    const found = readSource('api', text).excerptAt(pointer);
    expect([found.line, found.first, found.lines.at(0), found.lines.at(-1), found.lines.length]).toEqual([
      line,
      first,
      ...lines,
      count,
    ]);
  });

  test('a long line is cut around the value', () => {
    const { lines } = readSource('api', minified).excerptAt('#/b/c');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^…x+","b":\{"c":1\},"d":"y+…$/);
    expect(lines[0]?.length).toBe(202);
  });
});
