import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Ask, createSend, type Fault, faults, type Reply, type Send } from './faults.ts';
import { start } from './server.ts';

const contract = parse(readFileSync(join(import.meta.dirname, 'contract.yaml'), 'utf8'));
const ajv = new Ajv2020({ strict: false, coerceTypes: false });
ajvFormats.default(ajv, { mode: 'full' });
ajv.addSchema(contract, 'contract', true);
const folder = mkdtempSync(join(tmpdir(), 'roster-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a fault', () => {
  test.each(faults.map((fault) => [fault.id, fault] as const))('of %s changes an answer', async (id, fault) => {
    const { prove, operation, also = [] } = fault;
    const clean = await provenBy(prove);
    expect(await provenBy(prove), 'the clean server answers alike twice').toEqual(clean);
    const faulty = await provenBy(prove, id);
    expect(faulty.value).not.toEqual(clean.value);
    expect(faulty.changed).not.toEqual([]);
    expect(clean.changed).toEqual([]);
    const named = [operation, ...also];
    const others = faulty.changed.filter((name) => !named.includes(name) && !named.includes('*'));
    if (fault.class >= 'E') expect(others).toEqual([]);
  });

  test('has an identifier of its own and an operation of the contract, at least seven in each class', () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
    const named = faults.flatMap(({ operation, also = [] }) => [operation, ...also]);
    expect(named.filter((name) => name !== '*' && !operations.includes(name))).toEqual([]);
    for (const letter of 'ABCDEF')
      expect(faults.filter((fault) => fault.class === letter).length).toBeGreaterThanOrEqual(7);
  });
});

const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
  Object.keys(item as object).flatMap((method) => (method === 'parameters' ? [] : [`${method.toUpperCase()} ${path}`])),
);

/** The value of a proof on a server of its own. Every answer of a clean one is compared with the contract. */
async function provenBy(prove: Fault['prove'], fault?: string): Promise<{ value: unknown; changed: string[] }> {
  const log = join(folder, 'log.ndjson');
  const { url, close } = await start({ port: 0, fault, log });
  try {
    const value = await prove(fault ? createSend(url) : compared(createSend(url)));
    return { value, changed: changedOf(log) };
  } finally {
    await close();
  }
}

/** The operations whose answers the fault changed. */
function changedOf(log: string): string[] {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  const changed = lines.map((line) => JSON.parse(line)).filter(({ triggered }) => triggered);
  return changed.map(({ method, target }) => `${method} ${operationAt(method, target.slice('/v2'.length))}`);
}

function compared(send: Send): Send {
  return async (method, path, ask) => {
    const reply = await send(method, path, ask);
    expect(faultsOf(method, path, reply), `${method} ${path} ${reply.status}`).toEqual([]);
    return reply;
  };
}

function operationAt(method: string, target: string): string | undefined {
  const path = target.split('?')[0] ?? '';
  const matches = (one: string) => new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return Object.keys(contract.paths).find((one) => matches(one) && contract.paths[one][method.toLowerCase()]);
}

/** The parts of an answer that the contract does not describe. Answers to methods without an operation have none. */
function faultsOf(method: string, target: string, { status, headers, text }: Reply): string[] {
  const path = operationAt(method === 'HEAD' ? 'GET' : method, target);
  if (!path) return [];
  const own = `/paths/${path.replaceAll('/', '~1')}/${method === 'HEAD' ? 'get' : method.toLowerCase()}/responses/${status}`;
  const { pointer, node } = resolve(own);
  if (!node) return [`status ${status} is not listed`];
  const found = Object.keys((node.headers as object) ?? {}).flatMap((name) => {
    const listed = resolve(`${pointer}/headers/${name}`);
    const value = headers[name.toLowerCase()]?.[0];
    if (value === undefined) return [`${name} is missing`];
    return validate(`${listed.pointer}/schema`, /^\d+$/.test(value) ? Number(value) : value);
  });
  if (!node.content) return text === '' ? found : [...found, 'a body is not described'];
  const type = headers['content-type']?.[0] ?? 'none';
  if (type !== 'application/json') return [...found, `media type ${type}`];
  if (Number(headers['content-length']?.[0]) !== Buffer.byteLength(text) && method !== 'HEAD')
    found.push('Content-Length');
  if (/"pin"/.test(text)) found.push('a writeOnly member');
  return method === 'HEAD'
    ? found
    : [...found, ...validate(`${pointer}/content/application~1json/schema`, JSON.parse(text))];
}

