import { describe, expect, test } from 'vitest';
import type { Answer } from './exchange.ts';
import { limitInFlight, readBudget, readRate } from './limits.ts';

describe('budgets', () => {
  test.each([
    ['300req', { requests: 300, milliseconds: undefined }],
    ['30s', { requests: undefined, milliseconds: 30_000 }],
    ['2m,10req', { requests: 10, milliseconds: 120_000 }],
  ])('%s', (text, want) => {
    expect(readBudget(text)).toEqual(want);
  });
  test.each(['', '30', 'req', '-1s', '1h'])('%j is rejected', (text) => {
    expect(() => readBudget(text)).toThrow(RangeError);
  });
});

test('rates are per second', () => {
  expect([readRate('5/s'), readRate('300/m')]).toEqual([5, 5]);
  expect(() => readRate('0/s')).toThrow(RangeError);
  expect(() => readRate('fast')).toThrow(RangeError);
});

describe('requests in flight to one origin', () => {
  /** Sends waves of requests, some of which overload the server. @returns the most requests in flight in each wave */
  async function waves(isOverloaded: (wave: number) => boolean, headers: Answer['headers'] = []): Promise<number[]> {
    const inFlight = limitInFlight(8);
    const found: number[] = [];
    for (let wave = 0; wave < 5; wave += 1) {
      let [now, most] = [0, 0];
      const send = async (): Promise<Answer> => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        const status = isOverloaded(wave) ? 503 : 200;
        return { kind: 'answer', status, headers, body: Buffer.alloc(0), durationMs: 1 };
      };
      await Promise.all(Array.from({ length: 8 }, () => inFlight.run('http://a/v1', send)));
      found.push(most);
    }
    return found;
  }

  test('are as many as the workers, and half as many after each overload, down to one', async () => {
    expect(await waves(() => false)).toEqual([8, 8, 8, 8, 8]);
    expect(await waves((wave) => wave === 0)).toEqual([8, 4, 4, 4, 4]);
    expect((await waves(() => true)).at(-1)).toBe(1);
  });

  test('stay as many if the answer has Retry-After', async () => {
    expect(await waves(() => true, [['retry-after', '1']])).toEqual([8, 8, 8, 8, 8]);
  });
});
