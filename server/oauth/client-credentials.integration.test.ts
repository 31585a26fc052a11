import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import { basic, post } from './fixtures/talk.ts';
import { apiScopes } from './scopes.ts';

let running: RunningAuth;
beforeAll(async () => {
  running = await startAuth();
});
afterAll(() => running.close());

const own = () => basic(running.own);
const clientCredentials = { grant_type: 'client_credentials' };

describe('client_credentials', () => {
  const scopeCases = [
    { name: 'no scope: all the client owns', client: 'own', scope: undefined, granted: apiScopes },
    { name: 'an empty scope: all the client owns', client: 'own', scope: '', granted: apiScopes },
    {
      name: 'all of a client registered for two',
      client: 'narrow',
      scope: '',
      granted: ['serviceapi/get-devices', 'serviceapi/get-job-status'],
    },
    { name: 'one scope', client: 'own', scope: 'serviceapi/get-devices', granted: ['serviceapi/get-devices'] },
    {
      name: 'one twice',
      client: 'own',
      scope: 'serviceapi/get-devices serviceapi/get-devices',
      granted: ['serviceapi/get-devices'],
    },
  ] as const;

  test.each(scopeCases)('grants $name', async ({ client, scope, granted }) => {
    const fields = scope === undefined ? clientCredentials : { ...clientCredentials, scope };
    const { status, body } = await post(running, '/oauth2/token', fields, basic(running[client]));
    expect(status).toBe(200);
    expect(Object.keys(body ?? {}).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 86400 });
    expect(String(body?.scope).split(' ').sort()).toEqual([...granted].sort());
  });

  test.each([
    ['an unknown one', 'own', 'serviceapi/manage-webhooks'],
    ['one of another client', 'narrow', 'serviceapi/update-device'],
    ['one of OpenID', 'own', 'openid'],
    ['an unknown one among known ones', 'own', 'serviceapi/get-devices nothing'],
  ] as const)('refuses the whole request for a scope that is unavailable: %s', async (_, client, scope) => {
    for (const resource of [undefined, running.resource]) {
      const fields = { ...clientCredentials, scope, ...(resource && { resource }) };
      const { status, body } = await post(running, '/oauth2/token', fields, basic(running[client]));
      expect({ status, error: body?.error }).toEqual({ status: 400, error: 'invalid_scope' });
      expect(body?.error_description).toContain(scope.split(' ').at(-1));
    }
  });

  test('is not for partners', async () => {
    const { status, body } = await post(running, '/oauth2/token', clientCredentials, basic(running.partner));
    expect({ status, error: body?.error }).toEqual({ status: 400, error: 'unauthorized_client' });
  });

  test('knows one resource', async () => {
    const fields = { ...clientCredentials, resource: 'https://other.example/v1' };
    const { status, body } = await post(running, '/oauth2/token', fields, own());
    expect({ status, error: body?.error }).toEqual({ status: 400, error: 'invalid_target' });
  });
});
