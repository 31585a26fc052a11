import { createHmac } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, type ForeignServer, type Instance, type Login, password, post, virtual } from './servers.ts';

const nodeModules = join(import.meta.dirname, 'unseen/node_modules');

/** Chosen by their documentation, and committed as a list before either tool was run on any of them. */
export const unseenServers: readonly ForeignServer[] = [
  {
    name: 'superset',
    set: 'unseen',
    package: 'apache-superset',
    version: '6.1.0',
    registry: 'PyPI',
    framework: 'Flask-AppBuilder (Python)',
    document: { served: '/api/v1/_openapi' },
    basePath: '',
    ready: '/health',
    prepare: async (instance) => {
      await writeFile(join(instance.folder, 'superset_config.py'), supersetConfiguration(instance.folder));
      const create = (name: string, command: string, ...role: readonly string[]): Command =>
        superset(instance, 'superset', [
          ...['fab', command, ...role, '--username', name, '--firstname', name, '--lastname', 'User'],
          ...['--email', `${name}@example.com`, '--password', password],
        ]);
      return [
        superset(instance, 'superset', ['db', 'upgrade']),
        create('owner', 'create-admin'),
        // Creates the roles, which the second user needs.
        superset(instance, 'superset', ['init']),
        create('second', 'create-user', '--role', 'Alpha'),
      ];
    },
    start: async (instance) =>
      superset(instance, 'gunicorn', [
        ...['superset.app:create_app()', '--bind', `127.0.0.1:${instance.port}`, '--workers', '2'],
      ]),
    logIn: async ({ origin }) => {
      const logIn = async (username: string): Promise<string> => {
        const credentials = { username, password, provider: 'db', refresh: false };
        return String((await post(`${origin}/api/v1/security/login`, credentials)).access_token);
      };
      return { token: await logIn('owner'), secondToken: await logIn('second') };
    },
  },
  {
    name: 'lnbits',
    set: 'unseen',
    package: 'lnbits',
    version: '1.6.2',
    registry: 'PyPI',
    framework: 'FastAPI (Python)',
    document: { served: '/openapi.json' },
    basePath: '',
    ready: '/api/v1/health',
    prepare: async ({ folder }) => {
      // It reads its style sheets from its working directory.
      await symlink(virtual('lnbits', '../lib/python3.11/site-packages/lnbits'), join(folder, 'lnbits'));
      return [];
    },
    start: async ({ folder, port }) => ({
      file: virtual('lnbits', 'lnbits'),
      args: ['--host', '127.0.0.1', '--port', String(port)],
      env: {
        LNBITS_DATA_FOLDER: join(folder, 'data'),
        LNBITS_ADMIN_UI: 'true',
        LNBITS_BACKEND_WALLET_CLASS: 'FakeWallet',
        // By default a caller gets 200 answers a minute.
        LNBITS_RATE_LIMIT_NO: '1000000',
      },
    }),
    logIn: logInToLnbits,
  },
  {
    name: 'sideseat',
    set: 'unseen',
    package: 'sideseat',
    version: '1.0.13',
    registry: 'npm',
    framework: 'axum (Rust)',
    document: { served: '/api/openapi.json' },
    basePath: '',
    ready: '/api/v1/health',
    start: async ({ folder, port }) => ({
      file: 'sh',
      args: [
        // It prints the token of the first login.
        ...['-c', 'exec "$0" "$@" > output.txt'],
        join(nodeModules, `@sideseat/platform-${process.platform}-${process.arch}/sideseat`),
        ...['start', '--host', '127.0.0.1', '--port', String(port), '--otel-grpc', 'false'],
        ...['--no-update-check', '--pricing-sync-hours', '0'],
      ],
      env: { SIDESEAT_DATA_DIR: join(folder, 'data') },
    }),
    logIn: async ({ folder, origin }) => {
      const [, token] = /\?token=([0-9a-f]+)/.exec(await readFile(join(folder, 'output.txt'), 'utf8')) ?? [];
      const response = await call('POST', `${origin}/api/v1/auth/exchange`, { token });
      const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]);
      // Its contract names no scheme.
      return { headers: [['Cookie', cookie.join('; ')]] };
    },
  },
  {
    name: 'pygeoapi',
    set: 'unseen',
    package: 'pygeoapi',
    version: '0.21.0',
    registry: 'PyPI',
    framework: 'Flask (Python)',
    document: { written: 'openapi.yaml' },
    basePath: '',
    ready: '/',
    prepare: async (instance) => {
      const { folder } = instance;
      await writeFile(join(folder, 'configuration.json'), JSON.stringify(pygeoapiConfiguration(instance)));
      await writeFile(join(folder, 'places.geojson'), JSON.stringify({ type: 'FeatureCollection', features: places }));
      await writeFile(join(folder, 'records.json'), JSON.stringify({ _default: Object.assign({}, records) }));
      const generate = ['openapi', 'generate', 'configuration.json', '--output-file', 'openapi.yaml'];
      return [pygeoapi(instance, 'pygeoapi', generate)];
    },
    // One process: its files have no locks.
    start: async (instance) =>
      pygeoapi(instance, 'gunicorn', ['pygeoapi.flask_app:APP', '--bind', `127.0.0.1:${instance.port}`]),
  },
  {
    name: 'platformatic',
    set: 'unseen',
    package: '@platformatic/db',
    version: '3.67.0',
    registry: 'npm',
    framework: 'Fastify (Node)',
    document: { served: '/documentation/json' },
    basePath: '',
    ready: '/documentation/json',
    prepare: async (instance) => {
      const { folder } = instance;
      // It looks for its package next to its configuration.
      await symlink(nodeModules, join(folder, 'node_modules'));
      await mkdir(join(folder, 'migrations'));
      await writeFile(join(folder, 'migrations/001.do.sql'), tables);
      await writeFile(join(folder, 'platformatic.json'), JSON.stringify(platformaticConfiguration(instance)));
      return [];
    },
    start: async () => ({
      file: process.execPath,
      args: [join(nodeModules, 'wattpm/bin/cli.js'), 'start'],
    }),
    logIn: async () => ({ token: signPlatformaticToken('owner'), secondToken: signPlatformaticToken('second') }),
  },
];

