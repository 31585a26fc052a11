import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testLaw } from '../../fixtures/test-law.ts';
import { type Call, type ServedDemo, serveDemo } from '../fixtures/serve-demo.ts';
import { type Kind, kinds } from './fixtures/code-fixture.ts';

/** The time of the documented examples: 18:25 in Berlin. */
const now = Date.parse('2026-11-20T17:25:00.000Z');

let demo: ServedDemo;
/** Digits of every code that was issued here. */
const pins = new Set<string>();

beforeAll(async () => {
  demo = await serveDemo(now);
});
afterAll(() => demo.close());

async function create(
  kind: Kind,
  { device = 'LK2A00000001', ...call }: Partial<Call> & { readonly device?: string } = {},
) {
  const answer = await demo.call({ path: `/devices/${device}/algopin/${kind}`, body: { accessName: 'A' }, ...call });
  if (typeof answer.body.pin === 'string') pins.add(answer.body.pin);
  return answer;
}

const countRows = async () => (await demo.database.readRows('access_code')).length;

const bad = { accessName: 'A', startDate: '2026-12-01T15:30:00+01:00' };
const rejections: readonly { name: string; call: Parameters<typeof create>[1]; want: readonly [number, string] }[] = [
  { name: 'no accessName', call: { body: {} }, want: [400, 'invalid_request'] },
  { name: 'no body', call: { body: '' }, want: [400, 'invalid_request'] },
  { name: 'malformed JSON', call: { body: '{"accessName":' }, want: [400, 'invalid_request'] },
  {
    name: 'a member beyond the contract',
    call: { body: { accessName: 'A', pin: '123456789' } },
    want: [400, 'invalid_request'],
  },
  { name: '__proto__', call: { body: '{"accessName":"A","__proto__":{}}' }, want: [400, 'invalid_request'] },
  { name: 'a query', call: { device: 'LK2A00000001', path: '' }, want: [400, 'invalid_request'] },
  { name: 'half past', call: { body: bad }, want: [400, 'window_not_aligned'] },
  { name: 'an hour ago', call: { body: { ...bad, startDate: '2026-11-20T16:00:00Z' } }, want: [400, 'window_in_past'] },
  {
    name: 'next year but one',
    call: { body: { ...bad, startDate: '2028-01-01T14:00:00Z' } },
    want: [400, 'window_too_far'],
  },
  { name: 'no token', call: { client: null }, want: [401, 'token_missing'] },
  { name: 'an ended trial', call: { client: 'lapsed-own', device: 'LK2C00000001' }, want: [402, 'trial_ended'] },
  { name: 'a token without the scope', call: { client: 'demo-readonly' }, want: [403, 'insufficient_scope'] },
  { name: 'an unknown device', call: { device: 'LK2A99999999' }, want: [404, 'device_not_found'] },
  { name: 'a device of another account', call: { device: 'LK2B00000001' }, want: [404, 'device_not_found'] },
  { name: 'the other way round', call: { client: 'meadow-own' }, want: [404, 'device_not_found'] },
  { name: 'a property without timezone', call: { device: 'LK2A00000005' }, want: [409, 'no_timezone'] },
  { name: 'no property', call: { device: 'LK2A00000007' }, want: [409, 'no_timezone'] },
  { name: 'a body too large', call: { body: { accessName: 'x'.repeat(70_000) } }, want: [413, 'too_large'] },
  {
    name: 'a body of another type',
    call: { headers: { 'content-type': 'text/plain' } },
    want: [415, 'unsupported_media_type'],
  },
  { name: 'a keypad without codes', call: { device: 'KP0A00000003' }, want: [418, 'algopin_not_supported'] },
  { name: 'a bridge', call: { device: 'BR1A00000001', body: bad }, want: [418, 'algopin_not_supported'] },
];

