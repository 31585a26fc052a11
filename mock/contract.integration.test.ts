import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import type { Operation, OperationTable } from '@lockstep/contract/operations';
import { operations as table } from '@lockstep/contract/operations';
import { type ContractDocument, followMember, followRef } from '@lockstep/json/json-pointer';
import {
  findResponse,
  listContents,
  type NamedExample,
  responseKeys,
} from '@lockstep/runtime/rejection/declared-response';
import { findFaultMembers, replaceRole } from '@lockstep/runtime/rejection/fault-members';
import { createCoercion } from '@lockstep/runtime/validation/coerce-text';
import { createSchemaCompiler } from '@lockstep/runtime/validation/compile-schema';
import { createTestKeys } from '@lockstep/server/oauth/fixtures/keys';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getToken } from './fixtures/get-token.ts';
import { type SampleRequest, sampleRequest } from './sample-request.ts';
import { type StartedSandbox, startSandbox } from './sandbox/start-sandbox.ts';

const operations = Object.values<Operation>(table satisfies OperationTable);
const document: ContractDocument = contract;
const compile = createSchemaCompiler(document);
const logged: string[] = [];
let mock: StartedSandbox;
let token: string;
/** Id of an existing job. Every other id of an example is one of the demo's. */
let jobId: string;

beforeAll(async () => {
  const logger = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  mock = await startSandbox({ keys: await createTestKeys(), logger, port: 0, host: '127.0.0.1' });
  token = await getToken(mock, 'demo-own');
  jobId = JSON.parse((await call(table.createBridgeProxiedJob)).text).jobId;
});
afterAll(() => mock.close());

interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function send(target: string, init: RequestInit): Promise<Called> {
  const answer = await fetch(mock.origin + target, { redirect: 'manual', ...init });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

function call(operation: Operation, more: Readonly<Record<string, string>> = {}): Promise<Called> {
  const { method, target, headers, body } = sampleFor(operation);
  return send(target, { method, headers: { ...headers, ...more }, ...(body === undefined ? {} : { body }) });
}

/** With a token, and below the OAuth server asking for the documented answer, which it does not give by itself. */
function sampleFor(operation: Operation): SampleRequest {
  const sample = sampleRequest(document, operation, token);
  const asked = operation.basePath === '/auth' ? { prefer: `code=${successOf(operation)}` } : {};
  const target = operation.path.includes('{jobId}') ? sample.target.replace(/[0-9a-f]{24}$/, jobId) : sample.target;
  return { ...sample, target, headers: { ...sample.headers, ...asked } };
}

function successOf({ pointer }: Operation): string | undefined {
  return responseKeys(document, pointer).find((key) => key < '400');
}

/** Checks one answer against the contract: its body matches its schema, its required headers exist and match theirs. */
function expectDeclared({ pointer }: Operation, { status, headers, text }: Called): void {
  const response = findResponse(document, pointer, status);
  expect(response, `${status} is declared`).toBeDefined();
  const node = response?.node ?? {};
  const contents = listContents(document, node);
  const content = contents.find(({ mediaType }) => mediaType === headers.get('content-type'));
  if (contents.length === 0) expect({ text, type: headers.get('content-type') }).toEqual({ text: '', type: null });
  else expect(content, `content type ${headers.get('content-type')} is declared`).toBeDefined();
  if (content?.mediaType === 'application/json') {
    const faults = compile(content.schema)(JSON.parse(text))?.map(
      ({ instancePath, message }) => `${instancePath} ${message}`,
    );
    expect(faults).toBeUndefined();
  }
  for (const [name, declared] of Object.entries(followMember(document, node, 'headers'))) {
    const header = followRef(document, declared);
    const value = headers.get(name);
    if (header.required === true) expect(value, `header ${name}`).not.toBeNull();
    if (value === null) continue;
    const faults = compile(header.schema)(createCoercion(document, header.schema)(value));
    expect(
      faults?.map(({ message }) => message),
      `${name}: ${value}`,
    ).toBeUndefined();
  }
}

interface Documented {
  readonly operation: Operation;
  readonly status: string;
  readonly mediaType: string | undefined;
  readonly schema: unknown;
  readonly example: NamedExample | undefined;
}

/** One row for each named example of each response of each operation; one for a response without any. */
function listDocumented(): Documented[] {
  return operations.flatMap((operation) =>
    responseKeys(document, operation.pointer).flatMap((status) => {
      const contents = listContents(document, findResponse(document, operation.pointer, Number(status))?.node ?? {});
      const { mediaType, schema, examples = [] } = contents[0] ?? {};
      const rows: (NamedExample | undefined)[] = examples.length > 0 ? [...examples] : [undefined];
      return rows.map((example) => ({ operation, status, mediaType, schema, example }));
    }),
  );
}

const documented = listDocumented();

/** Most errors are the same for every operation: in every run one row for each of them, with test:full one for each operation. */
function firstOf<Row>(keyOf: (row: Row) => unknown): (row: Row) => { readonly tags: string[] } {
  const seen = new Set<string>();
  return (row) => {
    const key = JSON.stringify(keyOf(row));
    const isFirst = !seen.has(key);
    seen.add(key);
    return { tags: isFirst ? [] : ['full'] };
  };
}

describe('every operation of the contract', () => {
  for (const operation of operations) {
    test(`${operation.operationId} answers its own success to its own example`, async () => {
      const answer = await call(operation);
      expect({ status: String(answer.status), text: answer.text }).toMatchObject({ status: successOf(operation) });
      expectDeclared(operation, answer);
    });
  }

  const tagsOf = firstOf<Documented>(({ status, mediaType, schema, example }) => [status, mediaType, schema, example]);
  for (const row of documented) {
    const { operation, status, mediaType, schema, example } = row;
    const prefer = example === undefined ? `code=${status}` : `code=${status}, example=${example.name}`;
    test(`${operation.operationId} answers ${prefer}`, tagsOf(row), async () => {
      const answer = await call(operation, { prefer });
      expect({ status: String(answer.status), text: answer.text }).toMatchObject({ status });
      expectDeclared(operation, answer);
      if (example === undefined) return;
      // The request's own id takes the place of the example's.
      const id = answer.headers.get('x-request-id');
      const wanted = replaceRole(findFaultMembers(document, schema), example.value, 'request-id', id);
      expect(mediaType === 'application/json' ? JSON.parse(answer.text) : answer.text).toEqual(wanted);
    });
  }

  test('documents errors in addition to its success', () => {
    expect(documented.length).toBeGreaterThan(operations.length * 2);
  });
});

describe('a fault', () => {
  for (const operation of operations) {
    const { operationId, pointer, requestBody, security } = operation;

    const needsCredentials = security.length > 0;
    const title = needsCredentials ? 'is refused without credentials' : 'asks for no credentials';
    test(`${operationId} ${title}`, async () => {
      const { method, target, headers } = sampleFor(operation);
      const { prefer } = headers;
      const answer = await send(target, { method, headers: prefer === undefined ? {} : { prefer } });
      expect(answer.status === 401).toBe(needsCredentials);
      if (!needsCredentials) return;
      expect(answer.headers.get('www-authenticate')).toMatch(/^(Bearer|Basic) realm=/);
      expectDeclared(operation, answer);
    });

    test(`${operationId} rejects an unknown query parameter`, async () => {
      const { method, target, headers, body } = sampleFor(operation);
      const unknown = `${target}${target.includes('?') ? '&' : '?'}lockstep-unknown=1`;
      const answer = await send(unknown, { method, headers, ...(body === undefined ? {} : { body }) });
      expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('lockstep-unknown') });
      if (findResponse(document, pointer, 400) !== undefined) expectDeclared(operation, answer);
    });

    if (requestBody?.content['application/json'] === undefined) continue;
    test(`${operationId} rejects an unknown member`, async () => {
      const { method, target, headers, body } = sampleFor(operation);
      const changed = JSON.stringify({ ...JSON.parse(body ?? '{}'), 'lockstep-unknown': 1 });
      const answer = await send(target, { method, headers, body: changed });
      expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('lockstep-unknown') });
      expectDeclared(operation, answer);
    });
  }
});

