import { describe, expect, test } from 'vitest';
import { newLock, openLock } from '../fixtures/open-lock.ts';
import { readItems } from '../fixtures/read-items.ts';
import type { JobType } from './job.ts';

// 12:00 in Berlin, 10:00 UTC, unless a test moves the clock.
const permanentPin = { accessName: 'Cleaner', pin: '4711', pinType: 2 };
const week = { startDate: '2026-06-02T10:00:00Z', endDate: '2026-06-09T10:00:00+02:00' };

describe('a job', () => {
  test.each([
    { jobType: 'UNLOCK', output: { lockState: 'unlocked' }, logs: [208] },
    { jobType: 'LOCK', output: { lockState: 'locked' }, logs: [209] },
    {
      jobType: 'CREATE_PIN',
      jobData: permanentPin,
      output: { accessId: expect.stringMatching(/^[0-9a-f]{24}$/) },
      logs: [203],
    },
    { jobType: 'GET_BATTERY_LEVEL', output: { batteryLevel: 87 }, logs: [] },
    {
      jobType: 'GET_DEVICE_STATUS',
      output: { lockState: 'locked', deviceTime: '2026-06-01T12:00:00+02:00', firmware: '4.2.0', batteryLevel: 87 },
      logs: [],
    },
    { jobType: 'GET_ACTIVITY_LOGS', output: {}, logs: [] },
  ] as const)('$jobType answers with $output', ({ jobType, output, logs, ...rest }) => {
    const { run } = openLock({ batteryLevel: 87 });
    const answer = run(jobType, 'jobData' in rest ? rest.jobData : {});
    expect(answer).toMatchObject({ result: 0, output });
    expect(Object.keys(answer.output)).toEqual(Object.keys(output));
    expect(readItems(answer.items).map(({ logType }) => logType)).toEqual(logs);
  });

  test.each([
    { jobType: 'LOCK', jobData: {}, want: 2 },
    { jobType: 'UNLOCK', jobData: {}, want: 2 },
    { jobType: 'CREATE_PIN', jobData: permanentPin, want: 0 },
    { jobType: 'GET_DEVICE_STATUS', jobData: {}, want: 0 },
  ] as const)('$jobType on a keypad results in $want', ({ jobType, jobData, want }) => {
    expect(openLock({ capabilities: { ...newLock, type: 'Keypad' } }).run(jobType, jobData).result).toBe(want);
  });

  test('with a simulated fault has its result and changes nothing', () => {
    const { lock, run } = openLock({ capabilities: { ...newLock, faults: { LOCK: 6 } } });
    expect(run('UNLOCK').result).toBe(0);
    expect(run('LOCK')).toEqual({ result: 6, output: {}, items: [] });
    expect(lock.state().lockState).toBe('unlocked');
  });

  test('LOCK stops a passage', () => {
    const { lock, clock, run, pin } = openLock();
    lock.enter(pin('passage', '2026-06-01T10:00:00Z', { duration: 5 }));
    const { items } = run('LOCK');
    expect(lock.state()).toMatchObject({ lockState: 'locked', passageUntil: null });
    expect(readItems(items).map(({ logType }) => logType)).toEqual([201, 209]);
    clock.pass({ hours: 13 });
    expect(readItems(lock.readLog()).map(({ logType }) => logType)).toEqual([200, 201, 209]);
  });

  test.each(['REBOOT', 'toString', ''])(
    'of a type that the lock does not know, %j, is refused and changes nothing',
    (jobType) => {
      const { lock, run } = openLock();
      const before = { state: lock.state(), log: lock.readLog() };
      expect(run(jobType as JobType)).toEqual({ result: 2, output: {}, items: [] });
      expect({ state: lock.state(), log: lock.readLog() }).toEqual(before);
    },
  );

  test('UNLOCK lasts 30 seconds', () => {
    const { lock, clock, run } = openLock();
    run('UNLOCK');
    clock.pass({ seconds: 30 });
    expect(lock.state().lockState).toBe('locked');
  });
});

