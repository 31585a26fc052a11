import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, type ForeignServer, type Instance, type Login, password, post, virtual } from './servers.ts';

const nodeModules = join(import.meta.dirname, 'held-out/node_modules');

/** Fixed by what starts and has a contract, before either tool was run on any of them; what the tools say of them is read once, at the end. */
export const heldOutServers: readonly ForeignServer[] = [
  {
    name: 'airflow',
    set: 'held out',
    package: 'apache-airflow',
    version: '3.3.2',
    registry: 'PyPI',
    framework: 'FastAPI (Python)',
    document: { served: '/openapi.json' },
    basePath: '',
    ready: '/api/v2/monitor/health',
    prepare: async (instance) => {
      await writeFile(join(instance.folder, 'passwords.json'), JSON.stringify({ owner: password }));
      await mkdir(join(instance.folder, 'dags'));
      // The second reads the example workflows in; nothing runs them.
      return [airflow(instance, 'db', 'migrate'), airflow(instance, 'dags', 'reserialize')];
    },
    start: async (instance) =>
      airflow(instance, 'api-server', '--host', '127.0.0.1', '--port', String(instance.port), '--workers', '1'),
    logIn: async ({ origin }) => {
      const { access_token: token } = await post(`${origin}/auth/token`, { username: 'owner', password });
      return { token: String(token) };
    },
  },
  {
    name: 'evidently',
    set: 'held out',
    package: 'evidently',
    version: '0.7.23',
    registry: 'PyPI',
    framework: 'Litestar (Python)',
    document: { served: '/schema/openapi.json' },
    basePath: '',
    ready: '/api/version',
    start: async ({ folder, port }) => ({
      file: virtual('evidently', 'evidently'),
      args: ['ui', '--host', '127.0.0.1', '--port', String(port), '--workspace', join(folder, 'workspace')],
      env: { DO_NOT_TRACK: '1' },
    }),
  },
  {
    name: 'langgraph',
    set: 'held out',
    package: 'langgraph-api',
    version: '0.16.7',
    registry: 'PyPI',
    framework: 'Starlette (Python)',
    document: { served: '/openapi.json' },
    basePath: '',
    ready: '/ok',
    prepare: async ({ folder }) => {
      await writeFile(join(folder, 'agent.py'), agent);
      await writeFile(
        join(folder, 'langgraph.json'),
        JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
      );
      return [];
    },
    start: async ({ port }) => ({
      file: virtual('langgraph', 'langgraph'),
      args: ['dev', '--no-browser', '--no-reload', '--host', '127.0.0.1', '--port', String(port)],
      env: { LANGGRAPH_CLI_NO_ANALYTICS: '1', LANGSMITH_TRACING: 'false' },
    }),
  },
  {
    name: 'pretalx',
    set: 'held out',
    package: 'pretalx',
    version: '2025.2.2',
    registry: 'PyPI',
    framework: 'Django REST framework (Python)',
    document: { written: 'schema.yml' },
    basePath: '',
    ready: '/api/events/',
    prepare: async (instance) => {
      const { folder } = instance;
      await writeFile(
        join(folder, 'pretalx.cfg'),
        `[filesystem]\ndata = ${folder}\nstatic = ${join(folder, 'static')}\n`,
      );
      return [
        pretalx(instance, 'migrate'),
        pretalx(instance, 'init', '--noinput'),
        // Without its style sheets, its page for what is not found is a 500.
        pretalx(instance, 'collectstatic', '--noinput'),
        pretalx(instance, 'create_test_event', '--seed', '1'),
        pretalx(instance, 'shell', '--unsafe-disable-scopes', '--command', pretalxToken),
        pretalx(instance, 'spectacular', '--file', 'schema.yml'),
      ];
    },
    start: async ({ folder, port }) => ({
      file: virtual('pretalx', 'gunicorn'),
      args: ['pretalx.wsgi', '--bind', `127.0.0.1:${port}`, '--workers', '2'],
      env: { PRETALX_CONFIG_FILE: join(folder, 'pretalx.cfg') },
    }),
    // Its contract names no scheme.
    logIn: async () => ({ headers: [['Authorization', `Token ${'b'.repeat(64)}`]] }),
  },
  {
    name: 'n8n',
    set: 'held out',
    package: 'n8n',
    version: '2.40.7',
    registry: 'npm',
    framework: 'Express, express-openapi-validator (Node)',
    document: { served: '/api/v1/openapi.yml' },
    basePath: '/api/v1',
    ready: '/healthz/readiness',
    start: async ({ folder, port, otherPorts: [broker] }) => ({
      file: process.execPath,
      args: [join(nodeModules, 'n8n/bin/n8n'), 'start'],
      env: {
        N8N_USER_FOLDER: folder,
        N8N_LISTEN_ADDRESS: '127.0.0.1',
        N8N_PORT: String(port),
        N8N_RUNNERS_BROKER_PORT: String(broker),
        N8N_SECURE_COOKIE: 'false',
        N8N_DIAGNOSTICS_ENABLED: 'false',
        N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
        N8N_TEMPLATES_ENABLED: 'false',
        N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'false',
      },
    }),
    logIn: logInToN8n,
  },
  {
    name: 'wrangler',
    set: 'held out',
    package: 'wrangler',
    version: '4.164.0',
    registry: 'npm',
    framework: 'Hono (workerd)',
    document: { served: '/cdn-cgi/local/explorer/api' },
    basePath: '/cdn-cgi/local/explorer/api',
    ready: '/',
    prepare: async ({ folder }) => {
      await writeFile(join(folder, 'worker.js'), worker);
      await writeFile(join(folder, 'wrangler.json'), JSON.stringify(workerConfiguration));
      return [];
    },
    start: async ({ folder, port, otherPorts: [inspector] }) => ({
      file: process.execPath,
      args: [
        ...[join(nodeModules, 'wrangler/bin/wrangler.js'), 'dev', '--ip', '127.0.0.1', '--port', String(port)],
        ...['--inspector-port', String(inspector), '--persist-to', join(folder, 'state')],
      ],
      env: { WRANGLER_SEND_METRICS: 'false' },
    }),
  },
];

