import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { serve, type TestAnswer } from '../seeded/serve.ts';
import { readContractFile } from './read-contract.ts';

const text =
  "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {responses: {'200': {description: D}}}}}\n";
const most = 64 * 1024;

const rows: readonly { name: string; answer: (path: string, own: string) => TestAnswer; message: string }[] = [
  {
    name: 'unpacks to more than the bound',
    answer: () => zipped(' '.repeat(most + 1)),
    message: 'it is longer than 64 kB',
  },
  {
    name: 'redirects to another origin, whose query is not shown',
    answer: () => moved('https://127.0.0.1/x?key=secret'),
    message: 'it redirects to another origin, https://127.0.0.1, which is not followed.',
  },
  {
    name: 'redirects to another port',
    answer: () => moved('//127.0.0.1:1/'),
    message: 'it redirects to another origin, http://127.0.0.1:1,',
  },
  {
    name: 'redirects to itself first, then to another origin',
    answer: (path) => moved(path === '/' ? '/next' : 'file:///etc/hosts'),
    message: 'it redirects to another origin, file://',
  },
  { name: 'redirects to no address', answer: () => moved('http://['), message: 'it redirects to nowhere' },
  { name: 'redirects in a circle', answer: (path) => moved(path), message: 'it redirects more than 5 times' },
];

test.each(rows)('a contract whose address $name is not read', async ({ answer, message }) => {
  const served = await serve(({ path }) => answer(path, served.origin));
  await expect(readContractFile(`${served.origin}/`, { bytes: most })).rejects.toThrow(
    `The contract cannot be read: ${message}`,
  );
  await served.close();
});

test('an address with a password gets no request, and the password is not shown', async () => {
  const given = 'HTTP://ada:pass-word@127.0.0.1:1?key=secret';
  const reading = readContractFile(given).catch((error: Error) => error.message.replaceAll(given, ''));
  expect(await reading).toMatch(/^(?!.*(pass-word|secret))[\s\S]*an address must not contain a name or password\./);
});

test('a contract within the bound is read, also after redirects within its origin', async () => {
  const served = await serve(({ path }) => (path === '/' ? moved('/a') : zipped(text)));
  expect((await readContractFile(`${served.origin}/`, { bytes: most })).title).toBe('T');
  await served.close();
});

function zipped(body: string): TestAnswer {
  return { status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) };
}

function moved(location: string): TestAnswer {
  return { status: 302, headers: { location } };
}
