import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { serve } from '../seeded/serve.ts';

// If these fail, the run opens a door without permission, or more often than it needs to.

const json = (properties: object) => ({
  description: '',
  content: { 'application/json': { schema: { type: 'object', properties } } },
});
const job = { id: { type: 'string' }, state: { type: 'string', enum: ['sent', 'opened', 'failed'] } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

/** A door that jobs open: an action with an effect, a quota, and a link to its job. */
const doors = (effect: string) => ({
  '/door/open': {
    post: {
      ...{ operationId: 'open', 'x-effect': effect, 'x-quota': { limit: 4, window: 'PT1H' } },
      responses: {
        202: { ...json(job), links: { Job: { operationId: 'read', parameters: { id: '$response.body#/id' } } } },
      },
    },
  },
  '/jobs/{id}': {
    get: {
      ...{ operationId: 'read', parameters: [id] },
      'x-state': { field: '/state', next: { sent: ['opened', 'failed'] } },
      responses: { 200: json(job), 404: json({}) },
    },
  },
});

async function run(effect: string, effects: RunOptions['permissions']['effects']) {
  const reads = new Map<string, number>();
  const served = await serve(({ method, path }) => {
    const name = path.split('/')[2] ?? '';
    if (method === 'POST') {
      const own = `j${reads.size + 1}`;
      reads.set(own, 0);
      return { status: 202, body: { id: own, state: 'sent' } };
    }
    const count = reads.get(name);
    if (count === undefined) return { status: 404, body: {} };
    reads.set(name, count + 1);
    return { status: 200, body: { id: name, state: count > 1 ? 'opened' : 'sent' } };
  });
  const credentials = { token: undefined, clientId: undefined, clientSecret: undefined };
  const permissions = { effects, readOnly: false, writes: 'restore' } as const;
  const options = { baseUrl: served.origin, credentials, second: undefined, phases: ['story'] as const, permissions };
  const result = await runConformance(contractOf(doors(effect)), testOptions('library', served.origin, options));
  await served.close();
  const stateOf = (check: string) => result.obligations.find((one) => one.check === check)?.state;
  return { stateOf, opened: reads.size, reads: Math.max(0, ...reads.values()) };
}

describe('a job with an effect', () => {
  test('is not started without permission', async () => {
    const { stateOf, opened } = await run('physical', []);
    expect([opened, stateOf('job-regress')]).toEqual([0, 'not reached']);
  });
  test('is started once more than the baseline, read until its end, and never in a series', async () => {
    const { stateOf, opened, reads } = await run('physical', ['physical']);
    expect([opened, stateOf('job-regress'), stateOf('quota-unenforced')]).toEqual([2, 'met', undefined]);
    expect(reads).toBeGreaterThan(2);
  });
  test('is started in a series if the effect is harmless', async () => {
    const { stateOf, opened } = await run('remote', ['remote']);
    expect(stateOf('quota-unenforced')).toBe('violated');
    expect(opened).toBe(12);
  });
});
