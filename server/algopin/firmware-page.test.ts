import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Temporal } from '../temporal.ts';
import { codesPerHour, toIndex } from './codec/code-index.ts';
import { deriveDeviceKey, deriveKeyCheck } from './derive-device-key.ts';
import { encodePin } from './encode-pin.ts';
import { codeKinds, type KindOfCode } from './kinds.ts';
import { encryptFf1 } from './reference/ff1.ts';
import vectors from './vectors.json' with { type: 'json' };

// If these fail, a wrong page misleads developers of firmware.

const page = readFileSync(new URL('../../docs/algopin.md', import.meta.url), 'utf8');

/** The cells of the table whose first heading is `heading`, without their code marks. */
function readTable(heading: string): readonly (readonly string[])[] {
  const lines = page.split('\n');
  const first = lines.findIndex((line) => line.startsWith(`| ${heading} |`)) + 2;
  const rows = lines.slice(first, lines.indexOf('', first));
  return rows.map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.replaceAll('`', '')),
  );
}

describe('the worked example', () => {
  const example = new Map(
    readTable('step')
      .filter((row) => row.length === 2)
      .map(([step, value]) => [step, value ?? '']),
  );
  const value = (step: string) => example.get(step) ?? `no ${step} on the page`;
  const masterKey = Buffer.from(value('master key'), 'hex');
  const [, , , deviceId = '', generation] = value('info').split('/');
  const key = deriveDeviceKey(masterKey, deviceId, Number(generation));
  const code = {
    kind: 'hourly',
    startsAt: Temporal.Instant.from('2026-12-01T15:00+01:00'),
    duration: 3,
    variance: 1,
  } as const;
  const index = toIndex(code);

  test.each([
    { step: 'info', want: () => 'lockstep/algopin/v1/LK0A00000001/1' },
    { step: 'key of the lock', want: () => Buffer.from(key).toString('hex') },
    { step: 'check value', want: () => deriveKeyCheck(key) },
    { step: 'start', want: () => String(code.startsAt) },
    { step: 'hour', want: () => String(Math.floor(index / codesPerHour)) },
    { step: 'place', want: () => String(index % codesPerHour) },
    { step: 'index', want: () => String(index) },
    { step: 'plaintext', want: () => String(index + 100_000_000) },
    { step: 'digits', want: () => encodePin(key, code) },
  ])('has the $step', ({ step, want }) => {
    expect(value(step)).toBe(want());
  });

  test('shows a second encryption after a first digit of 0', () => {
    const [, ...steps] = /`(\d{9})` is encrypted to `(0\d{8})`[^`]*`(\d{9})`/s.exec(page) ?? [];
    const encrypt = (text = '') =>
      encryptFf1({ key, radix: 10, tweak: Uint8Array.of(1) }, [...text].map(Number)).join('');
    expect(steps).toHaveLength(3);
    expect([encrypt(steps[0]), encrypt(steps[1])]).toEqual(steps.slice(1));
  });

  test('is the first of the vectors', () => {
    expect(vectors.codes[0]?.pin).toBe(value('digits'));
    expect(vectors.deviceKeys[0]?.deviceKey).toBe(value('key of the lock'));
    expect(vectors.verdicts[0]?.pin).toBe(value('digits'));
  });
});

test('the layout is that of the code', () => {
  let first = 0;
  const rows = Object.entries(codeKinds).map(([kind, of]: [string, KindOfCode]) => {
    const codes = (of.longest - of.shortest + 1) * of.variances;
    const row = {
      kind,
      durations: of.longest === 0 ? [] : [of.shortest, of.longest],
      variances: of.variances,
      codes,
      first,
    };
    first += codes;
    return row;
  });
  const written = readTable('kind')
    .filter((row) => row.length === 5)
    .map(([kind, duration = '', variance = '', codes, place]) => ({
      kind,
      durations: (duration.match(/\d+/g) ?? []).map(Number),
      variances: Number(variance.match(/\d+$/)?.[0]),
      codes: Number(codes),
      first: Number(place),
    }));
  expect(written).toEqual(rows);
});

test('every table of the vectors is described, with every member of its rows', () => {
  const { about: _, ...tables } = vectors;
  const described = new Map(readTable('table').map(([name, ...cells]) => [name, cells.join(' ')]));
  expect([...described.keys()]).toEqual(Object.keys(tables));
  for (const [name, [row]] of Object.entries(tables)) {
    const members = Object.keys(row ?? {}).filter((member) => member !== 'source');
    expect(
      members.filter((member) => !described.get(name)?.includes(member)),
      name,
    ).toEqual([]);
  }
});

test('the members and actions of the steps of a life are described', () => {
  const described = new Map(readTable('table').map(([name, ...cells]) => [name, cells.join(' ')])).get('lives');
  const steps = vectors.lives.flatMap((life) => life.steps);
  for (const word of new Set([...steps.flatMap(Object.keys), ...steps.map((step) => step.do)]))
    expect(described).toContain(`${word}`);
});

test('every reason for a refusal is explained, and no other', () => {
  const entries = vectors.lives.flatMap(({ steps }) => steps.filter((step) => step.do === 'enter'));
  const reasons = [...vectors.verdicts, ...entries]
    .map(({ verdict }) => verdict)
    .filter((verdict) => verdict !== 'accepted');
  const explained = readTable('check').flatMap(([, reason]) => reason ?? []);
  expect(new Set(explained)).toEqual(new Set(reasons));
});
