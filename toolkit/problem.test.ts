import { expect, test } from 'vitest';
import { formatProblem } from './problem.ts';

const hostile = 'a\u001b[31m\u009b\r\nb\u2028c\u202e\u007f';
const place = { file: 'a.yaml', line: 1, column: 1, pointer: `#/${hostile}` };

test('a problem is four lines, whatever the contract has in its names', () => {
  const text = formatProblem({ ...place, rule: 'struct', message: hostile, fix: hostile });
  expect(text.split(/[\n\r\u2028\u2029\u0085]/)).toHaveLength(5);
  expect(text).toContain('  message a\\u001b[31m\\u009b\\u000d\\u000ab\\u2028c');
});
