import { expect, test } from 'vitest';
import { escapeLike, searchForm, sortForm } from './text-forms.ts';

test.each([
  { name: 'two spellings of one letter', given: 'e\u0301', want: '\u00e9' },
  { name: 'case', given: 'Żółta', want: 'Żółta' },
  { name: 'a compatibility ligature', given: '\ufb01', want: '\ufb01' },
])('the sort form of $name', ({ given, want }) => {
  expect(sortForm(given)).toBe(want);
});

test.each([
  { name: 'letters beyond ASCII', given: 'ŻÓŁTA', want: 'żółta' },
  { name: 'two spellings of one letter', given: 'E\u0301', want: '\u00e9' },
  { name: 'characters outside the first plane', given: '\u{10400}🐢', want: '\u{10428}🐢' },
])('the search form of $name', ({ given, want }) => {
  expect(searchForm(given)).toBe(want);
});

test.each([
  { given: '100%', want: '100\\%' },
  { given: '_a_', want: '\\_a\\_' },
  { given: '\\', want: '\\\\' },
  { given: '*?[a]', want: '*?[a]' },
])('$given as a pattern', ({ given, want }) => {
  expect(escapeLike(given)).toBe(want);
});
