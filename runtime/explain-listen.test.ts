import { expect, test } from 'vitest';
import { explainListen } from './explain-listen.ts';

test.each([
  { syscall: 'listen', code: 'EADDRINUSE', says: /^Port 80 on mock is taken\..* --port 81$/ },
  { syscall: 'listen', code: 'EACCES', says: /^Port 80 needs more rights/ },
  { syscall: 'listen', code: 'EADDRNOTAVAIL', says: /^mock is not an address of this machine/ },
  { syscall: 'getaddrinfo', code: 'ENOTFOUND', says: /^mock is not an address of this machine/ },
])('$syscall $code', ({ syscall, code, says }) => {
  const error = Object.assign(new Error("EACCES: permission denied, open 'x'"), { syscall, code });
  expect(explainListen(error, { host: 'mock', port: 80 })).toMatch(says);
});

test('an address that is left empty', () => {
  const error = { syscall: 'listen', code: 'EADDRNOTAVAIL' };
  expect(explainListen(error, { host: '', port: 80 })).toBe(
    'An empty text is not an address of this machine. Try --host 127.0.0.1',
  );
});

test('a port that is none, which Node finds before it listens', () => {
  const error = Object.assign(new RangeError('options.port should be >= 0 and < 65536'), {
    code: 'ERR_SOCKET_BAD_PORT',
  });
  expect(explainListen(error, { host: 'mock', port: Number.NaN })).toBe(
    'A port is a number from 0 to 65535. Choose one: --port 8080',
  );
});

test('with names of the environment', () => {
  const explain = (code: string) =>
    explainListen({ syscall: 'listen', code }, { host: 'mock', port: 80 }, { port: 'PORT=', host: 'HOST=' });
  expect(explain('EADDRINUSE')).toMatch(/another: PORT=81$/);
  expect(explain('EADDRNOTAVAIL')).toMatch(/ Try HOST=127\.0\.0\.1$/);
});

test.each([[Object.assign(new Error('x'), { syscall: 'open', code: 'EACCES' })], [undefined], ['a text']])(
  'does not explain %s',
  (error) => {
    expect(explainListen(error, { host: 'mock', port: 80 })).toBeUndefined();
  },
);
