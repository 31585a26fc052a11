import type { RunningListener } from '@lockstep/runtime/start-listening';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContractDocument, followMember, followRef, readPointer } from '../json/json-pointer.ts';
import { hardContract, hardOperations, hopelessIds } from '../mock/fixtures/hard-contract.ts';
import { type ContractMockOptions, startContractMock } from '../mock/start-contract-mock.ts';
import { museumContract, museumOperations } from '../runtime/fixtures/museum.ts';
import type { Operation, OperationTable } from '../runtime/operation.ts';
import { findResponse, listContents, responseKeys } from '../runtime/rejection/declared-response.ts';
import { createValueMaker } from '../runtime/stateful/make-value.ts';
import { createSchemaCompiler } from '../runtime/validation/compile-schema.ts';
import { dropUnusable } from '../runtime/validation/drop-unusable.ts';
import { createJudge } from '../runtime/validation/judge-value.ts';
import { readDirection } from '../runtime/validation/one-direction.ts';
import { isJsonType } from '../runtime/validation/parse-body.ts';
import { createParameterReader } from '../runtime/validation/read-parameters.ts';
import paymentsContract from '../toolkit/fixtures/payments/generated/contract.gen.json' with { type: 'json' };
import { operations as paymentsOperations } from '../toolkit/fixtures/payments/generated/operations.gen.ts';

// If these fail, a mock serves what its contract forbids, and an integration that is built on it fails on the real service.

const contracts: readonly {
  readonly name: string;
  readonly contract: ContractDocument;
  readonly operations: OperationTable;
}[] = [
  { name: 'museum', contract: museumContract, operations: museumOperations },
  { name: 'payments', contract: paymentsContract, operations: paymentsOperations },
  { name: 'hard', contract: hardContract, operations: hardOperations },
];

const start = (
  contract: ContractDocument,
  operations: ContractMockOptions['operations'],
  told: object[],
): Promise<RunningListener> =>
  startContractMock({
    contract,
    operations,
    logger: pino({ level: 'silent' }),
    port: 0,
    host: '127.0.0.1',
    unchecked: (place) => void told.push(place),
  });

/** The parts of one answer in a contract: body, headers, and required headers. */
function findFaults(contract: ContractDocument, { pointer }: Operation, answer: Response, bytes: Buffer): string[] {
  const document = readDirection(dropUnusable(contract).document, 'response');
  const compile = createSchemaCompiler(document);
  const response = findResponse(document, pointer, answer.status)?.node;
  if (response === undefined) return [`${answer.status} is not declared`];
  const contents = answer.status === 204 ? [] : listContents(document, response);
  const type = answer.headers.get('content-type') ?? '';
  const content =
    contents.find(({ mediaType }) => mediaType === type) ?? contents.find(({ mediaType }) => mediaType.includes('*'));
  const faults: string[] = [];
  if (contents.length === 0 && bytes.length > 0) faults.push('there should be no body');
  if (contents.length > 0 && content === undefined) faults.push(`${type} is not declared`);
  if (content?.schema !== undefined && isJsonType(type))
    faults.push(
      ...(compile(content.schema)(JSON.parse(bytes.toString())) ?? []).map(
        (error) => `body ${error.instancePath} ${error.message}`,
      ),
    );
  for (const [name, node] of Object.entries(followMember(document, response, 'headers'))) {
    const header = followRef(document, node);
    const value = answer.headers.get(name);
    if (value === null && header.required === true) faults.push(`${name} is missing`);
    if (value === null || name === 'Content-Length') continue;
    const [media] = Object.values(followMember(document, header, 'content')).map((one) => followRef(document, one));
    const schema = media === undefined ? header.schema : media.schema;
    const read = createParameterReader(
      { x: schema },
      {
        name,
        in: 'header',
        required: true,
        style: 'simple',
        explode: header.explode === true,
        allowEmptyValue: false,
        schema: '#/x',
      },
    );
    const reading =
      media === undefined
        ? read([{ name: name.toLowerCase(), value, broken: false }])
        : { kind: 'value', value: JSON.parse(value) };
    const error = 'value' in reading ? compile(schema)(reading.value)?.[0] : undefined;
    if (error !== undefined) faults.push(`${name}: ${value} ${error.message}`);
  }
  return faults;
}

