import { exitCodeOf } from '@lockstep/shell/program';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readOptions } from './read-options.ts';

// If these fail, a mock starts with other options than the given ones, or a mistake prints a stack.

function read(...args: string[]) {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = {
    out: { write: (text: string) => out.push(text) },
    error: { write: (text: string) => error.push(text) },
  };
  const run = () => {
    try {
      return { options: readOptions(args, streams), exitCode: undefined };
    } catch (thrown) {
      return { options: undefined, exitCode: exitCodeOf(thrown) };
    }
  };
  return { ...run(), out: out.join(''), error: error.join('') };
}

// The options read them too, and a developer's shell may have set them.
beforeEach(() => {
  for (const name of ['PORT', 'PUBLIC_ORIGIN']) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  {
    name: 'a callback on another machine',
    args: ['--loopback-callback', 'http://partner.example/callback'],
    says: 'a callback of this machine is static and begins with http://localhost',
  },
  { name: 'an origin with a path', args: ['--public-origin', 'http://a/b'], says: 'without a path' },
  { name: 'an origin that is none', args: ['--public-origin', 'mock'], says: 'an origin is http(s)://host[:port]' },
  { name: 'a port that is none', args: ['--port', '99999'], says: 'A port is a number from 0 to 65535' },
  { name: 'a time without a year', args: ['--clock', 'June 1'], says: 'from 1971 to 9990 with its offset' },
  { name: 'a time that is too far', args: ['--clock', '9999-12-31T23:30:00Z'], says: 'written as 2026-06-01T12' },
  { name: 'an option that is none', args: ['--prot', '1'], says: "unknown option '--prot'" },
])('refuses $name', ({ args, says }) => {
  const { exitCode, out, error } = read(...args);
  expect([exitCode, out]).toEqual([2, '']);
  expect(error).toContain(says);
});

test('reads its options', () => {
  const callbacks = ['http://localhost:3000/a', 'http://127.0.0.1/b'];
  const { options } = read(
    ...[
      '--port',
      '0',
      '--public-origin',
      'http://mock.example:8090/',
      '--clock',
      '2026-06-01T14:00:00+02:00',
      '--json',
    ],
    ...['--loopback-callback', ...callbacks],
  );
  expect(options).toMatchObject({
    port: 0,
    publicOrigin: 'http://mock.example:8090',
    clock: Date.parse('2026-06-01T12:00:00Z'),
    json: true,
    loopbackCallback: callbacks,
    scenario: 'demo',
    openControl: false,
  });
});

test('explains itself, and that is no wrong use', () => {
  const { exitCode, out, error } = read('--help');
  expect([exitCode, error]).toEqual([0, '']);
  expect(out).toContain('--port');
  expect(out).toContain('Exit codes');
  expect(out).toMatch(/Written next to the key file: mock-access\.json with secrets and passwords in clear, .*0600/);
});
