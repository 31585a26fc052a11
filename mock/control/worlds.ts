import type { IncomingMessage, ServerResponse } from 'node:http';
import { readRequestId, takeAuthority } from '@lockstep/runtime/http-message';

export interface WorldsOptions<World> {
  readonly create: (name: string) => World;
  /** The greatest number of worlds; 0 for none. */
  readonly most: number;
  /** Whether a request may create a world. It reaches no world otherwise, unless that exists. */
  readonly mayCreate: (request: IncomingMessage) => boolean;
  /** Closes a world that was removed. */
  readonly end?: (world: World) => void;
}

/** A request for a world that cannot be created. */
export interface WorldRejection {
  readonly status: 400 | 507;
  readonly code: 'world_name' | 'too_many_worlds';
  readonly text: string;
}

export interface Worlds<World> {
  readonly names: () => readonly string[];
  readonly all: () => readonly World[];
  /**
   * @param only the world to remove: a later one of the name stays
   * @returns whether it existed
   */
  readonly remove: (name: string, only?: World) => boolean;
  /** The world that `select` found for a request; undefined for a path without a world. */
  readonly of: (request: IncomingMessage) => World | undefined;
  /**
   * Removes `/w/NAME` from the path of a request, and creates that world if it is missing.
   *
   * @returns the reason if there is no such world and none can be created
   */
  readonly select: (request: IncomingMessage) => WorldRejection | undefined;
}

/** The greatest number of worlds of one mock, by default. */
export const usualWorlds = 100;

const prefixed = /^\/w\/([^/?#]*)(?=[/?#]|$)/;

/** Characters that no URL encodes. A client removes the segments `.` and `..` from a path (RFC 3986, 5.2.4). */
const validName = /^(?!\.{1,2}$)[\w.~-]{1,100}$/;

export const worldNameRule = 'the name of a world has 1 to 100 letters, digits and -._~: /w/test-7/…';

/** Whether a world can have this name. */
export function isWorldName(name: string): boolean {
  return validName.test(name);
}

/** Before each path of a world; empty for paths without a world. */
export function prefixOfWorld(name: string | null): string {
  return name === null ? '' : `/w/${name}`;
}

/** Separate states of one mock by name, for parallel tests. A world is created by its first request. */
export function createWorlds<World>({ create, most, mayCreate, end }: WorldsOptions<World>): Worlds<World> {
  const named = new Map<string, World>();
  const selected = new WeakMap<IncomingMessage, World>();
  const rejectNew = (name: string): WorldRejection | undefined => {
    if (!isWorldName(name)) return { status: 400, code: 'world_name', text: worldNameRule };
    if (named.size < most) return undefined;
    const text = `there are ${most} worlds, the greatest number: remove one by DELETE /_sandbox/worlds/NAME`;
    return { status: 507, code: 'too_many_worlds', text };
  };

  return {
    names: () => [...named.keys()],
    all: () => [...named.values()],
    remove: (name, only) => {
      const world = named.get(name);
      if (world === undefined || (only !== undefined && world !== only)) return false;
      named.delete(name);
      end?.(world);
      return true;
    },
    of: (request) => selected.get(request),
    select: (request) => {
      if (most === 0) return undefined;
      takeAuthority(request);
      const { url = '/' } = request;
      const [whole, name = ''] = prefixed.exec(url) ?? [];
      if (whole === undefined) return undefined;
      const rest = url.slice(whole.length);
      request.url = rest.startsWith('/') ? rest : `/${rest}`;
      let world = named.get(name);
      if (world === undefined) {
        if (!mayCreate(request)) return undefined;
        const rejection = rejectNew(name);
        if (rejection !== undefined) return rejection;
        world = create(name);
        named.set(name, world);
      }
      selected.set(request, world);
      return undefined;
    },
  };
}

export function rejectWorld(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, text }: WorldRejection,
): void {
  const requestId = readRequestId(request);
  const content = Buffer.from(JSON.stringify({ error: text, code, requestId }));
  // An unread body would be parsed as the next request.
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': content.length,
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
  });
  response.end(content);
}
