import { expect, test } from 'vitest';
import { nearestOf } from './command.ts';

test.each([
  { name: 'a slip', given: 'acm', known: ['other', 'acme'], want: '; nearest: acme' },
  { name: 'another case', given: 'ACME', known: ['other', 'acme'], want: '; nearest: acme' },
  { name: 'half of the letters wrong', given: 'LK21', known: ['BR77', 'LK99'], want: '; nearest: LK99' },
  { name: 'more than half', given: 'LK21', known: ['BR77', 'KP99'], want: '' },
  { name: 'nothing known', given: 'acme', known: [], want: '; there is none yet' },
])('names the nearest: $name', ({ given, known, want }) => expect(nearestOf(given, known)).toBe(want));
