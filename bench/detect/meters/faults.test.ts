import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { faultClasses } from '../score.ts';
import credentials from './credentials.json' with { type: 'json' };
import { type Answer, createSend, type Fault, faults, type Message, type Send } from './faults.ts';
import { start } from './server.ts';

// biome-ignore lint/suspicious/noExplicitAny: a contract is read by its paths.
type Node = any;

const contract: Node = parse(readFileSync(new URL('contract.yaml', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const validators = new Map<Node, ValidateFunction>();
const folder = mkdtempSync(join(tmpdir(), 'meters-'));
const { first, second } = credentials;
const key = { 'X-Api-Key': first.api_key };
const user = { Authorization: `Basic ${Buffer.from(`${first.username}:${first.password}`).toString('base64')}` };

afterAll(() => rmSync(folder, { recursive: true }));

describe('each fault', () => {
  test.each(faults)('$id changes the answers that its sentence is about', async (fault) => {
    const clean = await tryFault(fault, undefined);
    const faulty = await tryFault(fault, fault.id);
    expect(faulty.value).not.toEqual(clean.value);
    expect(clean.changed).toEqual([]);
    expect(faulty.changed).not.toEqual([]);
    const named = [fault.operation, ...(fault.also ?? [])];
    if (fault.class >= 'E') expect(faulty.changed.filter((name) => !named.includes(name))).toEqual([]);
  });

  test('of lists or state leaves all other answers as they are', async () => {
    const log = join(folder, 'others');
    await withServer(
      'tags-any',
      async (send) => {
        for (const request of [...requests, ['GET', '/sites?tag=north&tag=shop'] as const]) await send(...request);
      },
      log,
    );
    expect(changedOf(log)).toEqual(['GET /sites']);
  });

  test('has an id of its own, and each class has at least seven', () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
    for (const name of faultClasses) {
      expect(faults.filter((fault) => fault.class === name).length).toBeGreaterThanOrEqual(7);
    }
  });

  test('names an operation of the contract', () => {
    const operations = ['*', ...listOperations().map(({ method, path }) => `${method} ${path}`)];
    const named = faults.flatMap(({ operation, also = [] }) => [operation, ...also]);
    expect(named.filter((name) => !operations.includes(name))).toEqual([]);
  });

  test('that does not exist is not started', async () => {
    await expect(start({ port: 0, fault: 'none' })).rejects.toThrow('none');
  });
});

describe('the clean server', () => {
  test('answers every operation as the contract describes', async () => {
    const seen = new Set<string>();
    await withServer(undefined, async (send) => {
      for (const [method, target, message] of requests) {
        const answer = await send(method, target, message);
        const operation = findOperation(method, target);
        if (operation !== undefined) seen.add(`${operation.operationId} ${answer.status}`);
      }
    });
    const described = listOperations().flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => `${operation.operationId} ${status}`),
    );
    expect(described.filter((name) => !seen.has(name))).toEqual([]);
  });

  test('answers HEAD like GET, without the body', async () => {
    await withServer(undefined, async (send) => {
      const targets = [
        '/sites',
        '/sites/1',
        '/sites/1/tariff',
        '/sites/9',
        '/meters',
        '/sites/1/meters/1/readings',
        '/alerts',
      ];
      for (const target of [...targets, '/reports/1']) {
        const [get, head] = [await send('GET', target), await send('HEAD', target)];
        const { date: _, ...headers } = get.headers;
        expect(head).toMatchObject({ status: get.status, headers, text: '' });
      }
    });
  });

  test('answers methods and paths that are not described', async () => {
    await withServer(undefined, async (send) => {
      expect(await send('PATCH', '/sites/1')).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD, PUT, DELETE, OPTIONS' },
      });
      expect(await send('HEAD', '/reports')).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } });
      const options = await send('OPTIONS', '/alerts', { headers: {} });
      expect(options).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } });
      expect(options.headers).not.toHaveProperty('content-length');
      expect((await send('GET', '/sites/')).status).toBe(404);
    });
  });

  test('keeps to the accounts, the conditions and the pages', async () => {
    await withServer(undefined, async (send) => {
      const other = { headers: { 'X-Api-Key': second.api_key } };
      expect((await send('GET', '/sites?page=2&per_page=2')).json.map(({ id }: Node) => id)).toEqual([4]);
      expect((await send('GET', '/sites?tag=north&tag=office')).json.map(({ id }: Node) => id)).toEqual([1]);
      expect((await send('GET', '/sites', other)).headers['x-total-count']).toBe('2');
      expect((await send('GET', '/alerts')).json).toHaveLength(20);
      const sorted = await send('GET', '/alerts?sort_by=severity&direction=desc&per_page=6');
      expect(sorted.json.map(({ id }: Node) => id)).toEqual([4, 9, 14, 19, 24, 3]);
      expect((await send('GET', '/alerts?sort_by=message')).status).toBe(400);
      const { headers } = await send('GET', '/sites/1');
      const change = { headers: { ...key, 'If-Match': String(headers.etag) }, body: { name: 'Quay', timezone: 'UTC' } };
      expect((await send('PUT', '/sites/1', change)).status).toBe(200);
      expect((await send('PUT', '/sites/1', change)).status).toBe(412);
      expect((await send('DELETE', '/sites/1', { headers: { ...key, ...user } })).status).toBe(204);
      expect((await send('GET', '/alerts')).headers['x-total-count']).toBe('8');
    });
  });
});

