import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWindowCounter, type OpenCounter, type WindowCounter } from '../limits/window-counter.ts';
import { StoreUnavailable } from '../store/store.ts';
import { createGuessLimits, type Guess, guessLimits } from './limit-guesses.ts';

const start = Date.UTC(2026, 11, 1, 12);
const wrong = async () => ({ kind: 'wrong' }) as const;
const right = async () => ({ kind: 'right' }) as const;
const at = (address: string, email = 'ann@harbour.example', more: Partial<Guess> = {}): Guess => ({
  email,
  address,
  isWaited: () => true,
  ...more,
});
const guessed = (index: number) => `guess-${index}@harbour.example`;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }));
afterEach(() => void vi.useRealTimers());

/** Pauses take no time here, and are recorded. */
function begin() {
  const pauses: number[] = [];
  const attempt = createGuessLimits({ pause: async (ms) => void pauses.push(ms) });
  return { attempt, pauses };
}

/** Pauses that last until the test releases them, so that attempts stay in line. */
function beginHeld() {
  const held: (() => void)[] = [];
  const attempt = createGuessLimits({ pause: () => new Promise<void>((resolve) => held.push(resolve)) });
  return { attempt, letOneOn: () => held.shift()?.() };
}

const { together, email, address, pause, line } = guessLimits;
const throttled = { kind: 'throttled', waitSeconds: expect.any(Number) };

