// The package: `import { startMock } from '@lockstep/mock'`. What a start needs is loaded with the first one.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { OperationTable } from '@lockstep/runtime/operation';
import type { Keys } from '@lockstep/server/keys';
import type { LevelWithSilent } from 'pino';
import { clockYears, readClockTime } from './sandbox/clock.ts';
import type { ImportFile, SandboxControl, ScenarioName } from './sandbox/control/connect.ts';

export {
  type ClockChange,
  ControlRefusal,
  connectSandbox,
  type Fault,
  type ImportFile,
  type NewFault,
  type RecordedRequest,
  type RequestFilter,
  type SandboxClockReading,
  type SandboxControl,
  type SandboxState,
  type ScenarioName,
} from './sandbox/control/connect.ts';

interface ListenOptions {
  /** Any free one when left out. */
  readonly port?: number;
  /** Interface to listen on; `127.0.0.1` when left out: this machine alone. */
  readonly host?: string;
  /** Of the log, on standard error; `silent` when left out. */
  readonly logLevel?: LevelWithSilent;
}

export interface SandboxOptions extends ListenOptions {
  readonly contract?: undefined;
  /** By name, or files in the form that `lockstep-server import` reads; `demo` when left out. */
  readonly scenario?: ScenarioName | ImportFile | readonly ImportFile[];
  /** What the clock of the domain says at the start, and after each reset, from 1971 to 9990: RFC 3339 with an offset, milliseconds, or a Date. The time of the system when left out. */
  readonly clock?: string | number | Date;
  /** http addresses of this machine that partners may be called back at; the service itself takes https alone. */
  readonly loopbackCallbacks?: readonly string[];
  /**
   * Lets other machines drive it under `/_sandbox`, too: whoever reaches it can read its secrets and reset it. Also what `control` needs where
   * `host` is an address that other machines reach. False when left out.
   */
  readonly isControlOpen?: boolean;
}

/** Another contract than that of the service, as `lockstep generate` derives it. Its operations answer as documented, and keep nothing. */
export interface ContractOptions extends ListenOptions {
  readonly contract: {
    /** `contract.gen.json` */
    readonly document: Readonly<Record<string, unknown>>;
    /** Of `operations.gen.ts`. */
    readonly operations: OperationTable;
  };
}

export interface RunningMock extends AsyncDisposable {
  /** Without a trailing slash: `http://localhost:41234`. */
  readonly origin: string;
  /** Answers under way get a moment to finish. */
  readonly close: () => Promise<void>;
}

export interface RunningSandbox extends RunningMock {
  /** Of the API: `…/v1`. */
  readonly baseUrl: string;
  /** Of the OAuth server: `…/auth`. */
  readonly authUrl: string;
  /** Those of the demo, and one for each account that the files in use add. */
  readonly clients: readonly SandboxClient[];
  /** Who can sign in on the pages of the OAuth server. */
  readonly owners: readonly { readonly email: string; readonly password: string; readonly account: string }[];
  /**
   * An access token by the client's own credentials (RFC 6749, 4.4).
   *
   * @param clientId `demo-own` when left out
   * @param scope separated by spaces; all that the client may have when left out
   */
  readonly token: (clientId?: string, scope?: string) => Promise<string>;
  readonly control: SandboxControl;
}

export interface SandboxClient {
  readonly clientId: string;
  readonly secret: string;
  /** Name of the account that it acts for; null for a partner. */
  readonly account: string | null;
  readonly kind: 'own' | 'partner';
  readonly redirectUris: readonly string[];
}

/**
 * Starts the sandbox: the service on a store in memory, behind an OAuth server with clients and owners of its own. Or, with a contract, the mock of that.
 * Many can run in one process, each with a store and a clock of its own; all but the first start in a fraction of its time.
 *
 * @throws Error with `code: 'EADDRINUSE'` when the port is taken; RangeError for a clock that is no time, or none that it can show; ScenarioFault for a
 *   scenario that is none, with the nearest, and for files with all that is wrong with them; nothing is left listening
 */