const site = { name: 'Kühlhaus', timezone: 'Europe/Lisbon', area_m2: 0.5, tags: ['a', 'b'], webhook: null };
const webhook = { url: 'https://hooks.meters.example/x', secret: 'fake-secret-abcdefgh' };
const flat = { kind: 'flat', currency: 'EUR', price_per_kwh: '0.3150' };
const meter = { site_id: 1, serial: 'EL-004711', kind: 'electricity' };
const report = { site_id: 1, month: '2026-03' };
const reading = { taken_at: '2016-12-31T23:59:60Z', kwh: 0.001, note: 'a "b"\r\n€' };
const readings = '/sites/1/meters/1/readings';
const tooLarge = `{"a":"${'x'.repeat(256 * 1024)}"}`;
const anonymous = { headers: {} };
const asReader = { 'X-Api-Key': first.read_only_api_key };
const stale = { ...key, 'If-Match': '"0"' };
const current = { ...key, 'If-None-Match': '*' };
const asText = { ...key, 'Content-Type': 'text/plain' };

/** Together they cause every status of the contract. */
const requests: readonly (readonly [string, string, Message?])[] = [
  ...['/sites', '/sites/1', '/sites/1/tariff', '/meters', readings, '/alerts', '/reports/1'].flatMap((target) => [
    ['GET', target] as const,
    ['GET', target, anonymous] as const,
    ['GET', target, { headers: user }] as const,
    ['GET', target, { headers: { 'X-Api-Key': credentials.expired_api_key } }] as const,
    ['GET', `${target.replace('/1', '/0')}?page=0`] as const,
    ['GET', target.replace('/1', '/3')] as const,
  ]),
  ...(
    [
      ['POST', '/sites', site],
      ['PUT', '/sites/2', { ...site, webhook }],
      ['PUT', '/sites/1/tariff', flat],
      ['POST', '/meters', meter],
      ['POST', readings, { readings: [reading] }],
      ['POST', '/reports', report],
    ] as const
  ).flatMap(([method, target, body]) => [
    [method, target, { body }] as const,
    [method, target, { body, headers: {} }] as const,
    [method, target, { body, headers: asReader }] as const,
    [method, target, { body, headers: asText }] as const,
    [method, target, { body: tooLarge }] as const,
    [method, target, { body: '{' }] as const,
    [method, target, { body: { ...body, other: 1 } }] as const,
    [method, target, { body: [] }] as const,
    [
      method,
      target.replace(/\/[12]/, '/3'),
      { body: { ...body, ...('site_id' in body ? { site_id: 3 } : {}) } },
    ] as const,
    [method, target, { body, headers: stale }] as const,
  ]),
  ['PUT', '/sites/4/tariff', { body: { kind: 'indexed', currency: 'USD', index: 'intraday', markup_percent: -99.9 } }],
  ['GET', '/sites/4/tariff'],
  ['GET', '/sites/2/tariff'],
  ...['/sites/1', '/sites/1/tariff'].flatMap((target) => [
    ['GET', target, { headers: current }] as const,
    ['GET', target, { headers: stale }] as const,
  ]),
  ['GET', readings, { headers: { ...key, Accept: 'text/csv' } }],
  ['GET', readings, { headers: { ...key, Accept: 'text/*;q=0.9, application/json;q=0.1' } }],
  ['GET', readings, { headers: { ...key, Accept: 'image/png' } }],
  ['DELETE', '/sites/0', { headers: { ...key, ...user } }],
  ['DELETE', '/sites/3', { headers: { ...key, ...user } }],
  ['DELETE', '/sites/2', { headers: { ...stale, ...user } }],
  ['DELETE', '/sites/2', { headers: { ...asReader, ...user } }],
  ['DELETE', '/sites/2', { headers: { 'X-Api-Key': second.api_key, ...user } }],
  ['DELETE', '/sites/2', { headers: user }],
  ['DELETE', '/sites/2', { headers: { ...key, ...user } }],
];

