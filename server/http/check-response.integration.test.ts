import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import { type ContractDocument, followMember, followRef, isObject, readPointer } from '@lockstep/json/json-pointer';
import type { Answer } from '@lockstep/runtime/exchange';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../store/store.ts';
import { sampleRequest } from './fixtures/sample-request.ts';
import { type RunningApp, startApp } from './fixtures/start-app.ts';

const document: ContractDocument = contract;
type Id = keyof typeof operations;

let current: () => Answer = () => ({ status: 500 });
const handlers = Object.fromEntries(Object.keys(operations).map((id) => [id, () => current()] as const));
let strict: RunningApp;
let trusting: RunningApp;
beforeAll(async () => {
  strict = await startApp({ handlers });
  trusting = await startApp({ handlers, checkResponses: false });
});
afterAll(() => Promise.all([strict.close(), trusting.close()]));

/** Calls an operation whose handler returns this answer. */
async function answerWith(id: Id, make: () => Answer, app = strict) {
  current = make;
  const before = app.logged.length;
  const { target, method, headers, body } = sampleRequest(operations[id]);
  const init = { method, headers: { ...headers, authorization: 'Bearer all' }, ...(body !== undefined && { body }) };
  const answer = await fetch(app.origin + target, init);
  const text = await answer.text();
  const faults = app.logged.slice(before).filter(({ level }) => Number(level) >= 40);
  return { status: answer.status, headers: answer.headers, body: JSON.parse(text) as unknown, faults };
}

const device = structuredClone(contract.components.examples.LockDetails.value);
const { deviceName: _, ...nameless } = device;
const { lastSync: __, ...listed } = device;
const busy = { error: 'Too many requests, try again in 17 seconds', code: 'bridge_rate' };

const violations: readonly { name: string; id: Id; given: Answer; pointer: RegExp; reason: string }[] = [
  {
    name: 'a missing field',
    id: 'getDevice',
    given: { status: 200, body: nameless },
    pointer: /^body/,
    reason: 'deviceName',
  },
  {
    name: 'a field that is undefined',
    id: 'getDevice',
    given: { status: 200, body: { ...device, deviceName: undefined } },
    pointer: /^body/,
    reason: 'deviceName',
  },
  {
    name: 'a field of the wrong type',
    id: 'getDevice',
    given: { status: 200, body: { ...device, batteryLevel: '87' } },
    pointer: /^body \/batteryLevel/,
    reason: 'integer',
  },
  {
    name: 'a field that is not documented',
    id: 'getDevice',
    given: { status: 200, body: { ...device, accountId: 'acme' } },
    pointer: /^body/,
    reason: 'accountId',
  },
  {
    name: 'a field that is not documented, in an item of a list',
    id: 'getDevices',
    given: { status: 200, body: { payload: [{ ...listed, deviceKey: 'x' }], nextCursor: '' } },
    pointer: /^body \/payload\/0/,
    reason: 'deviceKey',
  },
  {
    name: 'a status that is not declared',
    id: 'getDevice',
    given: { status: 418, body: { error: 'x', code: 'algopin_not_supported' } },
    pointer: /responses$/,
    reason: '418 is not declared',
  },
  {
    name: 'a success that is not declared',
    id: 'getDevice',
    given: { status: 201, body: device },
    pointer: /responses$/,
    reason: '201 is not declared',
  },
  {
    name: 'a code of another operation',
    id: 'updateDevice',
    given: { status: 400, body: { error: 'x', code: 'cursor_invalid', details: [] } },
    pointer: /400\/x-error-codes$/,
    reason: 'cursor_invalid',
  },
  {
    name: 'a missing header',
    id: 'createBridgeTargetedJob',
    given: { status: 429, body: busy },
    pointer: /429\/headers\/Retry-After$/,
    reason: 'is missing',
  },
  {
    name: 'a header with an invalid value',
    id: 'createBridgeTargetedJob',
    given: { status: 429, headers: { 'Retry-After': 0.5 }, body: busy },
    pointer: /Retry-After$/,
    reason: 'integer',
  },
  {
    name: 'a header that is not declared',
    id: 'getDevice',
    given: { status: 200, headers: { 'X-Internal': 'a' }, body: device },
    pointer: /200\/headers$/,
    reason: 'x-internal',
  },
  {
    name: 'another media type',
    id: 'getDevice',
    given: { status: 200, mediaType: 'text/plain', body: device },
    pointer: /content$/,
    reason: 'text/plain',
  },
  { name: 'no body', id: 'getDevice', given: { status: 200 }, pointer: /content$/, reason: 'missing' },
  {
    name: 'text in the wrong member',
    id: 'getDevice',
    given: { status: 404, body: { error: 'not found device', code: 'device_not_found' } },
    pointer: /^body/,
    reason: 'message',
  },
];

