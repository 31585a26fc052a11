import { describe, expect, test } from 'vitest';
import { formats } from './formats.ts';

/** Texts that every reader, some reader or no reader accepts. */
const rows: readonly { format: string; all: readonly string[]; some: readonly string[]; none: readonly string[] }[] = [
  {
    format: 'date-time',
    all: ['2024-02-29T23:59:59.123Z', '2026-01-31T00:00:00+14:00'],
    some: ['2026-01-31t00:00:00z', '2026-01-31 10:00', '2026-01-31T24:00:00Z'],
    none: ['2026-02-29T10:00:00Z', '2026-01-31', ''],
  },
  {
    format: 'date',
    all: ['2024-02-29', '2000-02-29', '2026-12-31', '2026-04-30'],
    some: [],
    none: ['2026-02-29', '2100-02-29', '2026-04-31', '2026-13-01', '2026-01-00', '2026-1-1'],
  },
  { format: 'time', all: ['23:59:59Z', '00:00:00.5-01:30'], some: ['10:00', '24:00:00Z'], none: ['1:00', 'T10:00Z'] },
  { format: 'duration', all: ['P1Y2M3DT4H5M6S', 'PT1S'], some: ['P2W', '-P1D', 'P'], none: ['1D', ''] },
  {
    format: 'uuid',
    all: ['0a1B2c3d-4e5f-6071-8293-a4b5c6d7e8f9'],
    some: ['{0a1b2c3d4e5f60718293a4b5c6d7e8f9}', 'urn:uuid:0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9'],
    none: ['0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f', '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8fg'],
  },
  { format: 'email', all: ['a.b@c-d.example'], some: ['a+b@localhost'], none: ['a@', '@a', 'a'] },
  {
    format: 'uri',
    all: ['https://a.example/b?c#d', 'urn:a:b'],
    some: ['https://a.example/{b}'],
    none: ['/b', 'b c:d'],
  },
  { format: 'uri-reference', all: ['/b?c', '#d', ''], some: ['/{b}'], none: ['/b c', '<b>'] },
  { format: 'hostname', all: ['a', 'a-1.b.example'], some: ['-a', 'a_b'], none: ['a b'] },
  {
    format: 'ipv4',
    all: ['0.0.0.0', '192.0.2.255'],
    some: [],
    none: ['256.0.2.1', '192.0.2.256', '192.0.2', '1.2.3.4.5', '1.2.3.a'],
  },
  { format: 'ipv6', all: ['::', '2001:db8::1'], some: ['2001:db8::g'], none: ['2001', ''] },
];

describe('a format', () => {
  test('has a row for each format with a validator', () => {
    expect(rows.map(({ format }) => format).toSorted()).toEqual(Object.keys(formats).toSorted());
  });

  test.each(rows)(
    '$format takes what every reader takes, and rejects what none does',
    ({ format, all, some, none }) => {
      const judged = (texts: readonly string[]) =>
        texts.map((text) => [text, formats[format]?.strict(text), formats[format]?.lenient(text)]);
      expect(judged(all)).toEqual(all.map((text) => [text, true, true]));
      expect(judged(some)).toEqual(some.map((text) => [text, false, true]));
      expect(judged(none)).toEqual(none.map((text) => [text, false, false]));
    },
  );
});
