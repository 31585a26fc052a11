import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { addOptions, optionTable, readOptions } from './options.ts';

test('every option stands in the table under the name that commander gives it', () => {
  const names = Object.values(optionTable).map(({ flags }) => new Option(flags).attributeName());
  expect(names).toEqual(Object.keys(optionTable));
});

test('what is secret can come from the environment', () => {
  const secret = /token|credential|user|secret|password/i;
  const open = Object.entries<{ flags: string; env?: string }>(optionTable).filter(
    ([name, { env }]) => secret.test(name) && env === undefined,
  );
  expect(open.map(([name]) => name)).toEqual(['tokenCommand']);
});

test('tells every fault at once, those of what is missing first', () => {
  const { faults } = readOptions({ seed: 'x', workers: '0', report: 'jnuit,json', writes: 'al' }, true);
  expect(faults).toEqual([
    '--contract FILE is needed.',
    '--base-url URL is needed.',
    '--writes al does not exist. Did you mean all? There are: owned, restore, all.',
    '--seed x: give a whole number from 0 on.',
    '--workers 0: give a whole number from 1 on.',
    '--report jnuit does not exist. Did you mean junit? There are: console, json, junit.',
  ]);
});

test('no password of an address is told, and none is taken', () => {
  const { faults } = readOptions({ contract: 'x', baseUrl: 'https://ann:hunter2@api.example/v1' }, true);
  expect(faults).toEqual(['--base-url https://…@api.example: give user and password by --user.']);
});

test('a variable that is not set is told, rather than a run of nobody', () => {
  const { faults } = readOptions({ contract: 'x', baseUrl: '', token: ['a', ''], user: '', clientSecret: 'b' }, true);
  expect(faults).toEqual([
    '--base-url is empty: check that its variable is set.',
    '--token is empty: check that its variable is set.',
    '--user is empty: check that its variable is set.',
    '--client-secret needs --client-id too.',
  ]);
});

test('checks and phases may stand with commas between, as reports do', () => {
  const { values, faults } = readOptions(
    { contract: 'x', baseUrl: 'http://a', check: ['slow,media-type', 'http-law'] },
    true,
  );
  expect([values.check, faults]).toEqual([['slow', 'media-type', 'http-law'], []]);
});

test('a server and its address are read apart, and told where one of them is missing', () => {
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

test('an address without its scheme is told with one', () => {
  const told = (baseUrl: string) => readOptions({ contract: 'x', baseUrl }, true).faults;
  expect(told('localhost:8080/v1')).toEqual([
    '--base-url localhost:8080/v1 is no http address. Did you mean http://localhost:8080/v1?',
  ]);
  expect(told('api.example')).toEqual(['--base-url api.example is no http address. Did you mean http://api.example?']);
  expect(told('ftp://a')).toEqual(['--base-url ftp://a is no http address. Write http://HOST:PORT/PATH.']);
});

test('what stands where a header is wanted is never told: it may be a secret', () => {
  const { faults } = readOptions({ contract: 'x', baseUrl: 'http://a', header: ['X-Key: a', 'Bearer hunter2'] }, true);
  expect(faults).toEqual(["--header: write it in quotes, as in --header 'X-Tenant: acme'."]);
});

test('an option may stand several times, on the line before the environment', () => {
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
