import { expect, test } from 'vitest';
import { escapeControls } from './escape-controls.ts';

test.each([
  { name: 'a colour', given: '\u001b[31m', want: '\\u001b[31m' },
  { name: 'the same in one character', given: '\u009b31m', want: '\\u009b31m' },
  { name: 'line breaks', given: 'a\r\nb\u2028c\u2029d\u0085', want: 'a\\u000d\\u000ab\\u2028c\\u2029d\\u0085' },
  { name: 'direction marks', given: '\u202e\u2066', want: '\\u202e\\u2066' },
  { name: 'words of any script, and what joins them', given: 'Żółta 🐢 👩‍🚀 می‌خواهم', want: 'Żółta 🐢 👩‍🚀 می‌خواهم' },
])('escapes $name', ({ given, want }) => expect(escapeControls(given)).toBe(want));

test('keeps the given characters, and the meaning of JSON', () => {
  expect(escapeControls('a\n\tb\u2028', '\n\t')).toBe('a\n\tb\\u2028');
  const value = { 'a\u009b': '\u202e\\\u2028\u007f' };
  expect(JSON.parse(escapeControls(JSON.stringify(value)))).toEqual(value);
});
