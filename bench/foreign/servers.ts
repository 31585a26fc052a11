import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** How one is let in. */
export interface Login {
  /** Bearer token, or API key, as the contract's security schemes have it. */
  readonly token?: string;
  /** Where a scheme of the contract does not say enough: headers for every request. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** By the name of a scheme, where schemes have different ones. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Those of another user, where the server has users. */
  readonly secondToken?: string;
  readonly secondCredentials?: Readonly<Record<string, string>>;
}

/** One fresh instance that is about to be started. */
export interface Instance {
  /** Empty and its own. */
  readonly folder: string;
  readonly port: number;
  readonly origin: string;
  /** Ports for what a server opens besides its API. */
  readonly otherPorts: readonly number[];
}

/**
 * The runner was developed with the results of `read` servers. Developers have read the results of `held out` and `unseen` servers
 * once.
 */
export type ServerSet = 'read' | 'held out' | 'unseen';

/** An application that somebody else published, with a contract of its own. */
export interface ForeignServer {
  readonly name: string;
  readonly set: ServerSet;
  readonly package: string;
  readonly version: string;
  readonly registry: 'npm' | 'PyPI';
  readonly framework: string;
  /** Its OpenAPI document: a path it serves, a file that its package ships, or one that its own command writes into its folder. */
  readonly document: { readonly served: string } | { readonly shipped: string } | { readonly written: string };
  /** The prefix of the contract's paths. */
  readonly basePath: string;
  /** Anything but a refused connection, here, means that it is up; with 2xx where the status is to be waited for. */
  readonly ready: string;
  /** Run to their end, one after another, before it is started. */
  readonly prepare?: (instance: Instance) => Promise<readonly Command[]>;
  readonly start: (instance: Instance) => Promise<Command>;
  readonly logIn?: (instance: Instance) => Promise<Login>;
}

const nodeModules = join(import.meta.dirname, 'node_modules');
/** A program of a Python server's own environment. */
export const virtual = (name: string, command: string): string =>
  join(import.meta.dirname, '.venvs', name, 'bin', command);
export const password = 'Correct-horse-battery-9';

