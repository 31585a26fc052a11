import { describe, expect, test } from 'vitest';
import { Unavailable } from './oauth/unavailable.ts';
import { createFaultFilter, createLogDestination, type Gap } from './open-log.ts';
import { StoreUnavailable } from './store/store.ts';

/** The target of a log: accepts `room` bytes, then fails. */
function createTarget(room = 0) {
  const target = {
    room,
    written: '',
    gaps: [] as Gap[],
    code: 'ENOSPC',
    write: (bytes: Buffer): number => {
      const taken = Math.min(bytes.length, target.room);
      if (taken === 0) throw Object.assign(new Error(target.code), { code: target.code });
      target.room -= taken;
      target.written += bytes.toString('utf8', 0, taken);
      return taken;
    },
  };
  const destination = createLogDestination(
    (bytes) => target.write(bytes),
    (gap) => {
      target.gaps.push(gap);
      destination.write(`lost ${gap.lines}\n`);
    },
    () => new Date(1000),
  );
  return { target, destination };
}

const kilobyte = `${'a'.repeat(1023)}\n`;

describe('createLogDestination', () => {
  test('has written a line when `write` returns', () => {
    const { target, destination } = createTarget(100);
    destination.write('one\n');
    expect(target.written).toBe('one\n');
    destination.write('two\n');
    expect(target.written).toBe('one\ntwo\n');
  });

  test('continues a partly written line, and keeps the order', () => {
    const { target, destination } = createTarget(6);
    for (const line of ['one\n', 'two\n', 'three\n']) destination.write(line);
    expect(target.written).toBe('one\ntw');
    target.room = 100;
    destination.flush();
    expect(target.written).toBe('one\ntwo\nthree\n');
    expect(target.gaps).toEqual([]);
  });

  test('tries again by itself', async () => {
    const { target, destination } = createTarget();
    destination.write('one\n');
    target.room = 100;
    await expect.poll(() => target.written, { timeout: 10_000 }).toBe('one\n');
  });

  test('queues a mebibyte, counts further lines, and reports them once, at their place', () => {
    const { target, destination } = createTarget();
    for (let line = 0; line < 1030; line++) destination.write(kilobyte);
    target.room = 512 * 1024;
    destination.flush();
    // There is room again, but a line now would be before the missing ones.
    destination.write('early\n');
    target.room = Number.POSITIVE_INFINITY;
    destination.flush();
    destination.write('late\n');
    expect(target.gaps).toEqual([{ lines: 7, since: new Date(1000), reason: 'ENOSPC' }]);
    expect(target.written).toBe(`${kilobyte.repeat(1024)}lost 7\nlate\n`);
  });

  test('reports the last error of a write', () => {
    const { target, destination } = createTarget();
    target.code = 'EAGAIN';
    for (let line = 0; line < 1025; line++) destination.write(kilobyte);
    target.room = Number.POSITIVE_INFINITY;
    destination.flush();
    expect(target.gaps).toMatchObject([{ lines: 1, reason: 'EAGAIN' }]);
  });

  test('writes a line that is longer than the queue', () => {
    const { target, destination } = createTarget(Number.POSITIVE_INFINITY);
    const line = `${'a'.repeat(2_000_000)}\n`;
    destination.write(line);
    expect(target.written).toBe(line);
  });

  test('writes waiting lines and the gap at its end', async () => {
    const { target, destination } = createTarget();
    for (let line = 0; line < 1025; line++) destination.write(kilobyte);
    target.room = Number.POSITIVE_INFINITY;
    await destination.end();
    expect(target.written.slice(-7)).toBe('lost 1\n');
  });

  test('closes even if nothing can be written', async () => {
    const { target, destination } = createTarget();
    destination.write('one\n');
    await destination.end();
    expect(target.written).toBe('');
  });
});

test('a fault of the store is logged once a minute for each text and reason, also as the cause of another error', () => {
  let now = 0;
  const mayLog = createFaultFilter(() => now);
  const busy = new StoreUnavailable('locked');
  const away = new StoreUnavailable('no connection', { reason: 'unreachable' });
  const log = (err: Error, text = 'not ready') => mayLog({ requestId: 'r', err }, text);
  expect([log(busy), log(busy), log(new Unavailable(busy))]).toEqual([true, false, false]);
  expect([log(away), log(busy, 'a job could not be run'), log(away)]).toEqual([true, true, false]);
  now = 59_999;
  expect(log(busy)).toBe(false);
  now = 60_000;
  expect([log(busy), log(away), log(away)]).toEqual([true, true, false]);
});

test('every other line is logged', () => {
  const mayLog = createFaultFilter();
  for (let times = 0; times < 3; times += 1)
    expect([
      mayLog({ err: new Error('bug') }, 'internal error'),
      mayLog({ ms: 1 }, 'request'),
      mayLog('ready'),
    ]).toEqual([true, true, true]);
});
