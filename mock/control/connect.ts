// Controls a mock over HTTP, from another process or from its own.

import { showValue } from '@lockstep/runtime/validation/sentence';
import type { components, operations } from './generated/types.gen.ts';
import { isWorldName, prefixOfWorld, worldNameRule } from './worlds.ts';

type Schemas = components['schemas'];

export type ClockReading = Schemas['Clock'];
export type ClockChange = Schemas['ClockChange'];
export type NewFault = Schemas['NewFault'];
export type Fault = Schemas['Fault'];
export type RecordedRequest = Schemas['JournalEntry'];
export type RequestFilter = NonNullable<operations['listRequests']['parameters']['query']>;
export type MockState = Schemas['State'];
/** Items by the path of their collection: `{ '/books': [{ title: 'Emma' }] }`. */
export type MockScenario = Readonly<Record<string, readonly object[]>>;

/** The operations that every control has; `contract.yaml` in this folder describes them. */
export interface CommonControl {
  readonly readClock: () => Promise<ClockReading>;
  /** `{ by: 'PT3S' }`, `{ now: '2026-06-01T12:00:00Z' }`, `{ ticking: false }`. When it resolves, due jobs of a sandbox have run. */
  readonly changeClock: (change: ClockChange) => Promise<ClockReading>;
  readonly listFaults: () => Promise<readonly Fault[]>;
  readonly addFault: (fault: NewFault) => Promise<Fault>;
  readonly removeFault: (faultId: string) => Promise<void>;
  readonly removeFaults: () => Promise<void>;
  /** Newest first. */
  readonly listRequests: (filter?: RequestFilter) => Promise<readonly RecordedRequest[]>;
  readonly removeRequests: () => Promise<void>;
  /** Removes a world with its state. Its next request creates it again. */
  readonly removeWorld: (name: string) => Promise<void>;
}

/** The control of the mock of any contract, or of one of its worlds. */
export interface MockControl extends CommonControl {
  readonly readState: () => Promise<MockState>;
  /** Restores the items of the scenario, or of the contract's examples, and the clock; removes faults and journal. */
  readonly reset: () => Promise<MockState>;
  /** Replaces the items. A collection that the scenario does not name has the contract's examples. */
  readonly useScenario: (scenario: MockScenario) => Promise<MockState>;
}

/** A rejection of the control, with its message. */
export class ControlRejection extends Error {
  override readonly name = 'ControlRejection';
  readonly status: number;
  /** Stable, for programs; undefined if another server answered. */
  readonly code: string | undefined;
  /** Every fault with its location. */
  readonly details: Schemas['InvalidRequest']['details'];

  constructor(status: number, text: string, { code, details = [] }: Partial<Schemas['InvalidRequest']> = {}) {
    super(text);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Sends requests to a control. */
export interface ControlConnection {
  readonly get: <Answer>(path: string) => Promise<Answer>;
  readonly change: <Answer>(method: string, path: string, body: object) => Promise<Answer>;
  readonly remove: (path: string) => Promise<void>;
}

/**
 * @param origin as `http://localhost:8090`, or with the path of a world, as `http://localhost:8090/w/test-7`
 * @param kind `mock` or `sandbox`, for messages
 * @throws TypeError for any other address
 */
export function connectControl(origin: string, kind: string): ControlConnection {
  const base = readOrigin(origin);
  return {
    get: async (path) => (await send('GET', path)) as never,
    change: async (method, path, body) => (await send(method, path, body)) as never,
    remove: async (path) => void (await send('DELETE', path)),
  };

  async function send(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${base}/_sandbox${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) {
      const rejection = readRejection(text);
      const { error = `${answer.status} ${answer.statusText}: is a ${kind} at ${origin}?`, details = [] } = rejection;
      const message = details.length > 1 ? details.map((detail) => detail.says).join('\n') : error;
      throw new ControlRejection(answer.status, message, rejection);
    }
    return text === '' ? undefined : JSON.parse(text);
  }
}

export function createCommonControl({ get, change, remove }: ControlConnection): CommonControl {
  return {
    readClock: () => get('/clock'),
    changeClock: (to) => change('PATCH', '/clock', to),
    listFaults: async () => (await get<Schemas['FaultList']>('/faults')).faults,
    addFault: (fault) => change('POST', '/faults', fault),
    removeFault: async (faultId) => {
      if (typeof faultId !== 'string')
        throw new TypeError(`pass removeFault the id of a fault as text, not ${showValue(faultId)}`);
      await remove(`/faults/${encodeURIComponent(faultId)}`);
    },
    removeFaults: () => remove('/faults'),
    listRequests: async (filter = {}) => {
      const query = new URLSearchParams(
        Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]),
      );
      return (await get<Schemas['RequestList']>(`/requests?${query}`)).requests;
    },
    removeRequests: () => remove('/requests'),
    removeWorld: async (name) => remove(`/worlds/${encodeURIComponent(checkWorldName(name))}`),
  };
}

/**
 * Controls the mock of any contract, or one of its worlds.
 *
 * @param origin of the mock, `http://localhost:8090`, or of a world, `http://localhost:8090/w/test-7`
 * @returns functions whose promises reject with a `ControlRejection`, or with the error of `fetch` if nothing answers
 * @throws TypeError for an invalid origin
 */
export function connectMock(origin: string): MockControl {
  const connection = connectControl(origin, 'mock');
  const { get, change } = connection;
  return {
    ...createCommonControl(connection),
    readState: () => get('/state'),
    reset: () => change('POST', '/reset', {}),
    useScenario: (scenario) => change('PUT', '/scenario', scenario),
  };
}

/** The address of a world. @throws TypeError for a name that no world can have */
export function originOfWorld(origin: string, name: string): string {
  return origin + prefixOfWorld(checkWorldName(name));
}

function checkWorldName(name: unknown): string {
  if (typeof name === 'string' && isWorldName(name)) return name;
  throw new TypeError(`${worldNameRule}, not ${showValue(name)}`);
}

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === '') {
    const [, name] = /^\/w\/([^/]+)\/?$/.exec(url.pathname) ?? [];
    if (name !== undefined && isWorldName(name)) return originOfWorld(url.origin, name);
    if (url.pathname === '/') return url.origin;
  }
  throw new TypeError(
    `${showValue(text)} is no origin: give one as http://localhost:8090, without a path, or that of a world as http://localhost:8090/w/test-7`,
  );
}

function readRejection(body: string): Partial<Schemas['InvalidRequest']> {
  try {
    return JSON.parse(body) as Partial<Schemas['InvalidRequest']>;
  } catch {
    return {};
  }
}
