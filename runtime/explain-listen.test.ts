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

test.each([[Object.assign(new Error('x'), { syscall: 'open', code: 'EACCES' })], [undefined], ['a text']])(
  'says nothing of %s',
  (error) => {
    expect(explainListen(error, { host: 'mock', port: 80 })).toBeUndefined();
  },
);