describe('every rejection, and nothing is written:', () => {
  test.each(kinds)('%s', async (kind) => {
    const before = await countRows();
    for (const { name, call, want } of rejections) {
      const query = call?.path === '' ? { path: `/devices/LK2A00000001/algopin/${kind}?accessName=A` } : {};
      const { status, body } = await create(kind, { ...call, ...query });
      expect([name, status, body.code]).toEqual([name, ...want]);
    }
    expect(await countRows()).toBe(before);
  });

  test('passage codes on old firmware', async () => {
    const before = await countRows();
    const { status, body } = await create('passage', { device: 'LK1A00000002' });
    expect([status, body.code, await countRows()]).toEqual([400, 'passage_not_supported', before]);
  });

  test.each(kinds)("another account's device is an unknown one, in every byte: %s", async (kind) => {
    const headers = { 'x-request-id': 'same-1' };
    const [unknown, ...foreign] = [
      await create(kind, { device: 'LK2A99999999', headers }),
      await create(kind, { device: 'LK2B00000001', headers }),
      await create(kind, { device: 'BR1B00000001', headers }),
      await create(kind, { device: 'LK2C00000001', headers, body: bad }),
    ];
    const shape = ({ headers: got, raw }: Awaited<ReturnType<typeof create>>) => [
      [...got].filter(([name]) => name !== 'date'),
      raw,
    ];
    for (const answer of foreign) expect(shape(answer)).toEqual(shape(unknown as (typeof foreign)[0]));
  });
});

const scopes = [
  ...kinds.flatMap((scope) =>
    kinds.map((kind) => ({ scope: `algopin-${scope}`, kind, want: scope === kind ? 200 : 403 })),
  ),
  {
    scope: 'algopin-daily serviceapi/algopin-hourly serviceapi/algopin-onetime serviceapi/algopin-permanent',
    kind: 'passage' as const,
    want: 200,
  },
];

test.each(scopes)('a token with $scope: $kind $want', async ({ scope, kind, want }) => {
  expect((await create(kind, { client: `demo-own only ${scope}` })).status).toBe(want);
});

interface FormCase {
  readonly kind: Kind;
  readonly given: Readonly<Record<string, unknown>>;
  readonly want: 200 | 400;
}
const cases = (kind: Kind, member: string, good: readonly unknown[], wrong: readonly unknown[]): FormCase[] => [
  ...good.map((value): FormCase => ({ kind, given: { [member]: value }, want: 200 })),
  ...wrong.map((value): FormCase => ({ kind, given: { [member]: value }, want: 400 })),
];
const impossible = [
  '2027-02-30T15:00:00+01:00',
  '2027-02-29T15:00:00+01:00',
  '2027-13-01T15:00:00Z',
  '2027-00-01T15:00:00Z',
  '2027-01-32T15:00:00Z',
  '2026-12-01T24:00:00Z',
  '2026-12-01T23:59:60Z',
  '2026-12-02T00:59:60+01:00',
  '2026-12-01T24:59:00+01:00',
  '2026-12-01T23:99:00+00:40',
  '2026-12-01T23:60:00Z',
  '2026-12-01T15:00:01Z',
  '2026-12-01T15:00:00.001Z',
  '2026-12-01T15:00:00.0000Z',
  '2026-12-01T15:00:00',
  '2026-12-01T15:00Z',
  '2026-12-01',
  '2026-12-01 15:00:00Z',
  '2026-12-01t15:00:00z',
  '2026-12-01T15:00:00+24:00',
  '2026-12-01T15:00:00+01:60',
  '2026-12-01T15:00:00+0100',
  '2026-12-01T15:00:00+01',
  '2026-12-01T15:00:00−01:00',
  '2026-12-01T15:00:00+01:00[Europe/Berlin]',
  '+012026-12-01T15:00:00Z',
  '12026-12-01T15:00:00Z',
  '',
  ' ',
  '\u0000',
  1764597600000,
  null,
  {},
  [],
];
const forms: readonly FormCase[] = [
  ...['hourly', 'daily', 'passage'].flatMap((kind) =>
    cases(kind as Kind, 'variance', [1, 2, 3, 1.0], [0, 4, -1, 1.5, '1', null]),
  ),
  ...['onetime', 'permanent'].flatMap((kind) => cases(kind as Kind, 'variance', [1, 5], [0, 6])),
  ...cases('passage', 'durationHours', [1, 24], [0, 25, 1.5, '3', null]),
  ...kinds.filter((kind) => kind !== 'passage').flatMap((kind) => cases(kind, 'durationHours', [], [1])),
  ...(['onetime', 'passage', 'permanent'] as const).flatMap((kind) =>
    cases(kind, 'endDate', [], ['2026-12-30T15:00:00+01:00']),
  ),
  ...kinds.flatMap((kind) =>
    cases(
      kind,
      'accessName',
      ['A', 'x'.repeat(60), '🐢'.repeat(60), ' A ', 'Żółta', '%_\\\'";--'],
      ['x'.repeat(61), '🐢'.repeat(61), '', ' ', '\u00a0', '\u0000', 'A\u0000', 'A\n', '\ud800', 1, null, ['A']],
    ),
  ),
  ...kinds.flatMap((kind) =>
    cases(
      kind,
      'startDate',
      ['2026-12-01T14:00:00.000Z', '2026-12-01T14:00:00.0Z', '2026-12-02T13:59:00+23:59'],
      impossible,
    ),
  ),
  ...cases('daily', 'endDate', [], impossible),
];

