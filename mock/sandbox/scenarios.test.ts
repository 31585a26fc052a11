import { describe, expect, test } from 'vitest';
import { drawScenario, readScenario } from './scenarios.ts';

const startAt = Date.parse('2026-06-01T12:00:00Z');
const demo = readScenario({ name: 'demo' });
const draw = (at: number | undefined, system = 0) =>
  drawScenario(demo, at, { now: () => startAt + system }).then((image) => Buffer.from(image));

describe('what a scenario begins with', () => {
  test('is seeded for the time that is given, whatever was drawn just before', async () => {
    const [at, later] = [await draw(startAt), await draw(startAt + 30_000)];
    expect(later.equals(at)).toBe(false);
    expect(await draw(startAt)).toEqual(at);
  });

  test('is drawn once for each time, and anew once many others were', async () => {
    const first = await drawScenario(demo, startAt);
    expect(await drawScenario(demo, startAt)).toBe(first);
    for (let count = 1; count <= 8; count += 1) await drawScenario(demo, startAt + count);
    expect(await drawScenario(demo, startAt + 8)).not.toBe(first);
    expect(await drawScenario(demo, startAt)).not.toBe(first);
  });

  test('is that of a minute ago where none is given', async () => {
    const [at, soon, late] = [await draw(undefined), await draw(undefined, 59_999), await draw(undefined, 60_000)];
    expect(soon).toEqual(at);
    expect(late.equals(at)).toBe(false);
  });
});

test('a list without a file is no scenario, as in the control', () => {
  expect(() => readScenario({ import: [] })).toThrow('# must have at least one file');
});
