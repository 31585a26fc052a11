import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { derive } from '../derive.ts';
import type { ContractError } from './contract-error.ts';
import { readContract } from './read-contract.ts';
import { readText } from './read-text.ts';

const head = "openapi: 3.1.1\ninfo: {title: T, version: '1'}\n";
const operation = "{operationId: a, responses: {'200': {description: OK}}}";

describe('a contract at an address', () => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/whole.yaml': (response) => response.end(`${head}paths:\n  /a: {get: ${operation}}\n`),
    '/30.json': (response) =>
      response.end('{"openapi":"3.0.0","info":{"title":"T","version":"1","x-note":{"$ref":"/whole.yaml"}},"paths":{}}'),
    '/moved': (response) => response.writeHead(302, { location: '/whole.yaml' }).end(),
    '/away': (response) => response.writeHead(307, { location: `${origin.replace('127.0.0.1', 'localhost')}/x` }).end(),
    '/later': (response) => response.writeHead(301, { location: '/away' }).end(),
    '/other': (response) => response.writeHead(308, { location: '//127.0.0.1:1/x' }).end(),
    '/upgraded': (response) => response.writeHead(302, { location: origin.replace('http:', 'https:') }).end(),
    '/data': (response) => response.writeHead(302, { location: 'data:text/plain,openapi: 3.1.1' }).end(),
    '/round': (response) => response.writeHead(302, { location: '/round' }).end(),
    '/nowhere': (response) => response.writeHead(302).end(),
    '/unreadable': (response) => response.writeHead(302, { location: 'http://[' }).end(),
    '/parts.yaml': (response) =>
      response.end(
        `${head}paths: {}\ncomponents: {schemas: {A: {$ref: ./whole.yaml}, B: {$ref: 'http://127.0.0.1/b'}}}\n`,
      ),
    '/broken.yaml': (response) => response.end(`${head}paths: [\n`),
    '/page': (response) => response.end('<!doctype html><title>Not this</title>'),
    '/endless': (response) => {
      response.write('a: '.padEnd(70_000, 'a'));
    },
  };
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const answer = answers[url];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  });
  let origin: string;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each(['/whole.yaml', '/30.json', '/moved'])('%s is read', async (path) => {
    const contract = await readContract(origin + path);
    expect(contract.document.openapi).toMatch(/^3\.1\./);
    expect(contract.locate('#/paths')).toMatchObject({ file: origin + path });
    const files = await derive(contract, 'generated');
    expect(files.get('types.gen.ts')).toContain(`from ${origin}${path}. Do not edit`);
  });

  test.each([
    { path: '/none', want: [{ rule: 'readable', message: 'the server answered 404 Not Found' }] },
    { path: '/broken.yaml', want: [{ rule: 'yaml', line: 3 }] },
    { path: '/page', want: [{ line: 1, message: expect.stringMatching(/\w/) }] },
    {
      path: '/parts.yaml',
      want: [{ rule: 'unsupported/network-reference', line: 4, pointer: '#/components/schemas/B/$ref' }],
    },
  ])('$path is refused', async ({ path, want }) => {
    const error = await readContract(origin + path, { strict: true }).catch((caught: unknown) => caught);
    expect((error as ContractError).problems).toMatchObject(want);
    expect((error as ContractError).problems[0]).toMatchObject({
      file: origin + path,
      fix: expect.stringMatching(/\w/),
    });
  });

  const away = {
    message: expect.stringMatching(/^it redirects to another origin, \S/),
    fix: expect.stringMatching(/trust/),
  };
  test.each([
    { path: '/away', asks: ['/away'], want: away },
    { path: '/later', asks: ['/later', '/away'], want: away },
    { path: '/other', asks: ['/other'], want: away },
    { path: '/upgraded', asks: ['/upgraded'], want: away },
    { path: '/data', asks: ['/data'], want: away },
    { path: '/round', asks: Array(6).fill('/round'), want: { message: 'it redirects more than 5 times' } },
    { path: '/nowhere', asks: ['/nowhere'], want: { message: 'the server answered 302 Found' } },
    { path: '/unreadable', asks: ['/unreadable'], want: { message: 'the server answered 302 Found' } },
  ])('a redirect is followed within its origin alone: $path', async ({ path, asks, want }) => {
    asked.length = 0;
    expect(await readText(origin + path)).toMatchObject({ kind: 'fault', ...want });
    expect(asked).toEqual(asks);
  });

  test('nothing that it refers to is fetched', async () => {
    answers['/near.yaml'] = (response) =>
      response.end(`${head}paths: {}\ncomponents: {schemas: {A: {$ref: ./part.yaml}}}\n`);
    asked.length = 0;
    const error = await readContract(`${origin}/near.yaml`).catch((caught: unknown) => caught);
    expect((error as ContractError).problems).toMatchObject([{ rule: 'unsupported/file-reference', line: 4 }]);
    expect(asked).toEqual(['/near.yaml']);
  });

  test.each([
    { name: 'too long', limits: { bytes: 1024, milliseconds: 5000 }, message: 'it is longer than 1 kB' },
    {
      name: 'too slow',
      limits: { bytes: 1e6, milliseconds: 100 },
      message: 'the whole answer did not arrive within 0.1 seconds',
    },
  ])('an answer that is $name is given up', async ({ limits, message }) => {
    expect(await readText(`${origin}/endless`, limits)).toMatchObject({ kind: 'fault', message });
  });

  test('an address where nobody listens', async () => {
    await expect(readContract('http://127.0.0.1:1/a.yaml')).rejects.toThrow(/message \S/);
  });
});