describe('the form of a body', () => {
  test.each(kinds)('%s', async (kind) => {
    const before = await countRows();
    const own = forms.filter((form) => form.kind === kind);
    const issued = new Set<unknown>();
    for (const { given, want } of own) {
      const { status, body } = await create(kind, { body: { accessName: 'A', ...given } });
      expect([given, status]).toEqual([given, want]);
      if (want === 400) expect(body).toMatchObject({ code: 'invalid_request', details: [{ in: 'body' }] });
      else issued.add(body.pinId);
    }
    const ids = (await demo.database.readRows('access_code')).map((row) => row.pin_id);
    expect(ids.filter((id) => issued.has(id))).toHaveLength(issued.size);
    expect(ids.length).toBeLessThanOrEqual(before + issued.size);
  });

  testLaw(
    'a time in the right format gives a window or a 400, whatever its value',
    { few: 60, many: 300 },
    async (numRuns) => {
      const times = fc.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:00(\.0{1,3})?(Z|[+-]\d{2}:\d{2})$/);
      const edges = fc.constantFrom(
        '0000-01-01T00:00:00+23:59',
        '9999-12-31T23:59:00-23:59',
        '9999-12-31T23:00:00Z',
        '0001-01-01T00:00:00Z',
      );
      const real = fc
        .date({ min: new Date(now), max: new Date(now + 800 * 86_400_000), noInvalidDate: true })
        .map((date) => `${date.toISOString().slice(0, 14)}00:00Z`);
      const time = fc.oneof(times, edges, real);
      const statuses = new Set<number>();
      await fc.assert(
        fc.asyncProperty(
          time,
          fc.option(time),
          fc.constantFrom('hourly', 'daily'),
          async (startDate, endDate, kind) => {
            const body = { accessName: 'A', startDate, ...(endDate !== null && { endDate }) };
            const { status } = await create(kind as Kind, { body, device: 'LK2A00000004' });
            expect([200, 400]).toContain(status);
            statuses.add(status);
          },
        ),
        { numRuns },
      );
      expect(statuses).toContain(400);
    },
  );
});

test('twenty equal calls at once are one code and one answer', async () => {
  const body = { accessName: 'A', startDate: '2027-01-07T15:00:00+01:00' };
  for (const kind of kinds) {
    const before = await countRows();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(kind, { body })));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ raw }) => raw)).size).toBe(1);
    expect(await countRows()).toBe(before + 1);
  }
});

test('a repeated call changes the name alone, a day later too', async () => {
  const body = { accessName: 'Cleaner', startDate: '2027-01-08T15:00:00+01:00' };
  const first = await create('permanent', { body });
  const find = async () => (await demo.database.readRows('access_code')).find((row) => row.pin_id === first.body.pinId);
  const before = await find();
  demo.clock.at = now + 86_400_000;
  const second = await create('permanent', { body: { ...body, accessName: ' Plumber ' } });
  demo.clock.at = now;
  expect(second.raw).toBe(first.raw);
  expect(await find()).toEqual({ ...before, access_name: 'Plumber' });
});

type Named = Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>;

function exampleOf(name: string): Readonly<Record<string, unknown>> {
  return (contract.components.examples as Named)[name]?.value as Readonly<Record<string, unknown>>;
}

