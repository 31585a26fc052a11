import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { addOptions, optionTable, readOptions, rows } from './options.ts';

test('every option is in the table under the name that commander gives it', () => {
  const names = Object.values(optionTable).map(({ flags }) => new Option(flags).attributeName());
  expect(names).toEqual(Object.keys(optionTable));
});

test('secrets can come from the environment, and not from the config file', () => {
  const secret = /token|credential|user|secret|password/i;
  const open = rows.filter(
    ([name, { env, isSecret }]) => secret.test(name) && (env === undefined || isSecret !== true),
  );
  expect(open.map(([name]) => name)).toEqual(['tokenCommand']);
});

test('reports all faults at once, missing options first', () => {
  const { faults } = readOptions({ seed: 'x', workers: '0', report: 'jnuit,json', writes: 'al' }, true);
  expect(faults).toEqual([
    '--contract FILE is needed.',
    '--base-url URL is needed.',
    '--writes al does not exist. Did you mean all? There are: owned, restore, all.',
    '--seed x: give a whole number of at least 0.',
    '--workers 0: give a whole number of at least 1.',
    '--report jnuit does not exist. Did you mean junit? There are: console, json, junit, markdown, html, sarif, vitest, har.',
  ]);
});

test('an address with a password is refused, and the message omits it', () => {
  const { faults } = readOptions({ contract: 'x', baseUrl: 'https://ann:hunter2@api.example/v1' }, true);
  expect(faults).toEqual(['--base-url https://…@api.example: give the name and the password with --user.']);
});

test('an empty variable is a fault, not a run without credentials', () => {
  const { faults } = readOptions({ contract: 'x', baseUrl: '', token: ['a', ''], user: '', clientSecret: 'b' }, true);
  expect(faults).toEqual([
    '--base-url is empty: check that its variable is set.',
    '--token is empty: check that its variable is set.',
    '--user is empty: check that its variable is set.',
    '--client-secret needs --client-id too.',
  ]);
});

test('checks and phases may be separated by commas, as reports are', () => {
  const { values, faults } = readOptions(
    { contract: 'x', baseUrl: 'http://a', check: ['slow,media-type', 'http-law'] },
    true,
  );
  expect([values.check, faults]).toEqual([['slow', 'media-type', 'http-law'], []]);
});

test('a server and its address are separated, and a missing one is a fault', () => {
  const read = (server: readonly string[]) => readOptions({ contract: 'x', baseUrl: 'http://a', server }, true);
  const { values, faults } = read(['https://b.example/v1?x=1=http://localhost:1/b/', '/files=http://localhost:2']);
  expect([values.server, faults]).toEqual([
    [
      ['https://b.example/v1?x=1', 'http://localhost:1/b'],
      ['/files', 'http://localhost:2'],
    ],
    [],
  ]);
  expect(read(['https://b.example']).faults).toEqual([
    '--server https://b.example: write SERVER=URL, as in --server https://files.example=http://localhost:8081.',
  ]);
});

test('an address without a scheme gets one in the message', () => {
  const told = (baseUrl: string) => readOptions({ contract: 'x', baseUrl }, true).faults;
  expect(told('localhost:8080/v1')).toEqual([
    '--base-url localhost:8080/v1 is not an http address. Did you mean http://localhost:8080/v1?',
  ]);
  expect(told('api.example')).toEqual([
    '--base-url api.example is not an http address. Did you mean http://api.example?',
  ]);
  expect(told('ftp://a')).toEqual(['--base-url ftp://a is not an http address. Write http://HOST:PORT/PATH.']);
});

test('the message omits a malformed header: it may be a secret', () => {
  const { faults } = readOptions({ contract: 'x', baseUrl: 'http://a', header: ['X-Key: a', 'Bearer hunter2'] }, true);
  expect(faults).toEqual(["--header: write the header in quotes, as in --header 'X-Tenant: acme'."]);
});

test('an option may be given several times, and the command line goes before the environment', () => {
  const before = process.env.LOCKSTEP_TOKEN;
  process.env.LOCKSTEP_TOKEN = 'of-the-environment';
  try {
    const parse = (...args: string[]) => addOptions(new Command()).parse(args, { from: 'user' }).opts();
    expect(parse('--token', 'a', '--token', '-b').token).toEqual(['a', '-b']);
    expect(parse().token).toEqual(['of-the-environment']);
  } finally {
    if (before === undefined) delete process.env.LOCKSTEP_TOKEN;
    else process.env.LOCKSTEP_TOKEN = before;
  }
});

test.each([
  ['10.0.0.1:3128', '--proxy is not an address: '],
  ['squid:3128', '--proxy is not an address: '],
  ['socks5://ann:hunter2@a', '--proxy socks5://… is not an HTTP proxy: '],
  ['http://ann:hunter2@a/path', '--proxy has a path, a query or a fragment: '],
  ['http://ann:hunter2%@a', '--proxy has a % that encodes no character: '],
])('the proxy %s is refused, and the message has no password', (proxy, message) => {
  const hint =
    'write http://HOST:PORT or http://NAME:PASSWORD@HOST:PORT, with %40 for @ and %25 for % in the password.';
  expect(readOptions({ contract: 'x', baseUrl: 'http://a', proxy }, true).faults).toEqual([`${message}${hint}`]);
});
