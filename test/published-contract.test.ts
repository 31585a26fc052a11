import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import published from '@lockstep/contract/published.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { readValueRules } from '../runtime/form/by-value.ts';
import { checkByValue } from '../runtime/form/check-by-value.ts';
import { createSchemaCompiler } from '../runtime/form/compile-schema.ts';

// If these fail, a tool that reads the published contract takes a request that the service refuses, or the other way round.

const [pointer] = Object.values(operations.createBridgeProxiedJob.requestBody.content);
const ajv = new Ajv2020({ strict: false, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(published, 'published');
const isPublished = ajv.compile({ $ref: `published${pointer}` });

const compile = createSchemaCompiler(contract);
const rules = readValueRules(operations.createBridgeProxiedJob);
const isServed = (body: unknown) =>
  compile({ $ref: pointer })(body) === undefined && checkByValue(compile, rules, body) === undefined;

const data = {
  none: {},
  pin: { accessName: 'Cleaner', pin: '123456', pinType: 1 },
  id: { accessId: '6920f3a2b1c4d5e6f7a8b9e0' },
  since: { lockTime: '2026-11-20T00:00:00+01:00' },
};
const jobTypes = rules.flatMap(({ cases }) => cases.flatMap(({ values }) => values));

describe.each([...jobTypes, 2, 4, 'OPEN'])('jobType %j', (jobType) => {
  test.each(Object.entries(data))('is published with the data it is served with: %s', (_, jobData) => {
    const body = { jobType, jobData };
    expect(isPublished(body)).toBe(isServed(body));
  });

  test('is published without data where it is served without', () => {
    expect(isPublished({ jobType })).toBe(isServed({ jobType }));
  });
});

test('both say yes and no', () => {
  expect(isServed({ jobType: 'CREATE_PIN', jobData: data.pin })).toBe(true);
  expect(isServed({ jobType: 'UNLOCK', jobData: data.pin })).toBe(false);
});

test('every example of a body fits one branch', () => {
  const operation = published.paths['/devices/{deviceId}/jobs/bridges/{bridgeId}'].post;
  const { examples } = operation.requestBody.content['application/json'];
  for (const [name, { value }] of Object.entries(examples)) expect([name, isPublished(value)]).toEqual([name, true]);
});

// A partner looks here for the day of a change.
test('its changelog begins with its version, and has a day for each change, newest first', async () => {
  const text = await readFile(join(import.meta.dirname, '..', 'docs/api-changelog.md'), 'utf8');
  const [, ...versions] = text.split(/^## /m);
  expect(versions[0]?.split('\n')[0]).toBe(published.info.version);
  const days = versions.flatMap((version) => [...version.matchAll(/^### (.+)$/gm)].map(([, day = '']) => day));
  const times = days.map((day) => Date.parse(`${day} UTC`));
  expect(times).not.toContain(Number.NaN);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  for (const version of versions) expect(version.split(/^### /m)[0]).not.toMatch(/^- /m);
});
