// One of the two that are compared, as a process of its own: `node serve-login.ts ours|bare FOLDER`. Prints its address and the client,
// and creates as many codes as it is asked for: the login before them is not measured.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Provider from 'oidc-provider';
import { issueCode } from '../server/oauth/fixtures/issue-code.ts';
import { createTestKeys } from '../server/oauth/fixtures/keys.ts';
import { callback, owner, startAuth } from '../server/oauth/fixtures/start-auth.ts';
import { lifetimes } from '../server/oauth/lifetimes.ts';
import { apiScopes, openIdScopes } from '../server/oauth/scopes.ts';
import { openSqliteStore } from '../server/store/sqlite/open-store.ts';

/** Message to the bench when the server listens. */
export interface ServedLogin {
  /** The token endpoint. */
  readonly address: string;
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
}

interface Server extends Omit<ServedLogin, 'redirectUri'> {
  readonly provider: Provider;
  readonly resource: string;
}

const [kind, folder = ''] = process.argv.slice(2);
const { provider, resource, ...served } = kind === 'ours' ? await startOurs() : await startBare();
process.once('SIGTERM', () => process.exit(0));
process.on('message', async (count: number) => {
  const codes: string[] = [];
  for (let made = 0; made < count; made += 1) codes.push(await issueCode(provider, resource));
  process.send?.(codes);
});
process.send?.({ ...served, redirectUri: callback } satisfies ServedLogin);

async function startOurs(): Promise<Server> {
  const store = await openSqliteStore(join(folder, 'login.sqlite'));
  const { auth, partner, resource: ours, origin } = await startAuth({ store });
  return { provider: auth.provider, resource: ours, address: `${origin}/auth/oauth2/token`, ...partner };
}

/** Only the library, with storage in memory, configured to do the same: JWT access tokens for one resource, signed alike, as long-lived. */
async function startBare(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const bareResource = `${origin}/v1`;
  const { jwks } = await createTestKeys();
  const [clientId, secret] = ['test-partner', 'a-secret-of-the-bench'];
  const bare = new Provider(origin, {
    jwks: { keys: jwks.keys.map((key) => ({ ...key })) },
    clients: [
      {
        client_id: clientId,
        client_secret: secret,
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    ttl: lifetimes,
    scopes: [...openIdScopes],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'updated_at'] },
    conformIdTokenClaims: false,
    issueRefreshToken: async () => true,
    rotateRefreshToken: false,
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => bareResource,
        useGrantedResource: async () => true,
        getResourceServerInfo: async () => ({
          scope: apiScopes.join(' '),
          audience: bareResource,
          accessTokenTTL: lifetimes.AccessToken,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    findAccount: async (_ctx, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, name: owner.name, preferred_username: owner.email, updated_at: 0 }),
    }),
  });
  server.on('request', bare.callback());
  return { provider: bare, resource: bareResource, address: `${origin}/token`, clientId, secret };
}
