import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeDatabase, readDatabaseAddress } from './database-address.ts';

describe('DATABASE_URL', () => {
  test.each([
    ['sqlite:data/a.sqlite', resolve('data/a.sqlite')],
    ['sqlite:/srv/a.sqlite', '/srv/a.sqlite'],
    ['sqlite:///srv/a.sqlite', '/srv/a.sqlite'],
  ])('%s is a file', (text, file) => {
    expect(readDatabaseAddress(text)).toEqual({ kind: 'sqlite', file });
  });

  test.each([
    'postgres://api:p%40ss@db.example:5433/lockstep?sslmode=verify-full&sslrootcert=/etc/ca.pem',
    'postgresql://db.example/lockstep',
    'postgres:///lockstep?host=/run/postgresql',
    'postgres://api@[::1]/lockstep?sslmode=no-verify',
  ])('%s is a database of a server', (url) => {
    expect(readDatabaseAddress(url)).toEqual({ kind: 'postgres', url });
  });

  test.each([
    ['mysql://localhost/a', /sqlite:FILE or postgres:/],
    ['sqlite:', /sqlite:FILE or postgres:/],
    ['/srv/a.sqlite', /sqlite:FILE or postgres:/],
    ['postgres://api:se/cret@db.example/a', /URL: write special characters/],
    ['postgres:///lockstep', /host is missing/],
    ['postgres://db.example', /name of the database is missing/],
    ['postgres://db.example/a/b', /name of the database is missing/],
    ['postgres://db.example/a#b', /write # as %23/],
    ['postgres://db.example/a?sslmod=verify-full', /parameter sslmod, .* sslmode/],
    ['postgres://db.example/a?sslmode=require', /sslmode is require, not one of disable, no-verify, verify-full/],
  ])('%s is neither', (text, reason) => {
    expect(readDatabaseAddress(text)).toEqual({ kind: 'fault', reason: expect.stringMatching(reason) });
  });
});

test.each([
  ['sqlite:/srv/a.sqlite', '/srv/a.sqlite'],
  ['postgres://api:secret@db.example:5433/a?sslmode=disable', 'postgres://api@db.example:5433/a?sslmode=disable'],
  ['postgres:///a?host=/run/postgresql', 'postgres:///a?host=/run/postgresql'],
])('%s is described as %s', (text, description) => {
  const address = readDatabaseAddress(text);
  expect(address.kind === 'fault' ? address : describeDatabase(address)).toBe(description);
});
