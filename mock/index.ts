// The package: `import { startMock } from '@lockstep/mock'`. The first start loads its modules.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { explainListen } from '@lockstep/runtime/explain-listen';
import { showValue } from '@lockstep/runtime/validation/sentence';
import type { Keys } from '@lockstep/server/keys';
import type { MockControl } from './control/connect.ts';
import type { SandboxControl } from './sandbox/control/connect.ts';
import { type ContractOptions, checkStartOptions, readStart, type SandboxOptions } from './sandbox/start-options.ts';

export {
  type ClockChange,
  type ClockReading as SandboxClockReading,
  ControlRejection,
  connectMock,
  type Fault,
  type MockControl,
  type MockScenario,
  type MockState,
  type NewFault,
  type RecordedRequest,
  type RequestFilter,
} from './control/connect.ts';
export {
  connectSandbox,
  type ImportFile,
  type SandboxControl,
  type SandboxState,
  type ScenarioGiven,
  type ScenarioName,
} from './sandbox/control/connect.ts';
export type { ContractOptions, SandboxOptions } from './sandbox/start-options.ts';

interface Running extends AsyncDisposable {
  /** Stops the mock. Pending answers get a moment to finish. */
  readonly close: () => Promise<void>;
}

/** The mock of a contract, or one of its worlds: items, clock, faults and journal of its own. */
export interface MockWorld {
  /** Without a trailing slash: `http://localhost:41234`, or `http://localhost:41234/w/test-7`. */
  readonly origin: string;
  readonly control: MockControl;
}

export interface RunningMock extends MockWorld, Running {
  /**
   * A world, for one of several parallel tests. Its first request creates it.
   *
   * @throws TypeError if the name has other characters than letters, digits and `-._~`
   */
  readonly world: (name: string) => MockWorld;
}

/** A sandbox, or one of its worlds: data, clock, faults, journal and tokens of its own. */
export interface SandboxWorld {
  /** Without a trailing slash: `http://localhost:41234`, or `http://localhost:41234/w/test-7`. */
  readonly origin: string;
  /** Base URL of the API: `…/v1`. */
  readonly baseUrl: string;
  /** Base URL of the OAuth server: `…/auth`. */
  readonly authUrl: string;
  /**
   * Gets an access token with the client's own credentials (RFC 6749, 4.4). It is valid in this world only.
   *
   * @param clientId `demo-own` by default
   * @param scope scopes, separated by spaces; by default all scopes of the client
   * @throws Error for an unknown client, a partner, or a scope that the client lacks
   */
  readonly token: (clientId?: string, scope?: string) => Promise<string>;
  readonly control: SandboxControl;
}

export interface RunningSandbox extends SandboxWorld, Running {
  /**
   * A world, for one of several parallel tests. Its first request creates it, with the scenario and the clock of the start.
   *
   * @throws TypeError if the name has other characters than letters, digits and `-._~`
   */
  readonly world: (name: string) => SandboxWorld;
  /** The present clients: those of the demo, and one for each account that the scenario's files add. */
  readonly clients: readonly SandboxClient[];
  /** Owners who can sign in on the pages of the OAuth server. */
  readonly owners: readonly { readonly email: string; readonly password: string; readonly account: string }[];
}

export interface SandboxClient {
  readonly clientId: string;
  readonly secret: string;
  /** Name of the account that the client acts for; null for a partner. */
  readonly account: string | null;
  readonly kind: 'own' | 'partner';
  readonly redirectUris: readonly string[];
}

/**
 * Starts the sandbox: the service on a store in memory, behind an OAuth server with its own clients and owners. With a contract, starts the mock of that
 * contract, which keeps items in memory. Many can run in one process, each with its own store and clock. Later starts take a fraction of the time of the first.
 *
 * @throws TypeError for an unknown option (the message names the nearest) or a wrong type. RangeError for an impossible port, clock or log level. Error
 *   with Node's `code`, such as `EADDRINUSE`, if it cannot listen; the message proposes a port or address. ScenarioFault for an unknown scenario or for
 *   files with faults. After an error, nothing is left listening.
 */
export function startMock(options: ContractOptions): Promise<RunningMock>;
export function startMock(options?: SandboxOptions): Promise<RunningSandbox>;
export async function startMock(options: SandboxOptions | ContractOptions = {}): Promise<RunningMock | RunningSandbox> {
  checkStartOptions(options);
  const { port = 0, host = '127.0.0.1', logLevel = 'silent' } = options;
  // Compilation takes half of a first start. The cache is not in the folder for temporary files; see server/main.ts.
  enableCompileCache(
    join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../node_modules' : '../..', '.cache/compiled'),
  );
  const { pino } = await import('pino');
  const listening = { port, host, logger: pino({ level: logLevel }, pino.destination({ dest: 2, sync: true })) };
  try {
    return await (options.contract === undefined ? startOwn(options, listening) : startAny(options, listening));
  } catch (error) {
    const message = explainListen(error, { host, port }, { port: 'port: ', host: 'host: ' });
    throw message === undefined
      ? error
      : Object.assign(new Error(message, { cause: error }), { code: (error as NodeJS.ErrnoException).code });
  }
}