function superset({ folder }: Instance, program: string, args: readonly string[]): Command {
  return {
    file: virtual('superset', program),
    args,
    env: { SUPERSET_CONFIG_PATH: join(folder, 'superset_config.py'), FLASK_APP: 'superset' },
  };
}

/** Its requests carry a token, so it needs no second token against forged forms, which its contract does not have. */
const supersetConfiguration = (folder: string): string => `
SECRET_KEY = "a-secret-of-the-bench-that-is-long-enough"
SQLALCHEMY_DATABASE_URI = "sqlite:///${join(folder, 'superset.db')}"
FAB_ADD_SECURITY_API = True
WTF_CSRF_ENABLED = False
`;

/** The first user has all rights. Operations on a wallet need the key of a wallet, the others the token of a user. */
async function logInToLnbits({ origin }: Instance): Promise<Login> {
  const api = `${origin}/api/v1`;
  const create = async (username: string, method: string, path: string) => {
    const user = { username, password, password_repeat: password };
    const { access_token: token } = (await (await call(method, `${api}${path}`, user)).json()) as Readonly<
      Record<string, string>
    >;
    const wallets = (await (await call('GET', `${api}/wallets`, undefined, token)).json()) as readonly {
      readonly adminkey: string;
    }[];
    return { token: String(token), credentials: { APIKeyHeader: String(wallets[0]?.adminkey) } };
  };
  const first = await create('owner', 'PUT', '/auth/first_install');
  const second = await create('second', 'POST', '/auth/register');
  return { ...first, secondToken: second.token, secondCredentials: second.credentials };
}

async function call(method: string, url: string, body?: unknown, token?: string): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return response;
}

function pygeoapi({ folder }: Instance, program: string, args: readonly string[]): Command {
  return {
    file: virtual('pygeoapi', program),
    args,
    env: { PYGEOAPI_CONFIG: join(folder, 'configuration.json'), PYGEOAPI_OPENAPI: join(folder, 'openapi.yaml') },
  };
}