export function startMock(options: ContractOptions): Promise<RunningMock>;
export function startMock(options?: SandboxOptions): Promise<RunningSandbox>;
export async function startMock(options: SandboxOptions | ContractOptions = {}): Promise<RunningMock> {
  const { port = 0, host = '127.0.0.1', logLevel = 'silent' } = options;
  // Half of a first start is the compiling of what it loads. Not in the folder for temporary files; see server/main.ts.
  enableCompileCache(
    join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../node_modules' : '../..', '.cache/compiled'),
  );
  const { pino } = await import('pino');
  const listening = { port, host, logger: pino({ level: logLevel }, pino.destination({ dest: 2, sync: true })) };
  return options.contract === undefined ? startOwn(options, listening) : startDocumented(options.contract, listening);
}

interface Listening {
  readonly port: number;
  readonly host: string;
  readonly logger: import('pino').Logger;
}

async function startDocumented(
  { document, operations }: ContractOptions['contract'],
  listening: Listening,
): Promise<RunningMock> {
  const { startContractMock } = await import('./start-contract-mock.ts');
  const { origin, close } = await startContractMock({ ...listening, contract: document, operations });
  return { origin, ...closeOnce(close) };
}

async function startOwn(
  { scenario, clock, loopbackCallbacks, isControlOpen }: SandboxOptions,
  listening: Listening,
): Promise<RunningSandbox> {
  const startAt = clock === undefined ? undefined : readStart(clock);
  // Keys are made while the rest is loaded.
  const keys = shareKeys();
  keys.catch(() => undefined);
  const { startSandbox } = await import('./sandbox/start-sandbox.ts');
  const { connectSandbox } = await import('./sandbox/control/connect.ts');
  const choice = typeof scenario === 'string' ? { name: scenario } : scenario && { import: scenario };
  const started = await startSandbox({
    ...listening,
    keys: await keys,
    scenario: choice,
    startAt,
    loopbackCallbacks,
    isControlOpen,
  });
  const { origin, owners } = started;
  const authUrl = `${origin}/auth`;
  return {
    origin,
    baseUrl: `${origin}/v1`,
    authUrl,
    get clients() {
      return started.clients;
    },
    owners,
    token: (clientId = 'demo-own', scope) => requestToken(authUrl, started.clients, clientId, scope),
    control: connectSandbox(origin),
    ...closeOnce(started.close),
  };
}

let shared: Promise<Keys> | undefined;

/** All sandboxes of a process have the same keys: to make them takes longer than all else. */
function shareKeys(): Promise<Keys> {
  shared ??= import('@lockstep/server/key-file').then(({ generateKeys }) => generateKeys());
  return shared;
}

function closeOnce(end: () => Promise<unknown>): Pick<RunningMock, 'close' | typeof Symbol.asyncDispose> {
  let ending: Promise<void> | undefined;
  const close = (): Promise<void> => {
    ending ??= end().then(() => undefined);
    return ending;
  };
  return { close, [Symbol.asyncDispose]: close };
}

function readStart(clock: string | number | Date): number {
  const at = readClockTime(clock);
  if (at !== undefined) return at;
  throw new RangeError(
    `clock ${String(clock)} is no time that it can show: use RFC 3339 with an offset, as 2026-06-01T12:00:00Z, whole milliseconds, or a Date, ${clockYears}`,
  );
}

async function requestToken(
  authUrl: string,
  clients: readonly SandboxClient[],
  clientId: string,
  scope: string | undefined,
): Promise<string> {
  const client = clients.find((one) => one.clientId === clientId);
  if (client?.kind !== 'own') {
    const own = clients.filter(({ kind }) => kind === 'own').map((one) => one.clientId);
    const why = client === undefined ? 'there is no such client' : 'it is a partner, whose owners sign in';
    throw new Error(`no token for ${clientId}: ${why}. Clients with credentials of their own: ${own.join(', ')}`);
  }
  const answer = await fetch(`${authUrl}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${client.secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
  });
  const { access_token: token, error } = (await answer.json()) as { access_token?: string; error?: string };
  if (token === undefined) throw new Error(`no token for ${clientId}: ${answer.status} ${error}`);
  return token;
}