describe('CREATE_PIN', () => {
  test.each([
    { name: 'four digits', data: permanentPin, want: 0 },
    { name: 'six digits', data: { ...permanentPin, pin: '000000' }, want: 0 },
    { name: 'three digits', data: { ...permanentPin, pin: '471' }, want: 2 },
    { name: 'seven digits', data: { ...permanentPin, pin: '4711000' }, want: 2 },
    { name: 'a number for digits', data: { ...permanentPin, pin: 4711 }, want: 2 },
    { name: 'no name', data: { pin: '4711', pinType: 2 }, want: 2 },
    { name: 'type 3', data: { ...permanentPin, pinType: 3 }, want: 2 },
    { name: 'type 1 with an end', data: { ...permanentPin, pinType: 1, ...week }, want: 2 },
    { name: 'type 4', data: { ...permanentPin, pinType: 4, ...week }, want: 0 },
    { name: 'type 4 without an end', data: { ...permanentPin, pinType: 4 }, want: 2 },
    {
      name: 'an end before its start',
      data: { ...permanentPin, pinType: 4, ...week, startDate: '2026-07-01T00:00:00Z' },
      want: 2,
    },
    { name: 'an invalid date', data: { ...permanentPin, startDate: 'tomorrow' }, want: 2 },
    {
      name: 'an end that this clock has passed',
      data: { ...permanentPin, pinType: 4, startDate: '2026-05-01T00:00:00Z', endDate: '2026-06-01T10:00:00Z' },
      want: 7,
    },
    { name: 'no data', data: undefined, want: 2 },
    { name: 'text for data', data: 'pin', want: 2 },
  ])('of $name results in $want', ({ data, want }) => {
    const { lock, run } = openLock();
    expect(run('CREATE_PIN', data).result).toBe(want);
    expect(lock.state().customPins).toBe(want === 0 ? 1 : 0);
  });

  test.each([
    {
      pinType: 1,
      data: {},
      entries: [
        { at: '2026-06-01T10:00:00Z', opens: true },
        { at: '2026-06-01T10:00:01Z', opens: false },
      ],
    },
    {
      pinType: 1,
      data: { startDate: '2026-06-02T10:00:00Z' },
      entries: [
        { at: '2026-06-02T09:59:59.999Z', opens: false },
        { at: '2026-06-02T10:00:00Z', opens: true },
        { at: '2026-06-02T10:00:00Z', opens: false },
      ],
    },
    {
      pinType: 2,
      data: {},
      entries: [
        { at: '2026-06-01T10:00:00Z', opens: true },
        { at: '2036-06-01T10:00:00Z', opens: true },
      ],
    },
    {
      pinType: 4,
      data: week,
      entries: [
        { at: '2026-06-02T09:59:59.999Z', opens: false },
        { at: '2026-06-02T10:00:00Z', opens: true },
        { at: '2026-06-09T07:59:59.999Z', opens: true },
        { at: '2026-06-09T08:00:00Z', opens: false },
        { at: '2026-06-08T08:00:00Z', opens: false }, // turned back: a dropped PIN stays dropped
      ],
    },
  ])('of type $pinType with $data opens by the rules of its type', ({ pinType, data, entries }) => {
    const { lock, clock, run } = openLock();
    run('CREATE_PIN', { ...permanentPin, pinType, ...data });
    for (const { at, opens } of entries) {
      clock.set(at);
      expect(lock.enter('4711').opened, at).toBe(opens);
    }
  });

  test('answers 3 to digits that are stored already, until their PIN has ended', () => {
    const { clock, run } = openLock();
    expect(run('CREATE_PIN', { ...permanentPin, pinType: 4, ...week }).result).toBe(0);
    expect(run('CREATE_PIN', permanentPin).result).toBe(3);
    clock.set('2026-06-09T08:00:00Z');
    expect(run('CREATE_PIN', permanentPin).result).toBe(0);
  });

  test('stores 199 and answers 5 to the next, but 3 to digits that are stored already', () => {
    const { lock, run } = openLock();
    const store = (index: number) => run('CREATE_PIN', { ...permanentPin, pin: String(1000 + index) }).result;
    expect(new Set(Array.from({ length: 199 }, (_, index) => store(index)))).toEqual(new Set([0]));
    expect(store(199)).toBe(5);
    expect(store(0)).toBe(3);
    expect(lock.state().customPins).toBe(199);
    expect(run('DELETE_PIN', { pin: '1000' }).result).toBe(0);
    expect(store(199)).toBe(0);
  });
});

describe('DELETE_PIN', () => {
  test('accepts digits or accessId, and finds neither twice', () => {
    const { lock, run } = openLock();
    const { output } = run('CREATE_PIN', permanentPin);
    run('CREATE_PIN', { ...permanentPin, accessName: 'Gardener', pin: '4712' });
    expect(run('DELETE_PIN', { accessId: output.accessId }).result).toBe(0);
    expect(run('DELETE_PIN', { accessId: output.accessId }).result).toBe(4);
    expect(lock.enter('4711').opened).toBe(false);
    expect(run('DELETE_PIN', { pin: '4712' }).result).toBe(0);
    expect(run('DELETE_PIN', { pin: '4712' }).result).toBe(4);
    expect(run('DELETE_PIN', {}).result).toBe(2);
  });

  test('never cancels a code of nine digits', () => {
    const { lock, run, pin } = openLock();
    const permanent = pin('permanent', '2026-06-01T10:00:00Z');
    lock.enter(permanent);
    expect(run('DELETE_PIN', { pin: permanent }).result).toBe(4);
    expect(lock.enter(permanent).opened).toBe(true);
  });
});

describe('a job that is delivered twice', () => {
  const jobs: readonly { jobType: JobType; jobData: unknown }[] = [
    { jobType: 'UNLOCK', jobData: {} },
    { jobType: 'CREATE_PIN', jobData: permanentPin },
    { jobType: 'DELETE_PIN', jobData: { pin: '1234' } },
    { jobType: 'GET_BATTERY_LEVEL', jobData: {} },
    { jobType: 'GET_DEVICE_STATUS', jobData: {} },
    { jobType: 'GET_ACTIVITY_LOGS', jobData: { lockTime: '2026-06-01T10:00:00Z' } },
  ];

  test.each(jobs)('$jobType: gives the first answer and leaves no second trace', ({ jobType, jobData }) => {
    const { lock, clock, run, restart } = openLock();
    const first = run(jobType, jobData, 'once');
    lock.setBatteryLevel(5);
    clock.pass({ minutes: 1 });
    const before = lock.readLog();
    expect(run(jobType, jobData, 'once')).toEqual(first);
    const again = restart();
    expect(again.run(jobType, jobData, 'once')).toEqual(first);
    expect(again.lock.readLog()).toEqual(before);
  });
});

describe('GET_ACTIVITY_LOGS', () => {
  test('returns entries from a time on, that time included, under stable ids', () => {
    const { lock, clock, run } = openLock();
    lock.enter('0000');
    clock.pass({ hours: 1 });
    lock.enter('0001');
    const { items } = run('GET_ACTIVITY_LOGS', { lockTime: '2026-06-01T11:00:00Z' });
    expect(items).toEqual(lock.readLog().slice(1));
    expect(run('GET_ACTIVITY_LOGS').items).toEqual(lock.readLog());
    expect(run('GET_ACTIVITY_LOGS', { lockTime: 'yesterday' }).result).toBe(2);
  });
});