function requestOf(kind: Kind, name: string): unknown {
  const { examples } =
    contract.paths[`/devices/{deviceId}/algopin/${kind}`].post.requestBody.content['application/json'];
  return (examples as Named)[name]?.value;
}

const documented = [
  { kind: 'daily', request: 'season', example: 'DailyCode' },
  { kind: 'hourly', request: 'stay', example: 'HourlyCode' },
  { kind: 'onetime', request: 'planned', example: 'OneTimeCode' },
  { kind: 'passage', request: 'from_now', example: 'PassageCode' },
  { kind: 'permanent', request: 'from_now', example: 'PermanentCode' },
] as const;
const times = { startDate: '2026-12-01T15:00:00+01:00', accessName: 'A' };
const documentedErrors: readonly { kind: Kind; device?: string; body?: object; example: string }[] = [
  { kind: 'daily', body: bad, example: 'WindowNotAligned' },
  { kind: 'onetime', body: { ...times, startDate: '2026-11-20T16:00:00+01:00' }, example: 'WindowInPast' },
  { kind: 'permanent', body: { ...times, startDate: '2028-01-01T15:00:00+01:00' }, example: 'WindowTooFar' },
  { kind: 'hourly', body: { ...times, endDate: '2026-12-29T18:00:00+01:00' }, example: 'WindowLength' },
  { kind: 'passage', device: 'LK1A00000002', example: 'PassageNotSupported' },
  { kind: 'daily', device: 'KP0A00000003', example: 'AlgoPinNotSupported' },
  { kind: 'daily', device: 'LK2A00000005', example: 'NoTimezone' },
  { kind: 'daily', device: 'LK2A99999999', example: 'DeviceNotFound' },
];

describe('what the contract documents is what is answered', () => {
  test.each(documented)('$kind, $request', async ({ kind, request, example }) => {
    const { status, body } = await create(kind, { device: 'KP1A00000002', body: requestOf(kind, request) });
    const { pin, pinId } = body;
    expect({ status, body }).toEqual({ status: 200, body: { ...exampleOf(example), pin, pinId } });
    expect(Object.keys(body)).toEqual(Object.keys(exampleOf(example)));
  });

  test.each(kinds)('every request that is documented is taken: %s', async (kind) => {
    const { examples } =
      contract.paths[`/devices/{deviceId}/algopin/${kind}`].post.requestBody.content['application/json'];
    const bodies = Object.values(examples as Named).map(({ value }) => value);
    expect(bodies.length).toBeGreaterThanOrEqual(2);
    for (const body of bodies) expect((await create(kind, { body })).status).toBe(200);
  });

  test.each(documentedErrors)('$example', async ({ example, kind, ...call }) => {
    const { body } = await create(kind, { ...call, headers: { 'x-request-id': 'req-7f3a9c21' } });
    expect(body).toEqual(exampleOf(example));
  });
});

describe('digits of codes', () => {
  test('stand in no file and no line of the log', async () => {
    for (let hours = 1; hours <= 40; hours += 1) {
      const startDate = new Date(Date.parse('2026-12-24T00:00:00Z') + hours * 3_600_000).toISOString();
      await Promise.all(kinds.map((kind) => create(kind, { body: { accessName: `Guest ${hours}`, startDate } })));
    }
    expect(pins.size).toBeGreaterThan(200);
    const tables = await Promise.all(
      ['access_code', 'audit_entry', 'oidc_artifact'].map((table) => demo.database.readRows(table)),
    );
    const places = { files: await demo.database.readAll(), log: demo.readLog(), rows: JSON.stringify(tables) };
    // The search does find other values in each of these texts.
    expect(places.files).toContain('Season guest');
    expect(places.rows).toContain('Season guest');
    expect(places.log).toContain('"route":"createDailyAlgoPin"');
    expect(places.log).not.toContain('Season guest');
    const found = Object.entries(places).flatMap(([place, text]) => {
      const numbers = new Set(text.match(/\d+/g));
      return [...pins].filter((pin) => numbers.has(pin)).map((pin) => `${pin} in ${place}`);
    });
    expect(found).toEqual([]);
  });

  test('nothing here was an error of the server', () => {
    expect(demo.readLog()).not.toMatch(/"level":(50|60)/);
  });
});
