import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGuard } from '../control/guard.ts';
import { isForControl } from '../control/serve-control.ts';
import { createWorlds, rejectWorld, usualWorlds } from '../control/worlds.ts';
import { type CreatedSandbox, type CreateSandboxOptions, createSandbox } from './create-sandbox.ts';

export interface SandboxWorldsOptions extends Omit<CreateSandboxOptions, 'world'> {
  /** The greatest number of worlds at `/w/NAME`; 100 by default, and 0 for none. */
  readonly worlds?: number | undefined;
}

/**
 * Creates a sandbox whose worlds are sandboxes too: each with its own store, clock, faults, journal, clients and tokens. They share keys, and start with the
 * same scenario. A world costs some megabytes, and its first request waits until it is created.
 *
 * @throws ScenarioFault
 */
export async function createSandboxWorlds({ worlds: most, ...options }: SandboxWorldsOptions): Promise<CreatedSandbox> {
  const { origin, logger, isControlOpen = false } = options;
  const guard = createGuard({ isOpen: isControlOpen, publicOrigin: origin });
  const worlds = createWorlds<Promise<CreatedSandbox>>({
    create: (name) => {
      const created = createSandbox({ ...options, world: { name, ...others } });
      // Each request for it reports the failure. The next one tries again.
      created.catch(() => worlds.remove(name, created));
      return created;
    },
    most: most ?? usualWorlds,
    // A page of another origin may call the API of a world, and not its control.
    mayCreate: (request) => !isForControl(request) || guard(request) === undefined,
    end: (created) => void end(created),
  });
  const others = { names: worlds.names, remove: worlds.remove };
  const main = await createSandbox({ ...options, world: { name: null, ...others } });
  const closing = new Set<Promise<void>>();

  return {
    ...main,
    listener: (request, response) => {
      const rejection = worlds.select(request);
      if (rejection !== undefined) return rejectWorld(request, response, rejection);
      const world = worlds.of(request);
      if (world === undefined) main.listener(request, response);
      else void answer(world, request, response);
    },
    endWaits: () => {
      main.endWaits();
      for (const world of worlds.all()) void world.then(({ endWaits }) => endWaits(), ignore);
    },
    close: async () => {
      for (const name of worlds.names()) worlds.remove(name);
      await Promise.all(closing);
      await main.close();
    },
  };

  async function answer(
    world: Promise<CreatedSandbox>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    try {
      const { listener } = await world;
      listener(request, response);
    } catch (err) {
      logger.error({ err }, 'a world could not be created');
      response.destroy();
    }
  }

  function end(created: Promise<CreatedSandbox>): Promise<void> {
    const ended = created.then(({ endWaits, close }) => {
      endWaits();
      return close();
    }, ignore);
    closing.add(ended);
    return ended.finally(() => closing.delete(ended));
  }
}

function ignore(): void {}
