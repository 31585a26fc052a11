// npm run -s token: an access token on stdout, for "$(…)" in a shell. An own-account client gets it by its credentials. For a
// partner's client an owner logs in over HTTP, as a browser and the partner's server do. So this file shows the steps of an
// integration test, and uses no code of the server.
// Exit codes: 0 printed, 1 no token, 2 wrong usage.
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readPort } from './shell/read-port.ts';
import { WrongUse } from './shell/wrong-use.ts';

const help = `Usage: npm run -s token -- [--client ID] [--owner EMAIL] [--scope "SCOPE …"] [--mock] [--port NUMBER] [--json]
       npm run -s token -- --auth-url URL --client ID [--redirect-uri URL] [--scope "SCOPE …"] [--json]

Prints an access token. It knows the clients and owners of npm start and npm run mock. For another deployment, name them.
  --client        id of the client; default: the first client with an account of its own
  --owner         email of the owner who logs in for a partner's client; default: the first owner
  --scope         scopes, separated by spaces; default: all scopes of the client
  --mock          get the token from the mock
  --port          port of the server (default PORT, or 8080) or the mock (MOCK_PORT, or 8090)
  --auth-url      address of another deployment, such as https://locks.example/auth
  --redirect-uri  a callback of the client: an owner then logs in and consents
  --json          print the whole answer of the token endpoint

Environment, with --auth-url: CLIENT_SECRET; with --redirect-uri also OWNER_EMAIL and OWNER_PASSWORD.
Exit codes: 0 printed, 1 no token, 2 wrong usage.
`;

/** The file that npm start and npm run mock write. Its clients and owners are the same at each start and on each port. */
interface Access {
  readonly clients: readonly {
    readonly clientId: string;
    readonly secret: string;
    /** Null if the client acts for the owner who logs in. */
    readonly account: string | null;
    readonly redirectUris: readonly string[];
  }[];
  readonly owners: readonly { readonly email: string; readonly password: string; readonly account: string }[];
}

interface Request {
  readonly authUrl: string;
  readonly clientId: string;
  readonly secret: string;
  readonly scope: string;
  /** For a partner's client: its callback, and the owner who logs in. */
  readonly login?: { readonly redirectUri: string; readonly email: string; readonly password: string };
  /** The advice if no OAuth server answers. */
  readonly fix: string;
}

const demoFix = 'Start it by npm start or npm run mock. If it runs on another port, add --port NUMBER';

/** Limit of one page; a whole login has three redirects. */
const mostRedirects = 10;

/** No token, for a reason that the user can fix. */
class NoToken extends Error {}

/** There is no OAuth server at the address. */
class NoServer extends Error {}

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The folder that contains `.lockstep`. */
  readonly folder: string;
}

if (import.meta.main) {
  const { exitCode, stdout, stderr } = await getToken(process.argv.slice(2), {
    env: process.env,
    folder: import.meta.dirname,
  });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exitCode;
}

/** The command, without its process. */
export async function getToken(args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  try {
    const { values } = readArguments(args);
    if (values.help) return { exitCode: 0, stdout: help, stderr: '' };
    const request = await readRequest(values, surroundings);
    const answer = await requestTokens(request).catch((error: unknown) => {
      throw error instanceof NoServer ? new NoToken(`${error.message}\n${request.fix}`) : error;
    });
    return { exitCode: 0, stdout: `${values.json ? JSON.stringify(answer) : answer.access_token}\n`, stderr: '' };
  } catch (error) {
    if (!(error instanceof NoToken || error instanceof WrongUse)) throw error;
    return { exitCode: error instanceof WrongUse ? 2 : 1, stdout: '', stderr: `${error.message}\n` };
  }
}

interface Tokens {
  readonly access_token: string;
}