function resolve(pointer: string): { pointer: string; node: Record<string, unknown> | undefined } {
  const names = pointer.split('/').slice(1);
  const node = names.reduce((at, name) => at?.[name.replaceAll('~1', '/')], contract);
  return node?.$ref ? resolve(node.$ref.slice(1)) : { pointer, node };
}

const compiled = new Map<string, ReturnType<typeof ajv.compile>>();

function validate(pointer: string, value: unknown): string[] {
  const judge = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
  compiled.set(pointer, judge);
  return judge(value) ? [] : [`${pointer}: ${ajv.errorsText(judge.errors)}`];
}

const shifts = '/clinics/north-quay/shifts';
const absence = '/clinics/north-quay/staff/NQ101/absences/2026-12-28';
const patchType = { 'Content-Type': 'application/json-patch+json' };
const block = { label: 'Early', starts: '06:00', minutes: 480, demand: [{ skill: 'triage', count: 1 }] };
const week = {
  version: 0,
  validFrom: '2027-01-04',
  rotation: { kind: 'rolling', everyWeeks: 2 },
  days: { mon: [block] },
};
const newShift = { day: '2027-01-04', starts: '07:00', minutes: 480, ward: 'A1', tags: { room: 'Küche' } };
const step = (op: string, path: string, value?: unknown) => ({ op, path, ...(value !== undefined && { value }) });
const patch = (...steps: unknown[]): Ask => ({ body: steps, headers: patchType });
const sick = { kind: 'sick', certificate: { issuedOn: '2026-12-28', reference: 'AB-123456' } };
const login = (password: string): Ask => ({ as: 'nobody', body: { email: 'nurse@north.example', password } });
const conditions = (name: string, value: string): Ask => ({ headers: { [name]: value } });
const large = { text: JSON.stringify({ reason: 'x'.repeat(70_000) }) };

