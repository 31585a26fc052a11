import { describe, expect, test } from 'vitest';
import { acceptsGzip } from './accepts-gzip.ts';

const table: readonly { given: string | undefined; want: boolean }[] = [
  { given: undefined, want: false },
  { given: '', want: false },
  { given: 'gzip', want: true },
  { given: 'br, GZIP;q=0.5', want: true },
  { given: 'gzip; q=0', want: false },
  { given: 'gzip;q=0, *', want: false },
  { given: '*', want: true },
  { given: '*;q=0', want: false },
  { given: 'identity', want: false },
  { given: 'notgzip', want: false },
];

describe('acceptsGzip', () => {
  for (const { given, want } of table) test(`${given} -> ${want}`, () => expect(acceptsGzip(given)).toBe(want));
});
