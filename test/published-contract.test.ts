import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import published from '@lockstep/contract/published.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { readValueRules } from '../runtime/validation/by-value.ts';
import { checkByValue } from '../runtime/validation/check-by-value.ts';
import { createSchemaCompiler } from '../runtime/validation/compile-schema.ts';
import { exactDocument } from '../toolkit/contract/exact-document.ts';
import type { OpenApiDocument } from '../toolkit/contract/openapi-document.ts';

// If these fail, a tool that reads the published contract takes a request that the service refuses, or can't say one that it takes.

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

const names: readonly unknown[] = jobTypes.filter((jobType) => !/^\d/.test(String(jobType)));

describe.each([...jobTypes, 2, 4, 'OPEN'])('jobType %j', (jobType) => {
  test.each(Object.entries(data))('is published with no data but those it is served with: %s', (_, jobData) => {
    const body = { jobType, jobData };
    expect([isPublished(body), isServed(body)]).not.toEqual([true, false]);
  });

  test('is published without data where it is served without, by its name', () => {
    expect(isPublished({ jobType })).toBe(isServed({ jobType }) && names.includes(jobType));
  });
});

test('each job is published, by its name, with the data that it takes', () => {
  const taken = names.flatMap((jobType) =>
    Object.values(data)
      .filter((jobData) => Object.keys(jobData).length > 0 && isServed({ jobType, jobData }))
      .map((jobData) => ({ jobType, jobData })),
  );
  expect(taken.map(({ jobType }) => jobType)).toEqual(['CREATE_PIN', 'DELETE_PIN', 'GET_ACTIVITY_LOGS']);
  for (const body of taken) expect(isPublished(body)).toBe(true);
});

test('what is published is what is served, where x-exact takes the place of what is plain', () => {
  const exact = exactDocument(published as unknown as OpenApiDocument)
    .components as unknown as typeof contract.components;
  expect(exact.schemas).toMatchObject(contract.components.schemas);
  expect(Object.keys(exact.schemas).filter((name) => !(name in contract.components.schemas))).toEqual(
    Object.keys(published.components.schemas).filter((name) => name.startsWith('CreateProxiedJobRequestWith')),
  );
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

test('the prose about pages names the page size of each list', () => {
  const sizes = Object.values(operations).flatMap(({ extensions }) =>
    'x-pagination' in extensions && 'pageSize' in extensions['x-pagination']
      ? [extensions['x-pagination'].pageSize]
      : [],
  );
  expect(sizes.length).toBeGreaterThan(2);
  for (const size of sizes) {
    expect(contract.info.description).toContain(`1 to 300, ${size} when omitted`);
    expect(contract.components.parameters.Limit.description).toContain(`1 to 300, ${size} when omitted`);
  }
});
