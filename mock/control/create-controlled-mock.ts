import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AnyHandler } from '@lockstep/runtime/answer-request';
import type { Exchange } from '@lockstep/runtime/exchange';
import { createStatefulHandlers } from '@lockstep/runtime/stateful/answer-from-state';
import type { Memory, Role, Scenario } from '@lockstep/state/create-state';
import { answerOtherwise } from '../answer-as-documented.ts';
import { createMock, type MockOptions } from '../create-mock.ts';
import { type Controlled, createControlHandlers, inBody, refuse } from './answer-control.ts';
import { createSandboxClock } from './clock.ts';
import { createFaults } from './faults.ts';
import { createFront } from './front.ts';
import controlContract from './generated/contract.gen.json' with { type: 'json' };
import { defineHandlers } from './generated/handlers.gen.ts';
import { operations as controlOperations } from './generated/operations.gen.ts';
import { adviceOfMock, createGuard } from './guard.ts';
import { createJournal } from './journal.ts';
import { readPage } from './pages/read-page.ts';
import { basePath, isForControl, type Own, serveControl } from './serve-control.ts';
import { createWorlds, prefixOfWorld, rejectWorld, usualWorlds, type Worlds } from './worlds.ts';

export interface ControlledMockOptions extends Omit<MockOptions, 'service'> {
  /** Address that clients use, without a trailing slash. */
  readonly origin: string;
  /** Decides the ids of new items; 1 by default. */
  readonly seed?: number | undefined;
  /** The greatest number of worlds; 100 by default, and 0 for none. */
  readonly worlds?: number | undefined;
  /** Whether `/_sandbox` answers. True by default. */
  readonly control?: boolean | undefined;
  /** Drops requests that a fault delays. */
  readonly closing?: AbortSignal | undefined;
}

export interface ControlledMock {
  readonly listener: RequestListener;
  readonly roles: readonly Role[];
  /** Whether a request is for the control, of a world or of the mock. No page of another origin may call it. */
  readonly isForControl: (request: IncomingMessage) => boolean;
  /** Whether `/w/NAME` selects a world. It does not if the contract has paths below `/w`. */
  readonly hasWorlds: boolean;
}

/** Items, clock, faults and journal of their own in one mock, for one test among parallel ones. */
interface World extends Controlled {
  /** Null for paths without a name. */
  readonly name: string | null;
  readonly memory: Memory;
  /** Restores the items of its scenario and its clock, and removes faults and journal. */
  readonly reset: () => void;
}

/** A tenth of the usual store: a hundred full worlds fit into the memory of a small machine. */
const limitsOfNamed = { items: 5_000, bytes: 6_400_000 };

