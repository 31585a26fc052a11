import { describe, expect, test } from 'vitest';
import { nameMismatch } from './names-origin.ts';

const local = 'http://localhost:8080/auth';
const published = 'https://api.example/auth';

describe('the name a request was sent to', () => {
  test.each([
    [local, 'localhost:8080'],
    [local, 'LOCALHOST:8080'],
    [local, '127.0.0.1:8080'],
    [local, '[::1]:8080'],
    ['http://127.0.0.1:8080/auth', 'localhost:8080'],
    ['http://localhost/auth', '127.0.0.1:80'],
    [published, 'api.example'],
    [published, 'api.example:443'],
  ])('%s passes as %s', (address, asked) => {
    expect(nameMismatch(asked, address)).toBeUndefined();
  });

  test.each([
    [local, 'localhost:8081'],
    [local, 'localhost'],
    [local, 'evil.example:8080'],
    [local, 'localhost:8080.evil.example'],
    [local, 'evil@localhost:8080'],
    [local, 'localhost:8080/x'],
    [local, '127.0.0.2:8080'],
    [local, undefined],
    [local, ''],
    [published, 'localhost'],
    [published, 'api.example:8443'],
    [published, 'api.example.evil.example'],
  ])('%s does not pass as %s, and the message names it', (address, asked) => {
    const { host } = new URL(address);
    expect(nameMismatch(asked, address)).toContain(`This server is ${host}, not `);
    expect(nameMismatch(asked, address)).toContain(`use ${address}`);
  });

  test('repeats no character that could break a line or a page', () => {
    expect(nameMismatch('<script>\r\nx', local)).toContain('not ?script???x:');
  });
});
