import { expect, test } from 'vitest';
import { readYaml } from './yaml-source.ts';

const source = `openapi: 3.1.1
paths:
  /devices:
    get:
      tags: [A, B]
      responses:
        '200': {description: OK}
`;

test.each([
  { at: ['paths', '/devices', 'get'], line: 4, column: 5 },
  { at: ['paths', '/devices', 'get', 'tags', '1'], line: 5, column: 17 },
  { at: ['paths', '/devices', 'get', 'responses', '200', 'description'], line: 7, column: 17 },
  { at: ['paths', '/devices', 'put', 'responses'], line: 3, column: 3 },
  { at: [], line: 1, column: 1 },
])('$at stands at $line:$column', ({ at, line, column }) => {
  expect(readYaml(source).positionOf(at)).toEqual({ line, column });
});

test.each([
  { name: 'a tab for indentation', text: 'a:\n\tb: 1\n', line: 2 },
  { name: 'a key twice', text: 'a: 1\nb: 2\na: 3\n', line: 3 },
  { name: 'an open bracket', text: 'a: [1, 2\nb: 3\n', line: 1 },
])('$name is a fault with its line', ({ text, line }) => {
  const { faults, value } = readYaml(text);
  expect(faults.map((fault) => fault.line)).toContain(line);
  expect(value).toBeUndefined();
});

test('JSON is read too', () => {
  expect(readYaml('{"a": {"b": [1]}}')).toMatchObject({ faults: [], value: { a: { b: [1] } } });
});