/** The control of a mock or of a world. */
const controlPath = /^(?:https?:\/\/[^/?#]*)?(?:\/w\/[^/?#]*)?\/_sandbox(?:[/?#]|$)/i;

/** Creates a mock of any contract that keeps items, with a control at `/_sandbox`, and with worlds at `/w/NAME`. */
export function createControlledMock(options: ControlledMockOptions): ControlledMock {
  const { origin, seed, control: isControlled = true, closing = new AbortController().signal, ...parts } = options;
  const { contract, operations, logger } = parts;
  const isTaken = Object.values(operations).some((one) => /^\/w(?:\/|$)/.test(one.basePath + one.path));
  const most = isTaken ? 0 : (options.worlds ?? usualWorlds);
  const { handlers, roles, createMemory } = createStatefulHandlers(contract, operations, {
    now: Date.now,
    memoryOf: (request) => worldOf(request).memory,
    otherwise: answerOtherwise(contract),
  });
  const main = createWorld(null);
  const guarding = { isOpen: false, publicOrigin: origin, advice: adviceOfMock };
  const guard = createGuard(guarding);
  const worlds = createWorlds({
    create: createWorld,
    most,
    // A page of another origin may call the API of a world, and not its control.
    mayCreate: (request) => !isControlled || !isForControl(request) || guard(request) === undefined,
  });
  const worldOf = (request: IncomingMessage): World => worlds.of(request) ?? main;
  const control = serveControl({
    ...guarding,
    contract: controlContract,
    operations: controlOperations,
    handlers: () =>
      createHandlers(worldOf, (world) => createWorldHandlers(world, worlds.names, { contract, operations }), main),
    ownPaths: {
      [basePath]: servePage,
      [`${basePath}/`]: servePage,
      [`${basePath}/openapi.json`]: () => ({
        headers: { 'Content-Type': 'application/json' },
        content: readFileSync(new URL('./generated/published.gen.json', import.meta.url)),
      }),
    },
    logger,
    checkResponses: true,
  });
  const front = createFront({
    contract,
    logger,
    closing,
    of: worldOf,
    answersOther: (request, response) => {
      if (!isControlled || !isForControl(request)) return false;
      control(request, response);
      return true;
    },
    mock: (observers) => createMock({ ...parts, service: { security: {}, handlers, ...observers } }),
  });
  return {
    roles,
    hasWorlds: most > 0,
    isForControl: ({ url = '/' }) => isControlled && controlPath.test(url),
    listener: (request, response) => {
      const rejection = worlds.select(request);
      if (rejection === undefined) front(request, response);
      else rejectWorld(request, response, rejection);
    },
  };

  function servePage(): Own {
    const file = new URL('./pages/control.html', import.meta.url);
    const { title = '' } = (contract.info ?? {}) as { readonly title?: string };
    return readPage({ file, operationIds: Object.keys(operations), title });
  }

  function createWorld(name: string | null): World {
    const clock = createSandboxClock();
    const faults = createFaults();
    const journal = createJournal({ contract, operations });
    const memory = createMemory({
      now: clock.now,
      prefix: prefixOfWorld(name),
      ...(seed !== undefined && { seed }),
      ...(name !== null && { limits: limitsOfNamed }),
    });
    return {
      name,
      clock,
      changeClock: async (change) => change(),
      removeWorld: (removed) => worlds.remove(removed),
      faults,
      journal,
      memory,
      reset: () => {
        clock.reset();
        faults.clear();
        journal.clear();
        memory.reset();
      },
    };
  }
}

type Handler = AnyHandler<unknown, Exchange<unknown>>;
type Handlers = ReturnType<typeof createWorldHandlers>;

/** Handlers that answer for the world of each request. */
function createHandlers(
  worldOf: (request: IncomingMessage) => World,
  create: (world: World) => Handlers,
  main: World,
): Readonly<Record<string, Handler>> {
  const known = new WeakMap<World, Handlers>([[main, create(main)]]);
  const handlersOf = (world: World): Handlers => {
    const handlers = known.get(world) ?? create(world);
    known.set(world, handlers);
    return handlers;
  };
  const names = Object.keys(handlersOf(main)) as (keyof Handlers)[];
  return Object.fromEntries(
    names.map((name): [string, Handler] => [
      name,
      (parsed, exchange) => (handlersOf(worldOf(exchange.request))[name] as unknown as Handler)(parsed, exchange),
    ]),
  );
}

function createWorldHandlers(
  world: World,
  names: Worlds<World>['names'],
  controlled: Parameters<typeof createControlHandlers>[0],
) {
  const { name, clock, faults, journal, memory } = world;
  const readState = () =>
    ({
      status: 200,
      body: {
        world: name,
        worlds: [...names()],
        clock: { now: new Date(clock.now()).toISOString(), ticking: clock.isTicking },
        faults: [...faults.list()],
        requests: journal.list().length,
        ...memory.size(),
      },
    }) as const;
  return defineHandlers()({
    ...createControlHandlers(controlled, world),
    readState,
    reset: () => {
      world.reset();
      return readState();
    },
    useScenario: ({ body }) => {
      const found = memory.use(body as Scenario).map(({ at, text }) => inBody(at, text));
      const [first, ...others] = found;
      if (first !== undefined) return refuse('scenario_refused', first, ...others);
      world.reset();
      return readState();
    },
  });
}