/** Two collections that callers may change, and the process that the package has as an example. */
function pygeoapiConfiguration({ port, origin }: Instance): unknown {
  const url = 'https://example.org';
  const english = (text: string) => ({ en: text });
  const collection = (title: string, provider: unknown) => ({
    ...{ type: 'collection', title, description: title, keywords: [title] },
    links: [{ type: 'text/html', rel: 'canonical', title, href: url, hreflang: 'en-US' }],
    extents: { spatial: { bbox: [-180, -90, 180, 90], crs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' } },
    providers: [provider],
  });
  return {
    server: {
      ...{ bind: { host: '127.0.0.1', port }, url: origin, mimetype: 'application/json; charset=UTF-8' },
      ...{ encoding: 'utf-8', languages: ['en-US'], limits: { default_items: 10, max_items: 50 } },
      map: { url: `${url}/{z}/{x}/{y}.png`, attribution: 'none' },
      manager: { name: 'TinyDB', connection: 'jobs.json', output_dir: '.' },
    },
    logging: { level: 'ERROR' },
    metadata: {
      identification: {
        ...{ title: english('Bench'), description: english('Bench'), keywords: english('bench') },
        ...{ keywords_type: 'theme', terms_of_service: 'none', url },
      },
      license: { name: 'none', url },
      provider: { name: 'Bench', url },
      contact: { name: 'Bench', email: 'owner@example.com', url },
    },
    resources: {
      places: collection('Places', {
        ...{ type: 'feature', editable: true, name: 'GeoJSON', data: 'places.geojson', id_field: 'id' },
      }),
      records: collection('Records', {
        ...{ type: 'record', editable: true, name: 'TinyDBCatalogue', data: 'records.json' },
        ...{ id_field: 'externalId', time_field: 'recordCreated', title_field: 'title' },
      }),
      'hello-world': { type: 'process', processor: { name: 'HelloWorld' } },
    },
  };
}

const createFeature = (id: string, place: readonly [number, number], properties: object) => ({
  ...{ type: 'Feature', id, geometry: { type: 'Point', coordinates: place }, properties },
});

const places = [
  createFeature('1', [8, 53], { id: '1', name: 'North', inhabitants: 1000 }),
  createFeature('2', [11, 48], { id: '2', name: 'South', inhabitants: 2000 }),
  createFeature('3', [13, 52], { id: '3', name: 'East', inhabitants: 3000 }),
];

const records = ['Rivers', 'Roads'].map((title) =>
  createFeature(title, [8, 50], {
    ...{ externalId: title, recordCreated: '2020-01-01T00:00:00Z', title, description: title, type: 'dataset' },
    '_metadata-anytext': title,
  }),
);

/** A user reaches only rows that are the user's own. */
const tables = `
CREATE TABLE boards (
  id INTEGER PRIMARY KEY,
  title VARCHAR(100) NOT NULL,
  user_id VARCHAR(50)
);
CREATE TABLE cards (
  id INTEGER PRIMARY KEY,
  board_id INTEGER NOT NULL REFERENCES boards(id),
  title VARCHAR(100) NOT NULL,
  position INTEGER,
  due_at TIMESTAMP,
  is_done BOOLEAN,
  user_id VARCHAR(50)
);
CREATE TABLE comments (
  id INTEGER PRIMARY KEY,
  card_id INTEGER NOT NULL REFERENCES cards(id),
  body TEXT NOT NULL,
  user_id VARCHAR(50)
);
`;

const [userKey, roleKey] = ['X-PLATFORMATIC-USER-ID', 'X-PLATFORMATIC-ROLE'];
const platformaticSecret = 'a-secret-of-the-bench-that-is-long-enough';

function platformaticConfiguration({ port }: Instance): unknown {
  const ownRows = { checks: { userId: userKey } };
  return {
    module: '@platformatic/db',
    db: {
      connectionString: 'sqlite://./db.sqlite',
      graphql: false,
      openapi: {
        components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
        security: [{ bearer: [] }],
      },
    },
    migrations: { dir: 'migrations', autoApply: true },
    authorization: {
      ...{ jwt: { secret: platformaticSecret }, roleKey, anonymousRole: 'anonymous' },
      rules: [
        {
          ...{ role: 'user', entities: ['board', 'card', 'comment'], defaults: { userId: userKey } },
          ...{ find: ownRows, save: ownRows, delete: ownRows },
        },
      ],
    },
    runtime: { server: { hostname: '127.0.0.1', port } },
  };
}

/** RFC 7515, 3.1. */
function signPlatformaticToken(user: string): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ [userKey]: user, [roleKey]: 'user' })}`;
  return `${signed}.${createHmac('sha256', platformaticSecret).update(signed).digest('base64url')}`;
}
