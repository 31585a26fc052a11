import { describe, expect, test } from 'vitest';
import { contextOf, contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { jobRegress, jobStuck, pollRole } from './jobs.ts';
import { machineOf } from './states.ts';
import { storyIn } from './story.ts';

const states = ['queued', 'running', 'paused', 'done', 'failed'];
const next = { queued: ['running', 'failed'], running: ['paused', 'done', 'failed'], paused: ['running'] };
const start = Date.parse('2026-04-01T09:30:00Z');

/** The contract of a job, with or without its state machine. */
const contractWith = (declared?: object) => {
  const properties = { status: { type: 'string', enum: states }, sum: { type: 'integer' }, note: { type: 'string' } };
  const schema = { type: 'object', properties: { ...properties, link: { type: 'string' } } };
  const read = {
    operationId: 'read',
    responses: { 200: { description: '', content: { 'application/json': { schema } } } },
  };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  return contractOf({ '/jobs/{id}': { parameters: [id], get: { ...read, ...(declared && { 'x-state': declared }) } } });
};

const plain = { field: '/status', next };
const flagged = { ...plain, done: '/over' };
const timed = { ...plain, deadline: '/due' };

/** Reads of one job, ten seconds apart by the clock of the server. */
const storyOf = (contract: ReturnType<typeof contractWith>, bodies: readonly object[]) =>
  storyIn(
    bodies.map((body, index) =>
      exchangeOf(contract, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', date: new Date(start + index * 10_000).toUTCString() },
        intent: { probe: { checks: [], name: '', operation: '', role: pollRole } },
      }),
    ),
    0,
  );

describe('job-regress', () => {
  const of = (...values: readonly string[]) => values.map((status) => ({ status }));
  const ended = (...rest: readonly object[]) => rest.map((one) => ({ status: 'done', ...one }));
  test.each([
    ['every declared move', plain, of('queued', 'running', 'paused', 'running', 'done', 'done'), []],
    ['states that were never seen', plain, of('queued', 'done', 'done'), []],
    ['a declared way back over a state that was not seen', plain, of('paused', 'done'), []],
    ['an undeclared way back', plain, of('running', 'queued'), [['defect', 'next']]],
    ['a way back that is over in the next read', plain, of('running', 'queued', 'running'), [['suspect', 'next']]],
    ['a way back that lasts', plain, of('running', 'queued', 'queued', 'running'), [['defect', 'next']]],
    ['another end', plain, of('done', 'failed'), [['defect', 'next']]],
    ['a state that the machine does not list', plain, of('running', 'odd', 'queued', 'running'), []],
    ['one read', plain, of('done'), undefined],
    [
      'an end that is taken back',
      flagged,
      [
        { status: 'running', over: 1 },
        { status: 'running', over: null },
      ],
      [['defect', 'done']],
    ],
    ['a result after the end', plain, ended({}, { sum: 3 }, { sum: 3 }), [['suspect', 'end']]],
    ['a value that varies after the end', plain, ended({ sum: 1 }, { sum: 2 }, { sum: 3 }), []],
    [
      'a time and an address after the end',
      plain,
      ended(
        { note: '2026-04-01T09:30:00Z', link: 'https://a/?s=1' },
        { note: '2026-04-01T09:31:00Z', link: 'https://a/?s=2' },
        { note: '2026-04-01T09:31:00Z', link: 'https://a/?s=2' },
      ),
      [],
    ],
    ['only an enum, and a way back from an end', undefined, of('done', 'running'), [['suspect', 'next']]],
    ['only an enum, and a way back before the end', undefined, of('running', 'queued', 'paused'), []],
  ] as const)('%s', (_, declared, bodies, expected) => {
    const contract = contractWith(declared);
    const found = jobRegress.find(storyOf(contract, bodies), contextOf(contract));
    expect(found?.map(({ failure: { severity, keyword } }) => [severity, keyword])).toEqual(expected);
  });
});

describe('job-stuck', () => {
  const due = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
  const open = (seconds: number) => ({ status: 'running', due: due(seconds) });
  test.each([
    ['the end before the deadline', timed, [open(15), { status: 'done', due: due(15) }], []],
    ['no end after the deadline', timed, [open(12), open(12), open(12)], [['defect', 'deadline']]],
    ['no end yet, within the grace', timed, [open(6), open(6)], undefined],
    ['a later deadline in each answer', timed, [open(12), open(22), open(32), open(42)], undefined],
    ['a deadline before the first answer', timed, [open(-60), open(-60), open(-60)], undefined],
    ['no deadline in the answers', timed, [{ status: 'running' }, { status: 'running' }], undefined],
    ['no declared deadline', plain, [open(1), open(1), open(1)], undefined],
  ] as const)('%s', (_, declared, bodies, expected) => {
    const contract = contractWith(declared);
    const found = jobStuck.find(storyOf(contract, bodies), contextOf(contract));
    expect(found?.map(({ failure: { severity, keyword } }) => [severity, keyword])).toEqual(expected);
  });
});

test.each([
  ['status', ['queued', 'in_progress', 'completed'], true],
  ['jobState', ['PENDING', 'RUNNING', 'CANCELLED'], true],
  ['status', ['available', 'pending', 'sold'], false],
  ['kind', ['queued', 'running', 'done'], false],
])('%s with the values %s is recognised: %s', (name, values, expected) => {
  const schema = { allOf: [{ properties: { id: {} } }, { properties: { [name]: { enum: values } } }] };
  const responses = { 200: { description: '', content: { 'application/json': { schema } } } };
  const contract = contractOf({ '/jobs': { get: { operationId: 'read', responses } } });
  const [read] = contract.operations;
  expect(read && machineOf(contract, read) !== undefined).toBe(expected);
});

test('an object that goes to and fro for ever is no job', () => {
  const contract = contractWith({ field: '/status', next: { queued: ['running'], running: ['queued'] } });
  const [read] = contract.operations;
  expect(read && machineOf(contract, read)).toBeUndefined();
});