/** One conversation with the clean server: method, path, request, expected status. */
const conversation: readonly (readonly [string, string, Ask, number])[] = [
  ['POST', '/session', login('green-ladder-17'), 200],
  ['POST', '/session', login('green-ladder-18'), 401],
  ['POST', '/session', { body: { email: 'nobody', password: 'green-ladder-17' } }, 400],
  ['POST', '/session', { ...login('green-ladder-17'), headers: { 'If-Match': '*' } }, 412],
  ['POST', '/session', { text: 'email=a', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }, 415],
  ['POST', '/session', { ...large }, 413],
  ['GET', '/clinics', {}, 200],
  ['HEAD', '/clinics', {}, 200],
  ['GET', '/clinics?q=york&size=1&unknown=1', { as: 'nurse' }, 200],
  ['GET', '/clinics?page=0', {}, 400],
  ['GET', '/clinics?page=1&page=2', {}, 400],
  ['GET', '/clinics', { as: 'expired' }, 401],
  ['GET', '/clinics', conditions('If-None-Match', '*'), 304],
  ['GET', '/clinics', conditions('If-Match', '"x"'), 412],
  ['GET', '/clinics/muehltor', {}, 200],
  ['GET', '/clinics/north-quay', {}, 200],
  ['GET', '/clinics/north-quay', { as: 'second' }, 404],
  ['GET', '/clinics/%ff', {}, 404],
  ['PUT', '/clinics/muehltor/weekly-pattern', { body: week }, 200],
  ['PUT', '/clinics/muehltor/weekly-pattern', { body: week }, 409],
  ['PUT', '/clinics/muehltor/weekly-pattern', { body: { ...week, version: 1, validUntil: '2026-01-01' } }, 422],
  [
    'PUT',
    '/clinics/muehltor/weekly-pattern',
    { body: { ...week, version: 1, days: { mon: [block, { ...block, minutes: 60 }] } } },
    422,
  ],
  ['PUT', '/clinics/muehltor/weekly-pattern', { body: { ...week, remindDaysBefore: 3 } }, 400],
  ['PUT', '/clinics/muehltor/weekly-pattern', { body: week, as: 'nurse' }, 403],
  ['GET', '/clinics/muehltor', {}, 200],
  ['GET', '/clinics/north-quay/staff?skill=triage', {}, 200],
  ['GET', '/clinics/north-quay/staff?skill=juggling', {}, 400],
  ['PUT', absence, { body: { version: 0, lastDay: '2026-12-30', ...sick } }, 201],
  ['PUT', absence, { body: { version: 1, lastDay: '2026-12-30', kind: 'parental' } }, 200],
  ['PUT', absence, { body: { version: 1, lastDay: '2026-12-30', kind: 'parental' } }, 409],
  ['PUT', absence, { body: { version: 2, lastDay: '2026-12-27', kind: 'parental' } }, 422],
  [
    'PUT',
    absence,
    { body: { version: 2, lastDay: '2026-12-30', kind: 'holiday' }, headers: { 'If-None-Match': '*' } },
    412,
  ],
  ['PUT', absence.replace('28', '32'), { body: { version: 0, lastDay: '2026-12-30', kind: 'holiday' } }, 400],
  ['PUT', absence.replace('NQ101', 'NQ999'), { body: { version: 0, lastDay: '2026-12-30', kind: 'holiday' } }, 404],
  ['GET', '/clinics/north-quay/staff', {}, 200],
  ['GET', `${shifts}?from=2026-12-02&to=2026-12-09&status=open,assigned&size=3&page=2`, {}, 200],
  ['GET', `${shifts}?page=1000`, {}, 200],
  ['GET', `${shifts}?order=-day&size=50`, {}, 200],
  ['GET', `${shifts}?order=ward`, {}, 400],
  ['GET', `${shifts}?from=2026-12-09&to=2026-12-02`, {}, 422],
  ['GET', `${shifts}?status=`, {}, 400],
  ['POST', shifts, { body: newShift }, 201],
  [
    'POST',
    shifts,
    { body: { ...newShift, staff: 'NQ101', skills: ['triage'], agency: 'Ward & Co', agencyRate: 30.25 } },
    201,
  ],
  ['POST', shifts, { body: { ...newShift, staff: 'NQ101' } }, 409],
  ['POST', shifts, { body: { ...newShift, staff: 'NQ103', skills: ['triage'] } }, 422],
  ['POST', shifts, { body: { ...newShift, ward: 'Z9' } }, 422],
  ['POST', shifts, { body: newShift, headers: { 'Idempotency-Key': 'key-00001' } }, 201],
  ['POST', shifts, { body: { ...newShift, minutes: 60 }, headers: { 'Idempotency-Key': 'key-00001' } }, 422],
  ['POST', shifts, { body: newShift, headers: { 'Idempotency-Key': 'short' } }, 400],
  ['POST', shifts, { body: newShift, headers: { 'Content-Type': 'Application/JSON; Charset="UTF-8"' } }, 201],
  ['POST', shifts, { body: newShift, headers: { 'Content-Encoding': 'unheard-of' } }, 415],
  ['POST', shifts, {}, 400],
  ['POST', shifts, { body: newShift, headers: { 'X-Csrf-Token': undefined } }, 403],
  [
    'PATCH',
    shifts,
    patch(
      step('replace', '/S-0001/minutes', 450),
      step('replace', '/S-0016/tags/room', 'K'),
      step('remove', '/S-0003'),
    ),
    200,
  ],
  [
    'PATCH',
    shifts,
    patch(step('remove', '/S-0017/agencyRate'), step('remove', '/S-0017/agency'), step('remove', '/S-0016/tags/room')),
    200,
  ],
  ['PATCH', shifts, patch(step('replace', '/S-0001/staff', null)), 200],
  ['PATCH', shifts, patch(step('replace', '/S-0001/minutes', 451)), 422],
  ['PATCH', shifts, patch(step('remove', '/S-0001/day')), 422],
  ['PATCH', shifts, patch(step('remove', '/S-0001/zone')), 409],
  ['PATCH', shifts, patch(step('remove', '/S-0002')), 409],
  [
    'PATCH',
    shifts,
    patch(step('replace', '/S-0006/staff', 'NQ101'), step('replace', '/S-0006/day', '2027-01-04')),
    409,
  ],
  ['PATCH', shifts, patch(step('test', '/S-0001/day', '2026-12-01')), 400],
  ['PATCH', shifts, { body: [step('remove', '/S-0006')] }, 415],
  ['PATCH', shifts, { body: [step('remove', '/S-0006')], headers: { ...patchType, 'If-Match': '"x"' } }, 412],
  ['GET', `${shifts}/S-0001`, {}, 200],
  ['HEAD', `${shifts}/S-0001`, {}, 200],
  ['GET', `${shifts}/S-0013`, {}, 404],
  ['DELETE', `${shifts}/S-0006?version=2`, {}, 409],
  ['DELETE', `${shifts}/S-0006?version=0`, {}, 400],
  ['DELETE', `${shifts}/S-0006`, conditions('If-Match', '"x"'), 412],
  ['DELETE', `${shifts}/S-0006?version=1`, conditions('If-Match', '*'), 204],
  ['DELETE', `${shifts}/S-0006`, {}, 404],
  ['DELETE', `${shifts}/S-0002`, {}, 409],
  [
    'POST',
    `${shifts}/S-0004/swaps`,
    { body: { with: 'NQ102', reason: 'ü'.repeat(60), pin: '0417' }, as: 'nurse' },
    201,
  ],
  ['POST', `${shifts}/S-0004/swaps`, { body: { with: 'NQ102', reason: 'Exam', pin: '0417' } }, 409],
  ['POST', `${shifts}/S-0007/swaps`, { body: { with: 'HA101', reason: 'Exam', pin: '0417' } }, 422],
  ['POST', `${shifts}/S-0007/swaps`, large, 413],
  ['GET', '/swaps/sw_k2m9x4qa', {}, 200],
  ['GET', '/swaps/sw_k2m9x4qa', { as: 'nobody' }, 401],
  ['POST', '/swaps/sw_k2m9x4qa/approve', { body: { version: 2 } }, 409],
  ['POST', '/swaps/sw_k2m9x4qa/approve', { body: { version: 1 } }, 200],
  ['POST', '/swaps/sw_k2m9x4qa/approve', { body: { version: 2, comment: null } }, 409],
  ['POST', '/swaps/sw_h5v1c6nb/approve', { body: { version: 1 } }, 404],
  ['GET', '/swaps/sw_k2m9x4qa', {}, 200],
  ['OPTIONS', '/clinics', { as: 'nobody' }, 204],
  ['PUT', '/clinics', { as: 'nobody' }, 405],
];

