import { fileURLToPath } from 'node:url';
import type { Contract } from '../contract/contract.ts';
import { readContract, readContractFile } from '../contract/read-contract.ts';
import type { Clock } from '../execute/clock.ts';
import type { Intent } from '../execute/exchange.ts';
import type { RunEvents, RunOptions, RunResult } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';
import { createDepot, depotCredentials, secondDepotCredentials } from './depot.ts';
import { createLibrary, libraryKey, secondLibraryKey } from './library.ts';
import { archivePass, createArchive, createMarket } from './lists.ts';
import { clock, type Handler, type Served, serve } from './serve.ts';
import { type ContractEdit, createValidation, readEdited, type Validate } from './validate.ts';
import { createWeather, weatherClient } from './weather.ts';

/** Unrelated APIs, each with a server that conforms to its contract. */
export const apis = {
  library: {
    ...served('library', createLibrary),
    base: '/v2',
    auth: undefined,
    credentials: { token: libraryKey, clientId: undefined, clientSecret: undefined },
    second: { token: secondLibraryKey, clientId: undefined, clientSecret: undefined },
  },
  weather: {
    ...served('weather', createWeather),
    base: '/alps/api',
    auth: '/oauth',
    credentials: { token: undefined, clientId: weatherClient.id, clientSecret: weatherClient.secret },
    second: undefined,
  },
  depot: {
    ...served('depot', createDepot),
    base: '/api',
    auth: undefined,
    credentials: depotCredentials,
    second: secondDepotCredentials,
  },
  archive: {
    ...served('archive', createArchive),
    base: '/v1',
    auth: undefined,
    credentials: { token: archivePass, clientId: undefined, clientSecret: undefined },
    second: undefined,
  },
  market: {
    ...served('market', createMarket),
    base: '',
    auth: undefined,
    credentials: { token: undefined, clientId: undefined, clientSecret: undefined },
    second: undefined,
  },
} as const;

export type ApiName = keyof typeof apis;

/** The intent of a valid request with the user's own credentials, for exchanges that a test creates. */
export const plainIntent: Intent = {
  phase: 'baseline',
  label: '',
  polarity: 'valid',
  place: undefined,
  identity: 'own',
  obligation: '',
  case: '',
  step: 0,
};

/** A clock that only the waits of a run move. */
export function createTestClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    wait: async (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** A fixed clock: requests must not depend on the day of the test. */
export const testNow = Date.parse('2026-04-01T09:30:00Z');

export function testOptions(api: ApiName, origin: string, change: Partial<RunOptions> = {}): RunOptions {
  const { base, auth, credentials, second } = apis[api];
  return {
    baseUrl: `${origin}${base}`,
    authUrl: auth === undefined ? undefined : `${origin}${auth}`,
    credentials,
    second,
    permissions: { effects: ['remote'], readOnly: false, writes: 'restore' },
    selection: { only: [], exclude: [] },
    checks: [],
    phases: ['baseline'],
    budget: { requests: undefined, milliseconds: undefined },
    seed: 1,
    now: testNow,
    workers: 16,
    ratePerSecond: undefined,
    timeoutMs: 30_000,
    maxWaitMs: 5_000,
    clock,
    slowMs: undefined,
    headers: [],
    ...change,
  };
}

/** Serves a handler, runs the tests against it, and closes the server. */
export async function runAgainst(
  api: ApiName,
  handle: Handler,
  change: Partial<RunOptions> = {},
  amend: (contract: Contract) => Contract = (contract) => contract,
  events: RunEvents = {},
  signal?: AbortSignal,
): Promise<{
  readonly result: RunResult;
  /** One line for each request. */
  readonly log: readonly string[];
  readonly served: Served;
  readonly contract: Contract;
}> {
  const contract = amend(await readContractFile(apis[api].file));
  const served = await serve(handle);
  try {
    const log: string[] = [];
    const onRequest = (line: string): unknown => log.push(line);
    const options = testOptions(api, served.origin, change);
    const result = await runConformance(contract, options, { ...events, onRequest }, signal);
    return { result, log, served, contract };
  } finally {
    await served.close();
  }
}

/** The contract of an API with changes that its server has too. */
export function withEdits(api: ApiName, edits: readonly ContractEdit[]): () => Contract {
  return () => readContract(`${api}.json`, JSON.stringify(readEdited(apis[api].file, edits)));
}

/** The file of a contract, and its server; `edits` are where the server differs from its contract. */
function served(name: string, create: (validate: Validate) => Handler) {
  const file = fileURLToPath(new URL(`../fixtures/${name}.yaml`, import.meta.url));
  const validationOf = (edits: readonly ContractEdit[]): Validate => createValidation(readEdited(file, edits));
  // Compiled once: it keeps nothing of a request, and most servers have no edits.
  let unedited: Validate | undefined;
  return {
    file,
    create(edits: readonly ContractEdit[] = []): Handler {
      unedited ??= validationOf([]);
      return create(edits.length === 0 ? unedited : validationOf(edits));
    },
  };
}
