import type { RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import type { EpochMilliseconds } from '@lockstep/server/clock';
import type { DemoOwners } from '@lockstep/server/demo/demo-owners';
import type { DemoClients } from '@lockstep/server/demo/seed-demo';
import { allowCrossOrigin } from '@lockstep/server/http/cross-origin';
import type { ServiceExchange } from '@lockstep/server/http/exchange';
import { type AnyApiHandler, type ApiHandlers, planApi } from '@lockstep/server/http/plan-api';
import type { Keys } from '@lockstep/server/keys';
import type { Logger } from 'pino';
import { isBelow } from '../auth-server.ts';
import { createSandboxClock } from '../control/clock.ts';
import { createFaults } from '../control/faults.ts';
import { createFront } from '../control/front.ts';
import { isOriginOf } from '../control/guard.ts';
import { createJournal } from '../control/journal.ts';
import { isForControl } from '../control/serve-control.ts';
import { prefixOfWorld } from '../control/worlds.ts';
import { createMock, type MockedService } from '../create-mock.ts';
import { createControl } from './control/serve-control.ts';
import { formatSandboxPage } from './describe-sandbox.ts';
import { createSandboxOAuth } from './oauth.ts';
import { createRootPaths } from './root-paths.ts';
import type { Sandbox, SandboxState, ScenarioChoice } from './sandbox.ts';
import { drawScenario, readScenario, type Scenario, scenarioList } from './scenarios.ts';
import { openInstance, type ServiceInstance } from './service-instance.ts';
import { createTokenLives } from './tokens.ts';

export interface CreateSandboxOptions {
  /** Address that clients use, without a trailing slash. */
  readonly origin: string;
  readonly keys: Keys;
  readonly logger: Logger;
  /** `demo` by default. */
  readonly scenario?: ScenarioChoice | undefined;
  /** Time of the domain's clock at the start; by default the time of the system. */
  readonly startAt?: EpochMilliseconds | undefined;
  /** http addresses of this machine that partners may use as callbacks; none by default. */
  readonly loopbackCallbacks?: readonly string[] | undefined;
  /** Whether other machines may use the control. */
  readonly isControlOpen?: boolean | undefined;
  /** The place of this sandbox among those of one origin; by default it is alone. */
  readonly world?: WorldPlace | undefined;
}

export interface WorldPlace {
  /** Null for the sandbox at paths without a world. */
  readonly name: string | null;
  /** Names of all worlds. */
  readonly names: () => readonly string[];
  /** @returns whether it existed */
  readonly remove: (name: string) => boolean;
}

export interface CreatedSandbox {
  readonly listener: RequestListener;
  readonly sandbox: Sandbox;
  readonly clients: () => DemoClients;
  readonly owners: DemoOwners;
  /** Drops requests that a fault delays, now and from now on. A close that waits for pending requests does not wait for these. */
  readonly endWaits: () => void;
  readonly close: () => Promise<void>;
}

const alone: WorldPlace = { name: null, names: () => [], remove: () => false };

/** Limit of the due moments at which a moved clock stops. */
const mostStops = 10_000;

/**
 * Creates the service on a store in memory, with simulated bridges and virtual locks, behind the mock. The real handlers answer every request
 * without `Prefer`. All their state is in one instance, which a reset replaces. Callers, clock and journal are kept outside of it. The listener of a world
 * gets paths without `/w/NAME`.
 *
 * @param openAnother opens an instance; a test counts the open ones
 * @throws ScenarioFault
 */
export async function createSandbox(
  options: CreateSandboxOptions,
  openAnother: typeof openInstance = openInstance,
): Promise<CreatedSandbox> {
  const { origin, keys, logger, startAt, loopbackCallbacks = [], world = alone } = options;
  const prefix = prefixOfWorld(world.name);
  const clock = createSandboxClock(startAt === undefined ? {} : { start: startAt });
  const faults = createFaults();
  const journal = createJournal({ contract, operations, loginPath: '/auth' });
  const lives = createTokenLives();
  let scenario = readScenario(options.scenario ?? { name: 'demo' });
  let instance = await open(scenario);
  const oauth = await createSandboxOAuth({
    origin,
    prefix,
    keys,
    logger,
    loopbackCallbacks,
    lives,
    trialEnd: (accountId) => instance.trialEnd(accountId),
  }).catch(async (error) => {
    await instance.close();
    throw error;
  });
  oauth.admit(scenario.accounts);
  /** One change at a time: concurrent resets would close each other's instances. */
  let changing: Promise<unknown> = Promise.resolve();

  const sandbox: Sandbox = {
    clock,
    faults,
    journal,
    readState,
    reset: () => inTurn(() => begin(scenario)),
    useScenario: async (choice) => {
      // Lets other requests be answered between reading and validating a large file.
      await setImmediate();
      return inTurn(() => begin(readScenario(choice)));
    },
    changeClock: (change) => inTurn(() => moveClock(change)),
    keypads: {
      list: (limit) => instance.keypads.list(limit),
      enter: (deviceId, digits) => inTurn(() => instance.keypads.enter(deviceId, digits)),
    },
    tokens: {
      get lifetimeSeconds() {
        return lives.lifetimeSeconds;
      },
      setLifetime: lives.setLifetime,
      expire: async (what) => {
        lives.expire();
        if (what === 'all') await oauth.endGrants();
      },
    },
    removeWorld: world.remove,
  };
  const api = planApi({
    contract,
    operations,
    handlers: delegate(() => instance.handlers),
    verifyToken: oauth.verifyToken,
    clock,
    countRequest: (principal) => instance.countRequest(principal),
    logger,
    checkResponses: true,
  });
  const closing = new AbortController();
  const control = createControl(sandbox, {
    scenarios: scenarioList,
    isOpen: options.isControlOpen ?? false,
    publicOrigin: origin,
    logger,
    checkResponses: true,
  });
  const rootPaths = createRootPaths({
    page: () => formatSandboxPage(origin, prefix),
    addresses: {
      api: `${prefix}/v1`,
      auth: `${prefix}/auth`,
      health: `${prefix}/healthz`,
      ready: `${prefix}/readyz`,
      sandbox: `${prefix}/_sandbox`,
    },
    ping: () => instance.ping(),
    logger,
  });
  const listener = createFront<ServiceExchange>({
    contract,
    logger,
    closing: closing.signal,
    of: () => sandbox,
    answersOther: (request, response) => {
      if (!isForControl(request)) return rootPaths(request, response);
      control(request, response);
      return true;
    },
    // The control page requests tokens. The OAuth server rejects any Origin, since the service has no such page.
    prepare: ({ headers }, operation) => {
      const { origin: page, host = '' } = headers;
      if (operation?.operationId === 'exchangeToken' && page !== undefined && isOriginOf(page, host))
        delete headers.origin;
    },
    letIn: allowCrossOrigin({ contract, operations, origins: 'any', headers: ['Prefer'] }),
    isObserved: (path) => isBelow(oauth.authServer.basePath, path),
    callerOf: ({ clientId, accountId }) => ({ clientId, accountId }),
    mock: (observers) => {
      const service: MockedService<ServiceExchange> = {
        ...api,
        // Each handler gets requests of its own operation only.
        handlers: api.handlers as unknown as NonNullable<MockedService<ServiceExchange>['handlers']>,
        authServer: oauth.authServer,
        ...observers,
      };
      return createMock<ServiceExchange>({ contract, operations, logger, service, compilesWhenAsked: true });
    },
  });
  return {
    listener,
    sandbox,
    clients: oauth.clients,
    owners: oauth.owners,
    endWaits: () => closing.abort(),
    close: async () => {
      await changing;
      await instance.close();
      await oauth.close();
    },
  };

  async function open(of: Scenario): Promise<ServiceInstance> {
    const image = await drawScenario(of, startAt);
    return openAnother({ image, accountQuota: of.accountQuota, keys, clock, logger });
  }

  function inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const done = changing.then(change);
    changing = done.catch(() => undefined);
    return done;
  }

  /** Replaces everything in one step, after the new instance is open: an invalid scenario changes nothing. */
  async function begin(next: Scenario): Promise<SandboxState> {
    const opened = await open(next);
    try {
      oauth.admit(next.accounts);
    } catch (error) {
      await opened.close();
      throw error;
    }
    const ended = instance;
    [scenario, instance] = [next, opened];
    clock.reset();
    faults.clear();
    journal.clear();
    lives.setLifetime(null);
    await ended.close();
    return readState();
  }

  /** Moving forwards, the clock stops at each due moment, so that everything happens at its time and in order. */
  async function moveClock(change: () => void): Promise<void> {
    const before = clock.now();
    change();
    const target = clock.now();
    if (target > before) {
      clock.set({ at: before });
      for (
        let stops = 0, due = await instance.settle();
        due !== null && due < target && stops < mostStops;
        stops += 1
      ) {
        clock.set({ at: Math.max(due, clock.now()) });
        due = await instance.settle();
      }
      clock.set({ at: Math.max(target, clock.now()) });
    }
    await instance.settle();
  }

  function readState(): SandboxState {
    return {
      world: world.name,
      worlds: [...world.names()],
      scenario: scenario.name,
      clock: { now: new Date(clock.now()).toISOString(), ticking: clock.isTicking },
      faults: [...faults.list()],
      tokenLifetimeSeconds: lives.lifetimeSeconds,
      requests: journal.list().length,
      clients: oauth.clients().map(({ clientId, secret, account }) => ({ clientId, secret, account })),
    };
  }
}

/** Handlers that delegate each request to the present instance. */
function delegate(current: () => ApiHandlers): ApiHandlers {
  const names = Object.keys(current()) as (keyof ApiHandlers)[];
  const call = (name: keyof ApiHandlers): AnyApiHandler =>
    ((...asked: Parameters<AnyApiHandler>) =>
      (current()[name] as (...asked: unknown[]) => unknown)(...asked)) as AnyApiHandler;
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as ApiHandlers;
}