/** Chosen by reading, before either tool was run on any of them; none is dropped since. */
export const readServers: readonly ForeignServer[] = [
  {
    name: 'phoenix',
    set: 'read',
    package: 'arize-phoenix',
    version: '20.26.1',
    registry: 'PyPI',
    framework: 'FastAPI (Python)',
    document: { served: '/openapi.json' },
    basePath: '',
    ready: '/healthz',
    start: async ({ folder, port, otherPorts: [grpc] }) => ({
      file: virtual('phoenix', 'phoenix'),
      args: ['serve'],
      env: {
        PHOENIX_HOST: '127.0.0.1',
        PHOENIX_PORT: String(port),
        PHOENIX_GRPC_PORT: String(grpc),
        PHOENIX_WORKING_DIR: folder,
        PHOENIX_TELEMETRY_ENABLED: 'false',
        PHOENIX_ENABLE_AUTH: 'true',
        PHOENIX_SECRET: 'a1-secret-of-the-bench-that-is-long-enough',
        PHOENIX_ADMIN_SECRET: 'b2-another-secret-of-the-bench-long-enough',
      },
    }),
    // Its scheme is an API key, with what stands in the header as a whole.
    logIn: async () => ({ token: 'Bearer b2-another-secret-of-the-bench-long-enough' }),
  },
  {
    name: 'changedetection',
    set: 'read',
    package: 'changedetection.io',
    version: '0.60.10',
    registry: 'PyPI',
    framework: 'Flask-RESTful (Python)',
    document: { shipped: '.venvs/changedetection/lib/python3.11/site-packages/changedetectionio/docs/api-spec.yaml' },
    basePath: '/api/v1',
    ready: '/',
    start: async ({ folder, port }) => ({
      file: virtual('changedetection', 'changedetection.io'),
      args: ['-d', folder, '-h', '127.0.0.1', '-p', String(port)],
    }),
    logIn: async ({ folder }) => {
      const { settings } = JSON.parse(await readFile(join(folder, 'changedetection.json'), 'utf8'));
      return { token: settings.application.api_access_token };
    },
  },
  {
    name: 'label-studio',
    set: 'read',
    package: 'label-studio',
    version: '1.23.2',
    registry: 'PyPI',
    framework: 'Django REST framework (Python)',
    document: { served: '/docs/api/schema/json/' },
    basePath: '',
    ready: '/health',
    start: async ({ folder, port }) => ({
      file: virtual('labelstudio', 'label-studio'),
      args: ['start', '--no-browser', '--internal-host', '127.0.0.1', '--port', String(port)],
      env: {
        LABEL_STUDIO_BASE_DATA_DIR: folder,
        LABEL_STUDIO_USERNAME: 'owner@example.com',
        LABEL_STUDIO_PASSWORD: password,
        LABEL_STUDIO_USER_TOKEN: '0123456789abcdef0123456789abcdef01234567',
        LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN: 'true',
        COLLECT_ANALYTICS: 'false',
        LATEST_VERSION_CHECK: 'false',
      },
    }),
    logIn: async () => ({ token: 'Token 0123456789abcdef0123456789abcdef01234567' }),
  },
  {
    name: 'chroma',
    set: 'read',
    package: 'chromadb',
    version: '1.5.9',
    registry: 'PyPI',
    framework: 'axum, utoipa (Rust)',
    document: { served: '/openapi.json' },
    basePath: '',
    ready: '/api/v2/heartbeat',
    start: async ({ folder, port }) => ({
      file: virtual('chroma', 'chroma'),
      args: ['run', '--path', folder, '--host', '127.0.0.1', '--port', String(port)],
    }),
  },
  {
    name: 'restate',
    set: 'read',
    package: '@restatedev/restate-server',
    version: '1.7.12',
    registry: 'npm',
    framework: 'axum, utoipa (Rust)',
    document: { served: '/openapi' },
    basePath: '',
    ready: '/health',
    start: async ({ folder, port, otherPorts: [ingress, node] }) => ({
      file: join(nodeModules, `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`),
      args: ['--base-dir', folder, '--bind-ip', '127.0.0.1', '--bind-port', String(node), '--listen-mode', 'tcp'],
      env: {
        RESTATE_ADMIN__BIND_PORT: String(port),
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        DO_NOT_TRACK: '1',
      },
    }),
  },
  {
    name: 'wiremock',
    set: 'read',
    package: 'wiremock',
    version: '3.13.2',
    registry: 'npm',
    framework: 'Jetty (Java)',
    document: { served: '/__admin/docs/swagger' },
    basePath: '',
    ready: '/__admin/health',
    start: async ({ folder, port }) => ({
      file: 'java',
      args: [
        ...['-Xmx512m', '-jar', join(nodeModules, 'wiremock/build/wiremock-standalone-3.13.2.jar')],
        ...['--port', String(port), '--bind-address', '127.0.0.1', '--root-dir', folder],
      ],
    }),
  },
  {
    name: 'firebase-auth',
    set: 'read',
    package: 'firebase-tools',
    version: '15.34.2',
    registry: 'npm',
    framework: 'Express, exegesis (Node)',
    document: { served: '/emulator/openapi.json' },
    basePath: '/identitytoolkit.googleapis.com',
    ready: '/',
    start: async ({ folder, port, otherPorts: [hub, logging] }) => {
      const host = '127.0.0.1';
      const emulators = {
        auth: { host, port },
        hub: { host, port: hub },
        logging: { host, port: logging },
        ui: { enabled: false },
        singleProjectMode: false,
      };
      await writeFile(join(folder, 'firebase.json'), JSON.stringify({ emulators }));
      return {
        file: process.execPath,
        args: [
          ...[join(nodeModules, 'firebase-tools/lib/bin/firebase.js'), 'emulators:start'],
          ...['--only', 'auth', '--project', 'demo-bench'],
        ],
      };
    },
    // Every right, as its manual has it.
    logIn: async () => bearer('owner'),
  },
  {
    name: 'directus',
    set: 'read',
    package: 'directus',
    version: '12.4.0',
    registry: 'npm',
    framework: 'Express (Node)',
    document: { served: '/server/specs/oas' },
    basePath: '',
    ready: '/server/ping',
    prepare: async (instance) => [directus(instance, 'bootstrap')],
    start: async (instance) => directus(instance, 'start'),
    // Most of its operations declare no security.
    logIn: async () => ({ headers: [['Authorization', 'Bearer bench-static-token-of-the-first-user']] }),
  },
  {
    name: 'homebridge-ui',
    set: 'read',
    package: 'homebridge-config-ui-x',
    version: '5.10.0',
    registry: 'npm',
    framework: 'NestJS, Fastify (Node)',
    document: { served: '/swagger-json' },
    basePath: '',
    ready: '/',
    start: async ({ folder, port, otherPorts: [bridgePort] }) => {
      const nothing = process.platform === 'win32' ? 'cd .' : 'true';
      const ui = {
        ...{ platform: 'config', name: 'Config', port, host: '127.0.0.1', auth: 'form', restart: nothing },
        // It can turn off the machine that it runs on.
        linux: { restart: nothing, shutdown: nothing },
      };
      const bridge = { name: 'Bench', username: '0E:11:22:33:44:55', port: bridgePort, pin: '031-45-154' };
      await writeFile(join(folder, 'config.json'), JSON.stringify({ bridge, accessories: [], platforms: [ui] }));
      return {
        file: process.execPath,
        args: [join(nodeModules, 'homebridge-config-ui-x/dist/bin/standalone.js'), '-U', folder, '-P', nodeModules],
      };
    },
    logIn: async ({ origin }) => {
      const user = { name: 'Owner', username: 'owner', password, admin: true };
      const { access_token: setup } = await post(`${origin}/api/setup-wizard/get-setup-wizard-token`);
      await post(`${origin}/api/setup-wizard/create-first-user`, user, String(setup));
      const { access_token: token } = await post(`${origin}/api/auth/login`, { username: 'owner', password });
      return bearer(String(token));
    },
  },
];

