import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, environment, readConfig } from './config.ts';

test('an empty environment gives the defaults', () => {
  expect(readConfig({})).toEqual({
    port: 8080,
    host: '127.0.0.1',
    publicOrigin: undefined,
    database: { kind: 'sqlite', file: resolve('.lockstep/service.sqlite') },
    keyFile: resolve('.lockstep/keys.json'),
    logLevel: 'info',
    accountQuota: 3600,
    maxConnections: 1000,
    corsOrigins: [],
    docsFolder: undefined,
    differentialValidation: false,
    timezoneFolder: undefined,
  });
});

test.each([
  { name: 'PORT', value: '0', want: { port: 0 } },
  { name: 'PUBLIC_ORIGIN', value: 'https://api.example/', want: { publicOrigin: 'https://api.example' } },
  { name: 'DATABASE_URL', value: 'sqlite:/var/lib/a.sqlite', want: { database: { file: '/var/lib/a.sqlite' } } },
  { name: 'DATABASE_URL', value: 'postgres://db.example/a', want: { database: { url: 'postgres://db.example/a' } } },
  { name: 'LOG_LEVEL', value: '', want: { logLevel: 'info' } },
  { name: 'DOCS_DIR', value: 'site/docs', want: { docsFolder: resolve('site/docs') } },
  { name: 'DOCS_DIR', value: '', want: { docsFolder: undefined } },
  {
    name: 'TIMEZONE_DATA',
    value: 'tz',
    want: { timezoneFolder: { name: 'TIMEZONE_DATA', text: 'tz', path: resolve('tz') } },
  },
  {
    name: 'ICU_TIMEZONE_FILES_DIR',
    value: '/tz',
    want: { timezoneFolder: { name: 'ICU_TIMEZONE_FILES_DIR', text: '/tz', path: '/tz' } },
  },
  { name: 'ACCOUNT_QUOTA', value: '0', want: { accountQuota: 0 } },
  { name: 'ACCOUNT_QUOTA', value: '999999999', want: { accountQuota: 999_999_999 } },
  { name: 'MAX_CONNECTIONS', value: '1', want: { maxConnections: 1 } },
  { name: 'SECOND_OPINION', value: 'true', want: { differentialValidation: true } },
  {
    name: 'CORS_ORIGINS',
    value: 'https://app.example, http://localhost:5173/',
    want: { corsOrigins: ['https://app.example', 'http://localhost:5173'] },
  },
])('$name=$value is read', ({ name, value, want }) => {
  expect(readConfig({ [name]: value })).toMatchObject(want);
});

test.each([
  { name: 'PORT', value: '70000' },
  { name: 'PORT', value: '80x' },
  { name: 'PUBLIC_ORIGIN', value: 'api.example' },
  { name: 'PUBLIC_ORIGIN', value: 'https://api.example/v1' },
  { name: 'PUBLIC_ORIGIN', value: 'ftp://api.example' },
  { name: 'DATABASE_URL', value: 'mysql://db' },
  { name: 'LOG_LEVEL', value: 'loud' },
  { name: 'ACCOUNT_QUOTA', value: '-1' },
  { name: 'ACCOUNT_QUOTA', value: '1e3' },
  { name: 'ACCOUNT_QUOTA', value: '1000000000' },
  { name: 'MAX_CONNECTIONS', value: '0' },
  { name: 'SECOND_OPINION', value: 'yes' },
  { name: 'MAX_CONNECTIONS', value: '1e3' },
  { name: 'CORS_ORIGINS', value: '*' },
  { name: 'CORS_ORIGINS', value: 'null' },
  { name: 'CORS_ORIGINS', value: 'https://*.example' },
  { name: 'CORS_ORIGINS', value: 'https://app.example https://b.example' },
  { name: 'CORS_ORIGINS', value: 'https://app.example,app.example' },
  { name: 'CORS_ORIGINS', value: 'https://app.example/path' },
])('$name=$value is rejected by name and value', ({ name, value }) => {
  expect(() => readConfig({ [name]: value })).toThrow(`${name} is ${JSON.stringify(value)}: `);
});

test('a wrong address of a database is reported without its password', () => {
  const wrong = ['postgres://api:hunter2@db', 'postgres://api:hun/ter2@db/a', 'postgres://db/a?password=hunter2'];
  for (const DATABASE_URL of wrong) {
    expect(() => readConfig({ DATABASE_URL })).toThrow(/^DATABASE_URL is "postgres:.*…/);
    expect(() => readConfig({ DATABASE_URL })).not.toThrow(/hun|ter2/);
  }
});

test('all faults are reported at once', () => {
  const caught = (() => {
    try {
      return readConfig({ PORT: 'a', LOG_LEVEL: 'b', DATABASE_URL: 'c' });
    } catch (error) {
      return error;
    }
  })();
  expect(caught).toBeInstanceOf(ConfigError);
  expect((caught as ConfigError).faults.map((fault) => fault.split(' ')[0])).toEqual([
    'PORT',
    'DATABASE_URL',
    'LOG_LEVEL',
  ]);
});

test('the help lists every variable that is read', () => {
  const read = new Set<string>();
  readConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }));
  expect([...read].sort()).toEqual(Object.keys(environment).sort());
});