test('the clean server keeps its contract in a conversation over all operations', async () => {
  const log = join(folder, 'conversation.ndjson');
  const { url, close } = await start({ port: 0, log });
  const send = compared(createSend(url));
  const met: string[] = [];
  try {
    for (const [method, path, ask, wanted] of conversation) {
      const { status, headers } = await send(method, path, ask);
      expect(status, `${method} ${path}`).toBe(wanted);
      if (status === 405 || method === 'OPTIONS') expect(headers.allow).toEqual(['GET, HEAD, OPTIONS']);
      if (status < 300) met.push(`${method} ${operationAt(method, path)}`);
    }
  } finally {
    await close();
  }
  expect(operations.filter((operation) => !met.includes(operation))).toEqual([]);
  expect(readFileSync(log, 'utf8')).not.toContain('"triggered":true');
  expect(readFileSync(log, 'utf8').trimEnd().split('\n')).toHaveLength(conversation.length);
});

test('the log of a faulty server marks no answer that the fault leaves as it is', async () => {
  const log = join(folder, 'others.ndjson');
  const { url, close } = await start({ port: 0, fault: 'city-not-searched', log });
  const rows = [...conversation, ['GET', '/clinics?q=leeds', {}, 200] as const];
  for (const [method, path, ask] of rows) await createSend(url)(method, path, ask);
  await close();
  expect(changedOf(log)).toEqual(['GET /clinics', 'GET /clinics']);
});