const npmFolders: Readonly<Record<ServerSet, readonly [folder: string, command: string]>> = {
  read: ['.', 'npm'],
  'held out': ['held-out', 'held-out-npm'],
  unseen: ['unseen', 'unseen-npm'],
};

/** @returns what is to be installed before a server can be started; undefined where all is there */
export function describeLack({ set, registry, name, document }: ForeignServer): string | undefined {
  if (registry === 'npm') {
    const [folder, command] = npmFolders[set];
    const isThere = existsSync(join(import.meta.dirname, folder, 'node_modules/.package-lock.json'));
    return isThere ? undefined : `bench/foreign/install.sh ${command}`;
  }
  const folder =
    'shipped' in document ? join(import.meta.dirname, document.shipped) : virtual(environmentOf(name), 'python');
  return existsSync(folder) ? undefined : `bench/foreign/install.sh ${environmentOf(name)}`;
}

/** Of the folder in `.venvs`, and of the file in `requirements`. */
function environmentOf(name: string): string {
  return name.replaceAll('-', '');
}

function directus({ folder, port, origin }: Instance, command: 'bootstrap' | 'start'): Command {
  return {
    file: process.execPath,
    args: [join(nodeModules, 'directus/cli.js'), command],
    env: {
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: origin,
      DB_CLIENT: 'sqlite3',
      DB_FILENAME: join(folder, 'data.db'),
      STORAGE_LOCAL_ROOT: join(folder, 'uploads'),
      EXTENSIONS_PATH: join(folder, 'extensions'),
      SECRET: 'secret-of-the-bench',
      ADMIN_EMAIL: 'owner@example.com',
      ADMIN_PASSWORD: password,
      ADMIN_TOKEN: 'bench-static-token-of-the-first-user',
      TELEMETRY: 'false',
      LOG_LEVEL: 'warn',
    },
  };
}

function bearer(token: string): Login {
  return { token };
}

export async function post(url: string, body?: unknown, token?: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    method: token === undefined && body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}
