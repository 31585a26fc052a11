import type { IncomingMessage } from 'node:http';
import type { Memory, MemoryOptions } from '@lockstep/state/create-state';
import type { Controlled, ControlledContract } from './answer-control.ts';
import { createSandboxClock } from './clock.ts';
import { createFaults } from './faults.ts';
import { createJournal } from './journal.ts';

/** Items, clock, faults and journal of their own in one mock, for one test among parallel ones. */
export interface World extends Controlled {
  /** Null for paths without a name. */
  readonly name: string | null;
  readonly memory: Memory;
  /** Restores the items of its scenario and its clock, and removes faults and journal. */
  readonly reset: () => void;
}

export interface WorldsOptions extends ControlledContract {
  readonly createMemory: (options: MemoryOptions) => Memory;
  readonly seed?: number | undefined;
  /** The greatest number of worlds with a name. */
  readonly most: number;
}

/** A request for a world that cannot be created. */
export interface WorldRejection {
  readonly status: 400 | 507;
  readonly code: 'world_name' | 'too_many_worlds';
  readonly text: string;
}

/** A tenth of the usual store: a hundred full worlds fit into the memory of a small machine. */
const limitsOfNamed = { items: 5_000, bytes: 6_400_000 };

/** `/w/NAME` before a path, also after an origin: `GET http://localhost:8090/w/test-7/books` (RFC 9112, 3.2.2). */
const prefixed = /^(https?:\/\/[^/?#]*)?\/w\/([^/?#]*)(?=[/?#]|$)/i;

const validName = /^[\w.~-]{1,100}$/;

export type Worlds = ReturnType<typeof createWorlds>;

/** The worlds of one mock. A world is created by its first request. */
export function createWorlds({ contract, operations, createMemory, seed, most }: WorldsOptions) {
  const main = createWorld(null);
  const named = new Map<string, World>();
  const selected = new WeakMap<IncomingMessage, World>();

  return {
    main,
    names: (): readonly string[] => [...named.keys()],
    /** @returns whether it existed */
    remove: (name: string): boolean => named.delete(name),
    /** The world of a request that `select` has read. */
    of: (request: IncomingMessage): World => selected.get(request) ?? main,
    /** Removes the name of a world from the path of a request. @returns the reason if there is no such world and none can be created */
    select: (request: IncomingMessage): WorldRejection | undefined => {
      const { url = '/' } = request;
      const [whole, origin = '', name = ''] = prefixed.exec(url) ?? [];
      if (most === 0 || whole === undefined) return undefined;
      if (!validName.test(name))
        return {
          status: 400,
          code: 'world_name',
          text: 'the name of a world has 1 to 100 letters, digits and -._~: /w/test-7/…',
        };
      if (!named.has(name) && named.size >= most)
        return {
          status: 507,
          code: 'too_many_worlds',
          text: `there are ${most} worlds, the greatest number: remove one by DELETE /_sandbox/worlds/NAME`,
        };
      const world = named.get(name) ?? createWorld(name);
      named.set(name, world);
      selected.set(request, world);
      const rest = url.slice(whole.length);
      request.url = `${origin}${rest.startsWith('/') ? '' : '/'}${rest}`;
      return undefined;
    },
  };

  function createWorld(name: string | null): World {
    const clock = createSandboxClock();
    const faults = createFaults();
    const journal = createJournal({ contract, operations });
    const memory = createMemory({
      now: clock.now,
      ...(seed !== undefined && { seed }),
      ...(name !== null && { prefix: `/w/${name}`, limits: limitsOfNamed }),
    });
    return {
      name,
      clock,
      changeClock: async (change) => change(),
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
