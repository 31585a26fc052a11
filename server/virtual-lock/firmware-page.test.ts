import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Fixture, newLock, openLock } from './fixtures/open-lock.ts';

// If these fail, docs/algopin.md describes a different lock to developers of firmware.

const page = readFileSync(new URL('../../docs/algopin.md', import.meta.url), 'utf8');
const start = { at: '2026-06-01T10:00:00Z' };

/** Actions on 1 June at 10:00 with a code that begins then. */
const codes: readonly { readonly name: string; readonly prepare: (fixture: Fixture) => string }[] = [
  {
    name: 'hourly for 48 hours, in use',
    prepare: ({ lock, pin }) => {
      const code = pin('hourly', start.at, { duration: 48 });
      lock.enter(code);
      return code;
    },
  },
  { name: 'hourly for 48 hours, never used', prepare: ({ pin }) => pin('hourly', start.at, { duration: 48 }) },
  { name: 'permanent, never used', prepare: ({ pin }) => pin('permanent', start.at) },
  {
    name: 'one-time, spent',
    prepare: ({ lock, pin }) => {
      const code = pin('onetime', start.at);
      lock.enter(code);
      return code;
    },
  },
  {
    name: 'permanent, ended by a person',
    prepare: ({ lock, pin }) => {
      const code = pin('permanent', start.at);
      lock.forget(code);
      return code;
    },
  },
  {
    name: 'one-time, spent, and its place was needed since',
    prepare: ({ lock, pin, clock }) => {
      const code = pin('onetime', start.at);
      lock.enter(code);
      clock.pass({ days: 9 });
      for (const startsAt of ['2026-06-10T10:00:00Z', '2026-06-10T09:00:00Z']) lock.enter(pin('permanent', startsAt));
      return code;
    },
  },
];

describe('the page states the effect of a clock that goes back:', () => {
  test.each(codes)('$name', ({ name, prepare }) => {
    const fixture = openLock({ at: start.at, capabilities: { ...newLock, codeCapacity: 2 } });
    const code = prepare(fixture);
    const verdict = () => {
      const entry = fixture.lock.enter(code);
      return entry.opened ? 'accepted' : entry.reason;
    };
    fixture.clock.set('2026-06-11T11:00:00Z');
    const before = verdict();
    fixture.clock.set('2026-06-01T11:00:00Z');
    expect(page).toContain(`| ${name} | \`${before}\` | \`${verdict()}\` |`);
  });

  test('has no other rows', () => {
    const lines = page.split('\n');
    const first = lines.findIndex((line) => line.startsWith('| a code of 1 June')) + 2;
    const rows = lines.slice(first, lines.indexOf('', first)).map((line) => line.split(' | ')[0]?.slice(2));
    expect(rows).toEqual(codes.map(({ name }) => name));
  });
});