async function tryFault({ prove }: Fault, fault: string | undefined) {
  const log = join(folder, 'log');
  const value = await withServer(fault, (send) => prove(send).catch((error) => error.code), log);
  return { value, changed: changedOf(log) };
}

/** The operations whose answers the fault changed. */
function changedOf(log: string): readonly string[] {
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const changed = lines.map((line) => JSON.parse(line)).filter(({ triggered }) => triggered);
  return changed.map(({ method, target }) => `${method} ${pathOf(target.slice(credentials.base_path.length))}`);
}

/** Without a fault each answer must be one of the contract. */
async function withServer<T>(fault: string | undefined, use: (send: Send) => Promise<T>, log?: string): Promise<T> {
  const { url, close } = await start({ port: 0, fault, log });
  const send = createSend(url);
  try {
    return await use(async (method, target, message) => {
      const answer = await send(method, target, message);
      if (fault === undefined) expect(findProblems(method, target, answer), `${method} ${target}`).toEqual([]);
      return answer;
    });
  } finally {
    await close();
  }
}

function listOperations(): { method: string; path: string; operation: Node }[] {
  const methods = ['get', 'post', 'put', 'delete'];
  return Object.entries<Node>(contract.paths).flatMap(([path, item]) =>
    methods.filter((name) => name in item).map((name) => ({ method: name.toUpperCase(), path, operation: item[name] })),
  );
}

function findOperation(method: string, target: string): Node {
  const path = pathOf(target);
  return listOperations().find((entry) => entry.method === method && entry.path === path)?.operation;
}

function pathOf(target: string): string | undefined {
  const [sent = ''] = target.split('?');
  return Object.keys(contract.paths).find((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(sent));
}

function findProblems(method: string, target: string, { status, headers, text, json }: Answer): unknown[] {
  const operation = findOperation(method, target);
  if (operation === undefined) return [];
  const response = resolve(operation.responses[status]);
  if (response === undefined) return [`status ${status}`];
  const problems = Object.entries<Node>(response.headers ?? {}).flatMap(([name, entry]) => {
    const { required, schema } = resolve(entry);
    const value = headers[name.toLowerCase()];
    if (value === undefined) return required ? [`no ${name}`] : [];
    return validate(schema, schema.type === 'integer' ? Number(value) : value);
  });
  if (response.content === undefined) return text === '' ? problems : [...problems, 'a body'];
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (response.content[type] === undefined) return [...problems, `media type ${type}`];
  if (Number(headers['content-length']) !== Buffer.byteLength(text)) problems.push('length');
  return [...problems, ...validate(response.content[type].schema, type === 'text/csv' ? text : json)];
}

function validate(schema: Node, value: unknown): unknown[] {
  const validator = validators.get(schema) ?? ajv.compile(convert(schema));
  validators.set(schema, validator);
  return validator(value) ? [] : (validator.errors ?? []);
}

function resolve(node: Node): Node {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((parent: Node, name: string) => parent[name], contract);
}

/** A schema of OpenAPI 3.0.3, for an answer, as one of 2020-12 without references. */
function convert(schema: Node): Node {
  if (Array.isArray(schema)) return schema.map(convert);
  if (schema === null || typeof schema !== 'object') return schema;
  const { nullable, discriminator: _, properties, required, exclusiveMinimum, ...others } = resolve(schema);
  const isHidden = (name: string) => resolve(properties?.[name])?.writeOnly === true;
  const converted = Object.fromEntries(Object.entries(others).map(([name, member]) => [name, convert(member)]));
  if (properties !== undefined) {
    const shown = Object.keys(properties).filter((name) => !isHidden(name));
    converted.properties = Object.fromEntries(shown.map((name) => [name, convert(properties[name])]));
  }
  if (required !== undefined) converted.required = required.filter((name: string) => !isHidden(name));
  if (nullable) converted.type = [others.type, 'null'];
  if (exclusiveMinimum === true) {
    converted.exclusiveMinimum = others.minimum;
    delete converted.minimum;
  }
  return converted;
}