async function requestTokens({ authUrl, clientId, secret, scope, login }: Request): Promise<Tokens> {
  const grant = login
    ? await logIn({ authUrl, clientId, scope, ...login })
    : { grant_type: 'client_credentials', ...(scope && { scope }) };
  const response = await send(`${authUrl}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams(grant),
  });
  const answer = (await response.json().catch(() => undefined)) as
    | (Partial<Tokens> & { readonly error?: string; readonly error_description?: string })
    | undefined;
  if (answer?.access_token !== undefined) return { ...answer, access_token: answer.access_token };
  if (answer?.error === undefined) throw new NoServer(`The server at ${authUrl} is not an OAuth server of Lockstep.`);
  throw new NoToken(`${answer.error}: ${answer.error_description ?? `status ${response.status}`}`);
}

/**
 * Logs an owner in, consents, and takes the code from the callback's address, which need not exist.
 *
 * @returns the parameters for the token endpoint
 */
async function logIn(request: { authUrl: string; clientId: string; scope: string } & NonNullable<Request['login']>) {
  const { authUrl, clientId, scope, redirectUri, email, password } = request;
  const browser = openBrowser(authUrl, redirectUri);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const loginPage = await browser.visit(`${authUrl}/login?${query}`);
  const consentPage = await browser.submit(loginPage, 'login', { email, password });
  const { callback } = await browser.submit(consentPage, 'confirm');
  if (callback === undefined) throw new NoToken(`The login does not return to ${redirectUri}.`);
  const answered = new URL(callback).searchParams;
  // RFC 6749, 10.12, and RFC 9207: the answer to another person's request, or of another server.
  if (answered.get('state') !== state || answered.get('iss') !== authUrl)
    throw new NoToken('The callback answers another login.');
  const code = answered.get('code');
  if (code === null) throw new NoToken(`${answered.get('error')}: ${answered.get('error_description')}`);
  return { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
}

interface Page {
  readonly address: string;
  /** Address of the callback, at the end of the login. */
  readonly callback?: string;
}

/** Keeps cookies and follows redirects, up to the callback. Sends cookies and password only to the given server. */
function openBrowser(authUrl: string, redirectUri: string) {
  const cookies = new Map<string, string>();
  const { origin } = new URL(authUrl);
  const withoutQuery = (address: string) => address.split('?', 1)[0];

  async function visit(address: string, form?: URLSearchParams, redirects = 0): Promise<Page> {
    const response = await send(address, {
      redirect: 'manual',
      headers: { Accept: 'text/html', Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const text = await response.text();
    if (location === null) {
      if (response.ok) return { address };
      const [, title] = /<title>([^<]*)<\/title>/.exec(text) ?? [];
      throw new NoToken(`${new URL(address).pathname} answers ${response.status}: ${title ?? text.slice(0, 200)}`);
    }
    const next = new URL(location, address).href;
    if (withoutQuery(next) === withoutQuery(redirectUri)) return { address, callback: next };
    if (new URL(next).origin !== origin || redirects === mostRedirects)
      throw new NoToken(`The login leads to ${withoutQuery(next)}, not back to ${redirectUri}.`);
    return visit(next, undefined, redirects + 1);
  }

  return {
    visit: (address: string) => visit(address),
    /** The forms of a page post below its own address. A page that has reached its callback has none. */
    submit: (page: Page, form: 'login' | 'confirm', fields: Readonly<Record<string, string>> = {}) =>
      page.callback === undefined ? visit(`${page.address}/${form}`, new URLSearchParams(fields)) : page,
  };
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    const { origin } = new URL(address);
    if (code === 'ECONNREFUSED') throw new NoServer(`Nothing answers at ${origin}.`);
    throw new NoToken(`${origin} gives no answer: ${message}`);
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        client: { type: 'string' },
        owner: { type: 'string' },
        scope: { type: 'string', multiple: true, default: [] },
        mock: { type: 'boolean', default: false },
        port: { type: 'string' },
        json: { type: 'boolean', default: false },
        'auth-url': { type: 'string' },
        'redirect-uri': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new WrongUse(`${(error as Error).message}\n\n${help}`);
  }
}

type Arguments = Omit<ReturnType<typeof readArguments>['values'], 'json' | 'help'>;

async function readRequest(values: Arguments, surroundings: Surroundings): Promise<Request> {
  const { client: clientId, 'auth-url': authUrl, 'redirect-uri': redirectUri } = values;
  const { env } = surroundings;
  if (authUrl === undefined) return readDemoRequest(values, surroundings);
  // The options of the demo don't apply.
  if (values.mock) throw new WrongUse('Give either --mock or --auth-url.');
  if (values.port !== undefined) throw new WrongUse('Give either --port or --auth-url, which contains the port.');
  if (values.owner !== undefined)
    throw new WrongUse('--owner selects an owner of the demo. With --auth-url, set OWNER_EMAIL in the environment.');
  if (clientId === undefined) throw new WrongUse('--auth-url needs --client: the id of a client of that deployment.');
  if (!URL.canParse(authUrl))
    throw new WrongUse(`--auth-url is ${authUrl}: give an address such as https://locks.example/auth.`);
  return {
    authUrl: authUrl.replace(/\/$/, ''),
    clientId,
    scope: values.scope.join(' '),
    fix: `Is ${new URL(authUrl).origin} the right address?`,
    secret: readVariable('CLIENT_SECRET', env),
    ...(redirectUri !== undefined && {
      login: { redirectUri, email: readVariable('OWNER_EMAIL', env), password: readVariable('OWNER_PASSWORD', env) },
    }),
  };
}

/** Secrets come from the environment, since every user can read arguments in the list of processes. */
function readVariable(name: string, env: NodeJS.ProcessEnv): string {
  const value = env[name];
  if (value === undefined || value === '') throw new WrongUse(`${name} is not set in the environment.`);
  return value;
}

async function readDemoRequest(
  { client: clientId, owner: email, mock, port, ...values }: Arguments,
  { env, folder }: Surroundings,
): Promise<Request> {
  if (values['redirect-uri'] !== undefined)
    throw new WrongUse('--redirect-uri needs --auth-url: the callbacks of the demo are known.');
  const authUrl = `http://localhost:${choosePort(port, mock, env)}/auth`;
  const { clients, owners } = await readAccess(join(folder, '.lockstep', mock ? 'mock-access.json' : 'access.json'));
  const known = clients.map((client) => client.clientId).join(', ');
  const client = clients.find((one) => (clientId === undefined ? one.account !== null : one.clientId === clientId));
  if (client === undefined) throw new WrongUse(`There is no client ${clientId}. There are: ${known}`);
  const { secret, account, redirectUris } = client;
  const request = { authUrl, clientId: client.clientId, secret, scope: values.scope.join(' '), fix: demoFix };
  if (account !== null) {
    if (email === undefined) return request;
    const partners = clients.filter((one) => one.account === null).map((one) => `--client ${one.clientId}`);
    throw new WrongUse(`Nobody logs in for ${client.clientId}, so --owner has no effect. Try ${partners.join(', ')}`);
  }
  const [redirectUri] = redirectUris;
  if (owners.length === 0 || redirectUri === undefined)
    throw new NoToken(`There is no owner who could log in for ${client.clientId}.`);
  const owner = owners.find((one) => email === undefined || one.email === email.toLowerCase());
  if (owner === undefined)
    throw new WrongUse(`There is no owner ${email}. There are: ${owners.map((one) => one.email).join(', ')}`);
  return { ...request, login: { redirectUri, ...owner } };
}

function choosePort(option: string | undefined, mock: boolean, env: NodeJS.ProcessEnv): string {
  const variable = mock ? 'MOCK_PORT' : 'PORT';
  const [name, port] =
    option === undefined ? [variable, env[variable] || (mock ? '8090' : '8080')] : ['--port', option];
  if (readPort(port) === undefined) throw new WrongUse(`${name} is ${port}: a port is a number from 0 to 65535.`);
  return port;
}

async function readAccess(file: string): Promise<Access> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    throw new NoToken(`Nothing was started here yet.\n${demoFix}`);
  }
}