interface Listening {
  readonly port: number;
  readonly host: string;
  readonly logger: import('pino').Logger;
}

async function startAny(
  { contract: { document, operations }, seed, worlds, control }: ContractOptions,
  listening: Listening,
): Promise<RunningMock> {
  const { startContractMock } = await import('./start-contract-mock.ts');
  const state = { seed, worlds, control };
  const { origin, close } = await startContractMock({ ...listening, contract: document, operations, state });
  const { connectMock, originOfWorld } = await import('./control/connect.ts');
  const describe = (at: string): MockWorld => ({ origin: at, control: connectMock(at) });
  return { ...describe(origin), world: (name) => describe(originOfWorld(origin, name)), ...closeOnce(close) };
}

async function startOwn(
  { scenario, clock, loopbackCallbacks, isControlOpen, worlds }: SandboxOptions,
  listening: Listening,
): Promise<RunningSandbox> {
  const startAt = clock === undefined ? undefined : readStart(clock);
  // Keys are generated while modules load.
  const keys = shareKeys();
  keys.catch(() => undefined);
  const { startSandbox } = await import('./sandbox/start-sandbox.ts');
  const { connectSandbox, readGiven } = await import('./sandbox/control/connect.ts');
  const { originOfWorld } = await import('./control/connect.ts');
  const started = await startSandbox({
    ...listening,
    keys: await keys,
    scenario: scenario === undefined ? undefined : readGiven(scenario),
    startAt,
    loopbackCallbacks,
    isControlOpen,
    worlds,
  });
  const { origin, owners } = started;
  const describe = (
    at: string,
    readClients: () => readonly TokenClient[] | Promise<readonly TokenClient[]>,
  ): SandboxWorld => {
    const authUrl = `${at}/auth`;
    return {
      origin: at,
      baseUrl: `${at}/v1`,
      authUrl,
      token: async (clientId = 'demo-own', scope) => requestToken(authUrl, await readClients(), clientId, scope),
      control: connectSandbox(at),
    };
  };
  return {
    ...describe(origin, () => started.clients),
    world: (name) => {
      const world = describe(originOfWorld(origin, name), async () => (await world.control.readState()).clients);
      return world;
    },
    get clients() {
      return started.clients;
    },
    owners,
    ...closeOnce(started.close),
  };
}

let shared: Promise<Keys> | undefined;

/** All sandboxes of a process share their keys: their generation takes longer than the rest of a start. */
function shareKeys(): Promise<Keys> {
  shared ??= import('@lockstep/server/key-file').then(({ generateKeys }) => generateKeys());
  return shared;
}

function closeOnce(closeNow: () => Promise<unknown>): Pick<RunningMock, 'close' | typeof Symbol.asyncDispose> {
  let ending: Promise<void> | undefined;
  const close = (): Promise<void> => {
    ending ??= closeNow().then(() => undefined);
    return ending;
  };
  return { close, [Symbol.asyncDispose]: close };
}

/** `account` is null for a partner. */
type TokenClient = Pick<SandboxClient, 'clientId' | 'secret' | 'account'>;

async function requestToken(
  authUrl: string,
  clients: readonly TokenClient[],
  clientId: string,
  scope: string | undefined,
): Promise<string> {
  // JavaScript callers may pass other types.
  const wrong = [clientId, scope ?? ''].find((given) => typeof given !== 'string');
  if (wrong !== undefined)
    throw new TypeError(
      `pass token the id of a client and scopes separated by spaces, both as text, as token('demo-own', 'serviceapi/get-devices'), not ${showValue(wrong)}`,
    );
  const client = clients.find((one) => one.clientId === clientId);
  if (client === undefined || client.account === null) {
    const own = clients.filter(({ account }) => account !== null).map((one) => one.clientId);
    const why =
      client === undefined ? 'there is no such client' : 'it is a partner, which gets tokens when owners sign in';
    throw new Error(`no token for ${clientId}: ${why}. Clients with credentials of their own: ${own.join(', ')}`);
  }
  const answer = await fetch(`${authUrl}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${client.secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
  });
  const { access_token: token, ...rejection } = (await answer.json()) as Record<string, string | undefined>;
  if (token !== undefined) return token;
  throw new Error(`no token for ${clientId}: ${answer.status} ${rejection.error}: ${rejection.error_description}`);
}
