import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AnyHandler } from '@lockstep/runtime/answer-request';
import type { Exchange } from '@lockstep/runtime/exchange';
import { readRequestId } from '@lockstep/runtime/http-message';
import { createStatefulHandlers } from '@lockstep/runtime/stateful/answer-from-state';
import type { Role, Scenario } from '@lockstep/state/create-state';
import { answerOtherwise } from '../answer-as-documented.ts';
import { createMock, type MockOptions } from '../create-mock.ts';
import { createControlHandlers, inBody, refuse } from './answer-control.ts';
import { createFront } from './front.ts';
import controlContract from './generated/contract.gen.json' with { type: 'json' };
import { defineHandlers } from './generated/handlers.gen.ts';
import { operations as controlOperations } from './generated/operations.gen.ts';
import { adviceOfMock } from './guard.ts';
import { basePath, isForControl, serveControl } from './serve-control.ts';
import { createWorlds, type World, type WorldRejection, type Worlds } from './worlds.ts';

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

const mostWorlds = 100;

/** The control of a mock or of a world. */
const controlPath = /^(?:https?:\/\/[^/?#]*)?(?:\/w\/[^/?#]*)?\/_sandbox(?:[/?#]|$)/i;

/** Creates a mock of any contract that keeps items, with a control at `/_sandbox`, and with worlds at `/w/NAME`. */
export function createControlledMock(options: ControlledMockOptions): ControlledMock {
  const { origin, seed, control: isControlled = true, closing = new AbortController().signal, ...parts } = options;
  const { contract, operations, logger } = parts;
  const isTaken = Object.values(operations).some((one) => /^\/w(?:\/|$)/.test(one.basePath + one.path));
  const most = isTaken ? 0 : (options.worlds ?? mostWorlds);
  const { handlers, roles, createMemory } = createStatefulHandlers(contract, operations, {
    now: Date.now,
    memoryOf: (request) => worlds.of(request).memory,
    otherwise: answerOtherwise(contract),
  });
  const worlds = createWorlds({ contract, operations, createMemory, seed, most });
  const control = serveControl({
    contract: controlContract,
    operations: controlOperations,
    handlers: () => createHandlers(worlds, (world) => createWorldHandlers(world, worlds, { contract, operations })),
    ownPaths: {
      [`${basePath}/openapi.json`]: () => ({
        headers: { 'Content-Type': 'application/json' },
        content: readFileSync(new URL('./generated/published.gen.json', import.meta.url)),
      }),
    },
    isOpen: false,
    publicOrigin: origin,
    advice: adviceOfMock,
    logger,
    checkResponses: true,
  });
  const front = createFront({
    contract,
    logger,
    closing,
    of: worlds.of,
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
      else reject(request, response, rejection);
    },
  };
}

type Handler = AnyHandler<unknown, Exchange<unknown>>;
type Handlers = ReturnType<typeof createWorldHandlers>;

/** Handlers that answer for the world of each request. */
function createHandlers({ main, of }: Worlds, create: (world: World) => Handlers): Readonly<Record<string, Handler>> {
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
      (parsed, exchange) => (handlersOf(of(exchange.request))[name] as unknown as Handler)(parsed, exchange),
    ]),
  );
}

function createWorldHandlers(
  world: World,
  { names, remove }: Worlds,
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
    removeWorld: ({ path }) =>
      remove(path.name)
        ? { status: 204 }
        : { status: 404, body: { error: `There is no world ${path.name}`, code: 'world_not_found' } },
  });
}

function reject(request: IncomingMessage, response: ServerResponse, { status, code, text }: WorldRejection): void {
  const content = Buffer.from(JSON.stringify({ error: text, code, requestId: readRequestId(request) }));
  // An unread body would be parsed as the next request.
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': content.length,
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(content);
}
