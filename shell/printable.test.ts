import { expect, test } from 'vitest';
import { formatJson, formatNotice, oneLine, printable } from './printable.ts';

const hostile = 'a\u001b[31m\u009b\r\nb\u2028c\u202e\u007f';
const place = { file: 'a.yaml', line: 1, column: 1, pointer: `#/${hostile}` };

test.each([
  { name: 'a notice', text: formatNotice({ ...place, message: hostile }) },
  { name: 'a title', text: oneLine(hostile) },
  { name: 'JSON', text: formatJson({ [hostile]: hostile }) },
])('$name is one line, without what a terminal takes for orders', ({ text }) => {
  expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test('text of several lines keeps these alone', () => {
  expect(printable(hostile)).toBe('a\\u001b[31m\\u009b\\u000d\nb\\u2028c\\u202e\\u007f');
});
