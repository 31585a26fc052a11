import { expect, test } from 'vitest';
import { explainStart } from './explain-start.ts';

test.each([
  { syscall: 'listen', code: 'EADDRINUSE', says: /^Port 80 on mock is taken\..* --port 81$/ },
  { syscall: 'listen', code: 'EACCES', says: /^Port 80 needs more rights/ },
  { syscall: 'listen', code: 'EADDRNOTAVAIL', says: /^mock is not an address of this machine/ },
  { syscall: 'getaddrinfo', code: 'ENOTFOUND', says: /^mock is not an address of this machine/ },
  { syscall: 'open', code: 'EACCES', says: /^The mock did not start: EACCES: permission denied/ },
])('$syscall $code', ({ syscall, code, says }) => {
  const error = Object.assign(new Error("EACCES: permission denied, open 'x'"), { syscall, code });
  expect(explainStart(error, { host: 'mock', port: 80 })).toMatch(says);
});