const declared = operations.flatMap((operation) =>
  responseKeys(document, operation.pointer).map((status) => ({ operation, status })),
);
/** Errors have few members. */
const counts = { few: { success: 4, error: 2 }, all: { success: 20, error: 4 } } as const;

describe('an invented answer', () => {
  const tagsOf = firstOf<(typeof declared)[number]>(({ operation: { pointer }, status }) => {
    const contents = listContents(document, findResponse(document, pointer, Number(status))?.node ?? {});
    return [status, contents.map(({ mediaType, schema }) => [mediaType, schema])];
  });
  for (const row of declared) {
    const { operation, status } = row;
    const first = tagsOf(row);
    const title = `of ${operation.operationId} ${status} fits its schema, whatever the seed`;
    test(title, first, () => fitsItsSchema(counts.few));
    test(`${title}, of many`, { tags: ['full'] }, () => fitsItsSchema(counts.all));

    async function fitsItsSchema({ success, error }: { readonly success: number; readonly error: number }) {
      const seeds = Array.from({ length: status.startsWith('2') ? success : error }, (_, index) => index + 1);
      const texts = new Set<string>();
      for (const seed of seeds) {
        const answer = await call(operation, { prefer: `code=${status}, dynamic=true, seed=${seed}` });
        expect({ seed, status: String(answer.status), text: answer.text }).toMatchObject({ status });
        expectDeclared(operation, answer);
        texts.add(withoutId(answer.text));
      }
      const again = await call(operation, { prefer: `code=${status}, dynamic=true, seed=${seeds[0]}` });
      expect(withoutId(again.text)).toBe([...texts][0]);
    }

    // Nested lists of hundreds of items once kept such an answer from ever being sent.
    test(`of ${operation.operationId} ${status} is no longer than a page, by the seed of the run`, first, async () => {
      const answer = await call(operation, {
        prefer: `code=${status}, dynamic=true, seed=${fc.readConfigureGlobal().seed}`,
      });
      expectDeclared(operation, answer);
      expect(answer.text.length).toBeLessThan(5_000);
    });
  }

  test('is another each time where no seed is sent', async () => {
    const invent = async () => {
      const answer = await call(table.getDevices, { prefer: 'code=200, dynamic=true' });
      expectDeclared(table.getDevices, answer);
      return answer.text;
    };
    expect(await invent()).not.toBe(await invent());
  });
});

/** Ids belong to the request. */
function withoutId(text: string): string {
  return text.replace(/"requestId":"[^"]*"/g, '');
}

describe('the log', () => {
  test('has no answer that breaks its own schema, and no failure', () => {
    expect(logged).toEqual([]);
  });
});