describe('an answer that violates the contract', () => {
  for (const { name, id, given, pointer, reason } of violations) {
    test(`is not sent: ${name}`, async () => {
      const { status, headers, body, faults } = await answerWith(id, () => given);
      const requestId = headers.get('x-request-id');
      expect([status, body]).toEqual([500, { message: 'Internal error', code: 'internal', requestId }]);
      expect(faults).toHaveLength(1);
      expect(faults[0]).toMatchObject({
        requestId,
        operationId: id,
        pointer: expect.stringMatching(pointer),
        reason: expect.stringContaining(reason),
      });
    });
  }

  test('is sent unchanged when responses are not checked', async () => {
    const { status, faults } = await answerWith('getDevice', () => ({ status: 200, body: nameless }), trusting);
    expect([status, faults]).toEqual([200, []]);
  });
});

describe('an answer that conforms to the contract is sent:', () => {
  for (const operation of Object.values(operations).filter(({ basePath }) => basePath === '/v1')) {
    const responses = readPointer(document, `${operation.pointer}/responses`);
    test(`every example of ${operation.operationId}`, async () => {
      const answers = Object.entries(isObject(responses) ? responses : {}).flatMap(([status, node]) => {
        const response = followRef(document, node);
        const media = followMember(document, followMember(document, response, 'content'), 'application/json');
        const own = Object.entries(followMember(document, response, 'headers')).map(
          ([name, header]) => ({ name, ...followRef(document, header) }) as Record<string, unknown>,
        );
        return Object.values(followMember(document, media, 'examples')).map((example): Answer => {
          const headers = own.filter((header) => header.required === true && header['x-ambient'] !== true);
          return {
            status: Number(status),
            headers: Object.fromEntries(headers.map((header) => [String(header.name), firstExample(header)])),
            body: followRef(document, example).value,
          };
        });
      });
      expect(answers.length).toBeGreaterThan(5);
      for (const wanted of answers) {
        const { status, faults } = await answerWith(operation.operationId, () => wanted);
        expect({ status, faults }).toEqual({ status: wanted.status, faults: [] });
      }
    });
  }
});

function firstExample(header: Record<string, unknown>): string {
  const [named] = Object.values(isObject(header.examples) ? header.examples : {});
  return String(header.example ?? followRef(document, named).value);
}

describe('what a handler throws', () => {
  test('is a 500 without details, logged once with the request id', async () => {
    const boom = () => {
      throw new Error('SELECT secret FROM /var/lib');
    };
    const { status, headers, body, faults } = await answerWith('getDevice', boom);
    const requestId = headers.get('x-request-id');
    expect([status, body]).toEqual([500, { message: 'Internal error', code: 'internal', requestId }]);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({
      requestId,
      operationId: 'getDevice',
      err: { message: 'SELECT secret FROM /var/lib' },
    });
  });

  test('is a 503 with Retry-After when the store is busy', async () => {
    const { status, headers, body } = await answerWith('getDevice', () => {
      throw new StoreUnavailable('database is locked');
    });
    expect([status, headers.get('retry-after'), body]).toMatchObject([
      503,
      '1',
      { message: 'Busy, try again in 1 second', code: 'unavailable' },
    ]);
  });

  test('may be undefined', async () => {
    const { status } = await answerWith('getDevice', () => undefined as unknown as Answer);
    expect(status).toBe(500);
  });
});
