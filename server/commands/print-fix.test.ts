import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatCommand, formatFix } from './print-fix.ts';

const root = join(import.meta.dirname, '../..');
const command = ['lockstep-server', 'device', 'key', 'LK1'];
const node = process.execPath;
const npm = { npm_package_json: join(root, 'package.json') };

describe('a command of this server is typed', () => {
  test.each([
    { name: 'by npm, where npm started it', env: { ...npm, INIT_CWD: root }, want: 'npm run -s lockstep-server --' },
    {
      name: 'by npm from a folder of it',
      env: { ...npm, INIT_CWD: join(root, 'openapi') },
      want: 'npm run -s lockstep-server --',
    },
    {
      name: 'by npm from elsewhere',
      env: { ...npm, INIT_CWD: '/' },
      want: `npm --prefix ${root} run -s lockstep-server --`,
    },
    {
      name: 'by Node, where npm runs some other package',
      env: { npm_package_json: join(root, 'server/package.json'), PATH: join(node, '..') },
      want: 'node server/main.ts',
    },
    { name: 'by the Node that comes first', env: { PATH: `/none:${join(node, '..')}` }, want: 'node server/main.ts' },
    { name: 'by the whole path of a Node that does not', env: { PATH: '/none' }, want: `${node} server/main.ts` },
    { name: 'from another folder', cwd: join(root, 'docs'), env: { PATH: '' }, want: `${node} ../server/main.ts` },
  ])('$name', ({ env, cwd = root, want }) => {
    expect(formatCommand({ command }, { env, cwd, node })).toBe(`${want} device key LK1`);
  });

  test.each([
    {
      name: 'on the database and with the keys that were set',
      env: { DATABASE_URL: 'sqlite:/srv/a.sqlite', LOCKSTEP_KEYS: '/srv/my keys' },
      want: "DATABASE_URL=sqlite:/srv/a.sqlite LOCKSTEP_KEYS='/srv/my keys' ",
    },
    {
      name: 'on the database that it is about',
      env: { DATABASE_URL: 'sqlite:/srv/a.sqlite' },
      database: '/srv/b.sqlite',
      want: 'DATABASE_URL=sqlite:/srv/b.sqlite ',
    },
    {
      name: 'on a database server, without its password',
      env: { DATABASE_URL: 'postgres://api:secret@db.example/a?sslmode=verify-full' },
      want: "DATABASE_URL='postgres://api@db.example/a?sslmode=verify-full' ",
    },
    {
      name: 'bare on that of the default',
      env: {},
      database: join(process.cwd(), '.lockstep/service.sqlite'),
      want: '',
    },
  ])('$name', ({ env, database, want }) => {
    const surroundings = { env: { ...npm, INIT_CWD: root, ...env }, cwd: root, node };
    expect(formatCommand({ command, ...(database && { database }) }, surroundings)).toBe(
      `${want}npm run -s lockstep-server -- device key LK1`,
    );
  });

  test.each([
    { name: 'in the project', cwd: join(root, 'docs'), want: "npm run docs -- --out '/srv/my docs'" },
    { name: 'from elsewhere', cwd: '/', want: `npm --prefix ${root} run docs -- --out '/srv/my docs'` },
  ])('as a script of the project, $name', ({ cwd, want }) => {
    const script = ['npm', 'run', 'docs', '--', '--out', '/srv/my docs'];
    expect(formatCommand({ command: script }, { env: {}, cwd, node })).toBe(want);
  });

  test('without an environment where it makes keys, whose file it names', () => {
    const env = { ...npm, INIT_CWD: root, LOCKSTEP_KEYS: '/srv/keys.json' };
    expect(
      formatCommand({ command: ['lockstep-server', 'keys', 'create', '/srv/keys.json'] }, { env, cwd: root, node }),
    ).toBe('npm run -s lockstep-server -- keys create /srv/keys.json');
  });
});

test.each([
  ['/srv/keys.json', '/srv/keys.json'],
  ['my keys', "'my keys'"],
  ["o'brien", "'o'\\''brien'"],
  ['$(id)', "'$(id)'"],
  ['', "''"],
  ['a\nb', "'a\nb'"],
])('a shell reads nothing into the word %j', (word, want) => {
  expect(formatFix({ message: 'Close it', command: ['chmod', '600', word] })).toBe(`Close it: chmod 600 ${want}`);
});