describe('one e-mail from one address', () => {
  test('may fail ten times, then nothing is judged until the first failure is ten minutes old', async () => {
    const { attempt } = begin();
    for (let failure = 0; failure < together.failures; failure += 1) {
      expect(await attempt(at('192.0.2.1'), wrong)).toEqual({ kind: 'wrong' });
      vi.setSystemTime(start + (failure + 1) * 20_000);
    }
    const looked = vi.fn(right);
    expect(await attempt(at('192.0.2.1'), looked)).toEqual({ kind: 'throttled', waitSeconds: 400 });
    expect(looked).not.toHaveBeenCalled();
    vi.setSystemTime(start + together.windowMs);
    expect(await attempt(at('192.0.2.1'), looked)).toEqual({ kind: 'right' });
  });

  test('is judged one at a time, so that a hundred at once are no more than one after another', async () => {
    const { attempt } = begin();
    let underWay = 0;
    const judge = vi.fn(async () => {
      underWay += 1;
      expect(underWay).toBe(1);
      await Promise.resolve();
      underWay -= 1;
      return { kind: 'wrong' } as const;
    });
    const sent = 100;
    const answers = await Promise.all(Array.from({ length: sent }, () => attempt(at('192.0.2.1'), judge)));
    expect(judge).toHaveBeenCalledTimes(together.failures);
    expect(answers.filter(({ kind }) => kind === 'throttled')).toHaveLength(sent - together.failures);
  });

  test('locks neither another owner at that address out, nor that owner elsewhere or in a known browser', async () => {
    const { attempt } = begin();
    for (let failure = 0; failure < together.failures; failure += 1) await attempt(at('192.0.2.1'), wrong);
    expect(await attempt(at('192.0.2.1'), right)).toEqual(throttled);
    expect(await attempt(at('192.0.2.1', 'bob@harbour.example'), right)).toEqual({ kind: 'right' });
    expect(await attempt(at('192.0.2.2'), right)).toEqual({ kind: 'right' });
    expect(await attempt(at('192.0.2.1', undefined, { knownBrowser: 'b' }), right)).toEqual({ kind: 'right' });
  });

  test('counts failures alone, and goes on after a judge that failed', async () => {
    const { attempt, pauses } = begin();
    for (let login = 0; login <= address.failures; login += 1)
      expect(await attempt(at('192.0.2.1'), right)).toEqual({ kind: 'right' });
    expect(pauses).toEqual([]);
    await expect(attempt(at('192.0.2.1'), () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
    expect(await attempt(at('192.0.2.1'), right)).toEqual({ kind: 'right' });
  });

  test('from a known browser may fail ten times too', async () => {
    const { attempt } = begin();
    const known = at('192.0.2.1', undefined, { knownBrowser: 'b' });
    for (let failure = 0; failure < together.failures; failure += 1) await attempt(known, wrong);
    expect(await attempt(known, right)).toEqual(throttled);
  });
});

/** An e-mail, or an address, with so many failures that the pauses are longest. */
const lanes = [
  {
    name: 'an owner with guesses from many addresses',
    fill: (index: number) => at(`192.0.2.${index}`),
    limit: email.failures,
    owner: at('198.51.100.7'),
    attacker: (index: number) => at(`203.0.113.${index}`),
    others: at('203.0.113.1', 'bob@harbour.example'),
  },
  {
    name: 'an owner who shares an address with a guesser',
    fill: (index: number) => at('192.0.2.1', guessed(index)),
    limit: address.failures,
    owner: at('192.0.2.1'),
    attacker: (index: number) => at('192.0.2.1', guessed(1000 + index)),
    others: at('192.0.2.2', 'bob@harbour.example'),
  },
] as const;

describe.each(lanes)('$name', ({ fill, limit, owner, attacker, others }) => {
  const failures = limit + pause.longestMs / pause.stepMs;

  test('logs in, after pauses that grow up to a bound; nobody else waits', async () => {
    const { attempt, pauses } = begin();
    for (let index = 0; index < failures + 50; index += 1) await attempt(fill(index), wrong);
    expect(pauses.slice(0, 3)).toEqual([pause.stepMs, 2 * pause.stepMs, 3 * pause.stepMs]);
    expect(Math.max(...pauses)).toBe(pause.longestMs);
    const before = pauses.length;
    expect(await attempt(others, right)).toEqual({ kind: 'right' });
    expect(pauses).toHaveLength(before);
    expect(await attempt(owner, right)).toEqual({ kind: 'right' });
    expect(pauses.slice(before)).toEqual([pause.longestMs]);
  });

  test('has a place in the line, however many attempts another sends', async () => {
    const { attempt, letOneOn } = beginHeld();
    for (let index = 0; index <= limit; index += 1) await attempt(fill(index), wrong);
    // A flood from one attacker: all but the first are sent away, as its place is taken.
    const flood = Array.from({ length: 50 }, () => attempt(attacker(1), wrong));
    const inLine = attempt(owner, right);
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise(setImmediate);
      letOneOn();
    }
    expect(await inLine).toEqual({ kind: 'right' });
    const answers = await Promise.all(flood);
    expect(answers.filter(({ kind }) => kind === 'wrong').length).toBeLessThanOrEqual(1);
  });

  test('logs in at once in a known browser, while the line is full', async () => {
    const { attempt } = beginHeld();
    for (let index = 0; index <= limit; index += 1) await attempt(fill(index), wrong);
    let away = 0;
    for (let index = 0; index < line.places + 7; index += 1)
      void attempt(attacker(index), wrong).then(() => {
        away += 1;
      });
    await new Promise(setImmediate);
    expect(away).toBe(7);
    expect(await attempt({ ...owner, knownBrowser: 'b' }, right)).toEqual({ kind: 'right' });
  });

  test('does not wait for attempts whose caller has left', async () => {
    const { attempt, pauses } = begin();
    for (let index = 0; index < failures; index += 1) await attempt(fill(index), wrong);
    const before = pauses.length;
    const judge = vi.fn(wrong);
    for (let index = 0; index < 20; index += 1) await attempt({ ...attacker(index), isWaited: () => false }, judge);
    expect(judge).not.toHaveBeenCalled();
    expect(pauses).toHaveLength(before);
  });
});

describe('counts that several processes share', () => {
  /** Answers later, as a database does, or not at all. */
  function share(fault?: { isDown: boolean }): OpenCounter {
    const counters = new Map<string, WindowCounter>();
    return (name, options) => {
      const counter = counters.get(name) ?? createWindowCounter(options);
      counters.set(name, counter);
      const later = async <Answer>(use: () => Answer) => {
        await new Promise(setImmediate);
        if (fault?.isDown) throw new StoreUnavailable('busy');
        return use();
      };
      return {
        take: (key, now) => later(() => counter.take(key, now)),
        giveBack: (key, at) => later(() => counter.giveBack(key, at)),
        look: (key, now) => later(() => counter.look(key, now)),
      };
    };
  }

  test('apply to all of them', async () => {
    const openCounter = share();
    const processes = [1, 2].map(() => createGuessLimits({ openCounter }));
    const kinds: string[] = [];
    for (let sent = 0; sent < together.failures + 2; sent += 1)
      kinds.push((await processes[sent % 2]?.(at('192.0.2.1'), wrong))?.kind ?? '');
    expect(kinds).toEqual([...new Array(together.failures).fill('wrong'), 'throttled', 'throttled']);
  });

  test('let no attempt pass while they cannot be read, and keep none in line', async () => {
    const fault = { isDown: false };
    const held: (() => void)[] = [];
    const pause = () => new Promise<void>((resolve) => held.push(resolve));
    const attempt = createGuessLimits({ openCounter: share(fault), pause });
    for (let index = 0; index <= email.failures; index += 1) await attempt(at(`192.0.2.${index}`), wrong);
    const judge = vi.fn(right);
    const inLine = [attempt(at('203.0.113.1'), judge), attempt(at('203.0.113.2'), judge)];
    const refused = Promise.all(inLine.map((one) => expect(one).rejects.toMatchObject({ statusCode: 503 })));
    await vi.waitFor(() => expect(held).toHaveLength(1));
    fault.isDown = true;
    held[0]?.();
    await vi.waitFor(() => expect(held).toHaveLength(2));
    held[1]?.();
    await refused;
    expect(judge).not.toHaveBeenCalled();
  });
});

test('the longest time in all three lines is below the 60 s after which connections are closed', () => {
  expect(3 * line.longestMs).toBeLessThan(60_000);
});
