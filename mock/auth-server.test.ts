import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isForAuthServer } from './auth-server.ts';

const cases = [
  { name: 'a path below it', url: '/auth/oauth2/token', want: true },
  { name: 'a path below it that nobody knows', url: '/auth/nowhere?x=1', want: true },
  { name: 'its own path', url: '/auth', want: true },
  { name: 'the form a proxy sends', url: 'http://elsewhere/auth/login', want: true },
  { name: 'a preference that is not ours', url: '/auth/login', prefer: 'respond-async', want: true },
  { name: 'a documented answer, by header', url: '/auth/login', prefer: 'code=400', want: false },
  { name: 'a documented answer, by query', url: '/auth/login?__example=x', want: false },
  { name: 'a path that only begins alike', url: '/authors', want: false },
  { name: 'another case', url: '/AUTH/login', want: false },
  { name: 'another path', url: '/v1/auth/login', want: false },
];

describe('the auth server', () => {
  for (const { name, url, prefer, want } of cases) {
    test(`${want ? 'is asked for' : 'is not asked for'} ${name}`, () => {
      const request = new IncomingMessage(new Socket());
      request.url = url;
      if (prefer !== undefined) request.headersDistinct.prefer = [prefer];
      expect(isForAuthServer({ basePath: '/auth', callback: () => undefined }, request)).toBe(want);
    });
  }
});
