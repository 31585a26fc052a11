import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import { type ContractDocument, followMember, followRef, isObject, readPointer } from '@lockstep/json/json-pointer';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, errorCatalogue, RequestRejected, reject } from './error-catalogue.ts';

const document: ContractDocument = contract;

/** One row for each code of each response, of the operations of the resource API and of requests to no operation. */
const declared = [
  ...Object.values(operations)
    .filter(({ basePath }) => basePath === '/v1')
    .map(({ operationId, pointer }) => ({
      owner: operationId,
      responses: readPointer(document, `${pointer}/responses`),
    })),
  { owner: 'x-unrouted', responses: document['x-unrouted'] },
].flatMap(({ owner, responses }) =>
  Object.entries(isObject(responses) ? responses : {}).flatMap(([status, node]) => {
    const response = followRef(document, node);
    const codes = Array.isArray(response['x-error-codes']) ? response['x-error-codes'].map(String) : [];
    return codes.map((code) => ({ owner, status: Number(status), code, response }));
  }),
);

const catalogue: Readonly<
  Record<string, { status: number; member: string; text: string; headers?: readonly string[] }>
> = errorCatalogue;

describe('the error catalogue', () => {
  test('has exactly the codes that the contract declares', () => {
    expect(Object.keys(catalogue).toSorted()).toEqual([...new Set(declared.map(({ code }) => code))].toSorted());
  });

  test('has exactly the codes of the schema of `code`', () => {
    expect(Object.keys(catalogue).toSorted()).toEqual(contract.components.schemas.ErrorCode.enum.toSorted());
  });

  for (const { owner, status, code, response } of declared) {
    test(`agrees with ${owner} on ${code}`, () => {
      const entry = catalogue[code];
      const media = followMember(document, followMember(document, response, 'content'), 'application/json');
      const example = followMember(document, followMember(document, media, 'examples'), code).value;
      const headers = Object.entries(followMember(document, response, 'headers'))
        .filter(
          ([, node]) => followRef(document, node)['x-ambient'] !== true && followRef(document, node).required === true,
        )
        .map(([name]) => name);
      expect({ status: entry?.status, headers: entry?.headers ?? [] }).toEqual({ status, headers });
      expect(example).toMatchObject({ code, [entry?.member ?? '']: expect.any(String) });
      expect(
        Object.keys(isObject(example) ? example : {}).filter((name) => /^(error|message)$/.test(name)),
      ).toHaveLength(1);
    });
  }

  test('keeps the only stable text', () => {
    expect(errorCatalogue.device_not_found.text).toBe('not found device');
  });
});

describe('reject', () => {
  const cases: readonly { name: string; given: unknown; want: unknown }[] = [
    {
      name: 'uses the text of the catalogue',
      given: reject('device_not_found'),
      want: { status: 404, body: { message: 'not found device', code: 'device_not_found' } },
    },
    {
      name: 'adds details to a 400, an empty list by default',
      given: reject('cursor_invalid', { text: 'no' }),
      want: { status: 400, body: { error: 'no', code: 'cursor_invalid', details: [] } },
    },
    {
      name: 'adds headers',
      given: reject('queue_full', { text: 'full', headers: { 'Retry-After': 17 } }),
      want: { status: 429, headers: { 'Retry-After': 17 }, body: { error: 'full', code: 'queue_full' } },
    },
  ];
  for (const { name, given, want } of cases) test(name, () => expect(given).toStrictEqual(want));

  test('can be thrown, with its cause', () => {
    const cause = new Error('why');
    const code: ErrorCode = 'trial_ended';
    expect(new RequestRejected(reject(code), { cause })).toMatchObject({
      message: code,
      cause,
      response: { status: 402 },
    });
  });
});