/** A request with all that is required, made of the contract's schemas. */
function makeRequest(
  contract: ContractDocument,
  { method, basePath, path, parameters, requestBody, security }: Operation,
) {
  const document = readDirection(contract, 'request');
  const makeValue = createValueMaker(document, createJudge(document), 'request');
  const makeBy = ($ref: string): unknown => {
    const made = makeValue({ $ref });
    return made.kind === 'value' ? made.value : undefined;
  };
  const required = parameters.filter((parameter) => parameter.required);
  const textsIn = (place: string): [string, string][] =>
    required.filter((one) => one.in === place).map(({ name, schema }) => [name, String(makeBy(schema))]);
  const filled = textsIn('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const [mediaType, schema] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const value = schema === undefined ? undefined : makeBy(schema);
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  const [scheme] = Object.keys(security[0] ?? {});
  const credentials: Readonly<Record<string, string>> = {
    desk: `Basic ${Buffer.from('desk:secret').toString('base64')}`,
    digest: 'Digest any',
  };
  const body = isForm ? new URLSearchParams(value as Record<string, string>).toString() : JSON.stringify(value);
  return {
    method: method.toUpperCase(),
    target: `${basePath}${filled}?${new URLSearchParams(textsIn('query'))}`,
    headers: {
      ...Object.fromEntries(textsIn('header')),
      authorization: credentials[scheme ?? ''] ?? 'Bearer any',
      'x-api-key': 'any',
      ...(mediaType !== undefined && { 'content-type': mediaType }),
    },
    body: mediaType === undefined ? undefined : body,
  };
}

describe.each(contracts)('a mock of the contract $name', ({ name, contract, operations }) => {
  const told: object[] = [];
  let mock: RunningListener;
  beforeAll(async () => {
    mock = await start(contract, operations as ContractMockOptions['operations'], told);
  });
  afterAll(() => mock.close());

  const ask = async (operation: Operation, more: Record<string, string> = {}) => {
    const { method, target, headers, body } = makeRequest(contract, operation);
    const answer = await fetch(mock.origin + target, {
      method,
      headers: { ...headers, ...more },
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  for (const operation of Object.values<Operation>(operations)) {
    const isHopeless = name === 'hard' && hopelessIds.includes(operation.operationId);
    if (isHopeless) {
      test(`${operation.operationId} answers 500, with the reason`, async () => {
        const { answer, bytes } = await ask(operation);
        expect([answer.status, JSON.parse(bytes.toString()).detail]).toEqual([
          500,
          expect.stringContaining(`No answer can be made for ${operation.operationId} 200`),
        ]);
      });
      continue;
    }

    for (const [how, headers] of [
      ['as documented', {}],
      ['invented', { prefer: 'dynamic=true' }],
      ['invented by a seed', { prefer: 'dynamic=true, seed=3' }],
    ] as const)
      test(`${operation.operationId} answers what its contract allows, ${how}`, async () => {
        const { answer, bytes } = await ask(operation, headers);
        expect(answer.status, bytes.toString()).toBeLessThan(400);
        expect(findFaults(contract, operation, answer, bytes)).toEqual([]);
      });

    test(`${operation.operationId} answers the same each time`, async () => {
      const answers = [await ask(operation), await ask(operation)];
      expect(answers[1]?.bytes.equals(answers[0]?.bytes ?? Buffer.of(1))).toBe(true);
    });

    for (const status of responseKeys(contract, operation.pointer).filter((key) => /^[2-5]\d\d$/.test(key)))
      test(`${operation.operationId} answers ${status} when it is asked for`, async () => {
        const { answer, bytes } = await ask(operation, { prefer: `code=${status}` });
        expect(String(answer.status)).toBe(status);
        expect(findFaults(contract, operation, answer, bytes)).toEqual([]);
      });
  }
});

describe('a mock of the contract hard', () => {
  const told: object[] = [];
  let mock: RunningListener;
  beforeAll(async () => {
    mock = await start(hardContract, hardOperations as ContractMockOptions['operations'], told);
  });
  afterAll(() => mock.close());
  const get = (id: string, headers: Record<string, string> = {}) =>
    fetch(`${mock.origin}/${id}`, { headers, redirect: 'manual' });

  test('prints at the start what it does not check', () => {
    expect(told).toEqual([
      {
        pointer: expect.stringMatching(/badPattern.*\/pattern$/),
        why: expect.stringMatching(/^pattern is not usable/),
      },
      { pointer: expect.stringMatching(/draftFour.*\/exclusiveMinimum$/), why: 'exclusiveMinimum must be a number' },
      { pointer: expect.stringMatching(/nowhere.*\/\$ref$/), why: '$ref leads nowhere: #/components/schemas/Gone' },
    ]);
  });

  const bodies = [
    { id: 'textOfJson', body: '{"n":7}', name: 'the value that the text of an example holds' },
    { id: 'oneGoodExample', body: '5', name: 'the first example that fits' },
    {
      id: 'xml',
      body: /^<\?xml version="1.0" encoding="UTF-8"\?>\n<Cat><kind>.*<lives>\d<\/lives><\/Cat>$/,
      name: 'XML for XML',
    },
    { id: 'text', body: '5', name: 'a number as text' },
    { id: 'severalTypes', body: '1', name: 'JSON where any type will do' },
    { id: 'severalTypes', accept: 'text/csv', body: 'a,b', name: 'the type that is asked for' },
    { id: 'severalTypes', accept: 'text/*, application/json;q=0.5', body: 'a,b', name: 'the range that is asked for' },
    { id: 'severalTypes', accept: 'image/png', body: '1', name: 'the usual type where none is acceptable' },
    { id: 'anyType', body: /^\{"a":/, name: 'JSON for any type' },
  ];
  test.each(bodies)('answers $name', async ({ id, accept, body }) => {
    const text = await get(id, accept === undefined ? {} : { accept }).then((answer) => answer.text());
    if (typeof body === 'string') expect(text).toBe(body);
    else expect(text).toMatch(body);
  });

  test('names the form that a discriminator stands for', async () => {
    expect(await get('oneForm').then((answer) => answer.json())).toMatchObject({ kind: 'miaow' });
  });

  test('shows a picture where a picture is declared', async () => {
    const answer = await get('picture');
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  test('redirects to a place that can be followed', async () => {
    const { status, headers } = await get('moved');
    expect([status, headers.get('location')]).toEqual([301, '/']);
  });

  test('writes a header in the format of HTTP, if the contract specifies no more', async () => {
    expect((await get('headers')).headers.get('etag')).toBe('"1"');
  });

  test('answers HEAD without content', async () => {
    const answer = await fetch(`${mock.origin}/headers`, { method: 'HEAD' });
    expect([answer.status, await answer.text(), answer.headers.get('x-list')]).toEqual([
      200,
      '',
      expect.stringContaining(','),
    ]);
  });

  test('does not take a named example that its schema refuses', async () => {
    const text = await get('oneGoodExample', { prefer: 'example=bad' }).then((answer) => answer.text());
    expect(JSON.parse(text)).toBeTypeOf('number');
  });
});

test('the operations of the contracts are there', () => {
  for (const { contract, operations } of contracts)
    for (const { pointer } of Object.values<Operation>(operations))
      expect(readPointer(contract, pointer)).toBeDefined();
});