function airflow({ folder }: Instance, ...args: readonly string[]): Command {
  return {
    file: virtual('airflow', 'airflow'),
    args,
    env: {
      AIRFLOW_HOME: folder,
      AIRFLOW__CORE__LOAD_EXAMPLES: 'True',
      AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS: 'owner:admin',
      AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE: join(folder, 'passwords.json'),
      AIRFLOW__API_AUTH__JWT_SECRET: 'a-secret-of-the-bench-that-is-as-long-as-it-has-to-be-for-this-algorithm',
      AIRFLOW__USAGE_DATA_COLLECTION__ENABLED: 'False',
    },
  };
}

function pretalx({ folder }: Instance, ...args: readonly string[]): Command {
  return {
    file: virtual('pretalx', 'python'),
    args: ['-m', 'pretalx', ...args],
    env: {
      PRETALX_CONFIG_FILE: join(folder, 'pretalx.cfg'),
      DJANGO_SUPERUSER_EMAIL: 'owner@example.com',
      DJANGO_SUPERUSER_PASSWORD: password,
      PRETALX_INIT_ORGANISER_NAME: 'Bench',
      PRETALX_INIT_ORGANISER_SLUG: 'bench',
    },
  };
}

/** Creates a token with every permission, as the HTML form of the server does. */
const pretalxToken = `
from pretalx.person.models.auth_token import ENDPOINTS, PERMISSION_CHOICES, UserApiToken
from pretalx.person.models import User
from pretalx.event.models import Event
owner = User.objects.get(email="owner@example.com")
endpoints = {endpoint: [name for name, _ in PERMISSION_CHOICES] for endpoint in ENDPOINTS}
token = UserApiToken.objects.create(name="bench", user=owner, token="b" * 64, endpoints=endpoints)
token.events.set(Event.objects.all())
`;

/** The first owner, and a key with all the scopes that an owner may have. */
async function logInToN8n({ origin }: Instance): Promise<Login> {
  const call = async (method: string, path: string, cookie: string, body?: unknown): Promise<[unknown, string]> => {
    const response = await fetch(`${origin}/rest${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'browser-id': 'bench', cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
    const { data } = (await response.json()) as { readonly data: unknown };
    const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0]);
    return [data, cookies.join('; ')];
  };
  const owner = { email: 'owner@example.com', firstName: 'First', lastName: 'Owner', password };
  const [, cookie] = await call('POST', '/owner/setup', '', owner);
  const [scopes] = await call('GET', '/api-keys/scopes', cookie);
  const [key] = await call('POST', '/api-keys', cookie, { label: 'bench', expiresAt: null, scopes });
  return { token: (key as { readonly rawApiKey: string }).rawApiKey };
}

/** The least that runs: one step, no model. */
const agent = `
from operator import add
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    messages: Annotated[list, add]


def answer(state: State) -> dict:
    return {"messages": [{"role": "assistant", "content": f"{len(state.get('messages', []))} so far"}]}


graph = StateGraph(State).add_node("answer", answer).add_edge(START, "answer").add_edge("answer", END).compile()
`;

const worker = `
import { DurableObject, WorkflowEntrypoint } from 'cloudflare:workers';
export class Counter extends DurableObject {}
export class Steps extends WorkflowEntrypoint {
  async run(event, step) {
    return step.do('only', async () => 'done');
  }
}
export default { fetch: () => new Response('up') };
`;

/** One of each kind of store. */
const workerConfiguration = {
  name: 'bench',
  main: 'worker.js',
  compatibility_date: '2026-07-01',
  kv_namespaces: [{ binding: 'VALUES', id: 'values' }],
  d1_databases: [{ binding: 'ROWS', database_name: 'rows', database_id: 'rows' }],
  r2_buckets: [{ binding: 'FILES', bucket_name: 'files' }],
  durable_objects: { bindings: [{ name: 'COUNTERS', class_name: 'Counter' }] },
  migrations: [{ tag: 'v1', new_sqlite_classes: ['Counter'] }],
  workflows: [{ binding: 'STEPS', name: 'steps', class_name: 'Steps' }],
};
