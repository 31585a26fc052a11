import { formatProblem } from '@lockstep/toolkit/problem';
import { expect, test } from 'vitest';
import { formatJson, formatNotice, oneLine, printable } from './command.ts';

const hostile = 'a\u001b[31m\u009b\r\nb\u2028c\u202e\u007f';
const place = { file: 'a.yaml', line: 1, column: 1, pointer: `#/${hostile}` };

test.each([
  { name: 'a notice', text: formatNotice({ ...place, says: hostile }) },
  { name: 'a title', text: oneLine(hostile) },
  { name: 'JSON', text: formatJson({ [hostile]: hostile }) },
])('$name is one line, without what a terminal takes for orders', ({ text }) => {
  expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test('a problem is four lines, whatever the contract has in its names', () => {
  const text = formatProblem({ ...place, rule: 'struct', says: hostile, cure: hostile });
  expect(text.split(/[\n\r\u2028\u2029\u0085]/)).toHaveLength(5);
  expect(text).toContain('  says a\\u001b[31m\\u009b\\u000d\\u000ab\\u2028c');
});

test('text of several lines keeps these alone', () => {
  expect(printable(hostile)).toBe('a\\u001b[31m\\u009b\\u000d\nb\\u2028c\\u202e\\u007f');
});
