import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PhaseName } from '../execute/exchange.ts';
import { conformHere, type Ended } from '../fixtures/conform-here.ts';
import { accessFaults } from '../seeded/access-faults.ts';
import { type ApiName, apis } from '../seeded/apis.ts';
import { depotCredentials, secondDepotCredentials } from '../seeded/depot.ts';
import { injectFault, type SeededFault, withBody, withHeaders } from '../seeded/faults.ts';
import { libraryKey, secondLibraryKey } from '../seeded/library.ts';
import { listFaults } from '../seeded/list-faults.ts';
import { archivePass } from '../seeded/lists.ts';
import { protocolFaults } from '../seeded/protocol-faults.ts';
import { type Served, serve } from '../seeded/serve.ts';
import { weatherClient } from '../seeded/weather.ts';
import { weatherFaults } from '../seeded/weather-faults.ts';

// If these fail, a developer at a failing build has a request that is not the one of the build.

let folder: string;
let served: Served | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-replay-'));
});
afterEach(async () => {
  await served?.close();
  served = undefined;
  await rm(folder, { recursive: true });
});

const tokens = ({ scopedTokens }: typeof depotCredentials | typeof secondDepotCredentials): readonly string[] =>
  scopedTokens.map(({ scopes, text }) => `${scopes.join(' ')}=${text}`);

/** Credentials as the user gives them. */
const credentials: Readonly<Record<ApiName, readonly string[]>> = {
  library: ['--token', libraryKey, '--second-token', secondLibraryKey],
  weather: ['--client-id', weatherClient.id, '--client-secret', weatherClient.secret, '--allow-effects', 'remote'],
  depot: [
    ...tokens(depotCredentials).flatMap((token) => ['--token', token]),
    ...tokens(secondDepotCredentials).flatMap((token) => ['--second-token', token]),
    ...['--credential', `Session=${depotCredentials.byScheme.Session}`],
    ...['--second-credential', `Session=${secondDepotCredentials.byScheme.Session}`],
  ],
  archive: ['--token', archivePass],
  market: [],
};

const secrets = [
  ...[libraryKey, secondLibraryKey, weatherClient.secret],
  ...[depotCredentials, secondDepotCredentials].flatMap(({ scopedTokens, byScheme }) => [
    byScheme.Session,
    ...scopedTokens.map(({ text }) => text),
  ]),
];

type Fault = Pick<SeededFault, 'api' | 'at' | 'change' | 'instead'>;

interface Found {
  readonly id: string;
  readonly replay: (...more: readonly string[]) => Promise<Ended>;
  /** Switches the fault. */
  readonly set: (isOn: () => boolean) => void;
}

/** Runs the phase that finds a fault against a server with it, and returns the finding of a check. */
async function find(fault: Fault, check: string, phase: PhaseName = 'baseline'): Promise<Found> {
  let isOn = (): boolean => true;
  const { base, auth, file, create } = apis[fault.api];
  served = await serve(injectFault(fault, create(), () => isOn()));
  const own = [...credentials[fault.api], '--out', folder];
  const target = ['--contract', file, '--base-url', `${served.origin}${base}`];
  const ofAuth = auth === undefined ? [] : ['--auth-url', `${served.origin}${auth}`];
  const { out } = await conformHere([...target, ...ofAuth, ...own, '--phase', phase, '--json']);
  const finding = JSON.parse(out).findings.find((one: { readonly check: string }) => one.check === check);
  const replay = (...more: readonly string[]): Promise<Ended> => conformHere(['replay', finding.id, ...own, ...more]);
  return { id: finding.id, replay, set: (next) => (isOn = next) };
}

const named = (name: string): SeededFault => {
  const found = [...accessFaults, ...protocolFaults, ...weatherFaults].find((fault) => fault.name === name);
  if (found === undefined) throw new Error(`no fault ${name}`);
  return found;
};

const withoutTotal: Fault = { api: 'library', at: /^GET \/v2\/books$/, change: withHeaders({ 'x-total': '' }) };
const withoutTitle = withBody(({ title: _, ...rest }) => rest);
const readWithoutTitle: Fault = {
  ...{ api: 'library', at: /^GET \/v2\/books\/b/ },
  change: (answer, request) => (answer.status === 200 ? withoutTitle(answer, request) : answer),
};
describe('a walk through a list is sent again with the cursors and objects of the replay', () => {
  const replaysWalk = async ({ fault }: { readonly fault: SeededFault }): Promise<void> => {
    const { id, replay, set } = await find(fault, fault.caughtBy.check, 'story');
    const failed = await replay();
    expect([failed.code, failed.out]).toEqual([1, expect.stringContaining(`\nFAILED   ${id}\n`)]);
    set(() => false);
    const fixed = await replay();
    expect([fixed.code, fixed.out]).toEqual([0, expect.stringContaining(`\nFIXED   ${id}\n`)]);
  };
  const namedFaults = (...names: readonly string[]) =>
    names.map((name) => ({ name, fault: listFaults.find((one) => one.name === name) as SeededFault }));
  test.each(namedFaults('the last page leads to the first', 'a filter is ignored'))('$name', replaysWalk);
  test.each(namedFaults('a cursor forgets the filter', 'the number of the page is ignored'))(
    '$name',
    { tags: ['full'] },
    replaysWalk,
  );
});

describe('FAILED and 1 while the fault is there, FIXED and 0 without it, FLAKY and 1 if it comes and goes', () => {
  test.each<{ name: string; fault: Fault; check: string; phase?: PhaseName; shows: readonly string[] }>([
    { name: 'a header', fault: withoutTotal, check: 'header-schema', shows: ['GET /books\n'] },
    {
      name: 'an answer to a client of OAuth',
      fault: named('a constant differs'),
      check: 'body-schema',
      shows: ['/readings'],
    },
    {
      name: 'a request without credentials',
      fault: named('an object needs neither cookie nor token'),
      check: 'auth-missing',
      phase: 'auth',
      shows: ['(credentials: anonymous)'],
    },
    {
      name: 'a second account',
      fault: named('a second account reads a book of the first'),
      check: 'tenant-leak',
      phase: 'auth',
      shows: ['(credentials: second)'],
    },
    {
      name: 'malformed JSON',
      fault: named('a malformed merge patch is repaired'),
      check: 'protocol-law',
      phase: 'protocol',
      shows: ['PATCH /depots/d-1'],
    },
    {
      name: 'a stale If-Match',
      fault: { ...named('If-Match is ignored') },
      check: 'protocol-law',
      phase: 'protocol',
      shows: ['POST /books', 'PUT /books/b', '[if-match: "conform-stale"]'],
    },
  ])('$name', async ({ fault, check, phase, shows }) => {
    const { id, replay, set } = await find(fault, check, phase);
    const failed = await replay();
    expect([failed.code, failed.error]).toEqual([1, '']);
    expect(failed.out).toContain(`\nFAILED   ${id}\n`);
    for (const text of shows) expect(failed.out).toContain(text);
    set(() => false);
    const fixed = await replay();
    expect([fixed.code, fixed.out]).toEqual([0, expect.stringContaining(`\nFIXED   ${id}\n`)]);
    let attempt = 0;
    const isCase = fault.instead === undefined;
    set(() => {
      attempt += 1;
      return attempt % (isCase ? 2 : 4) < (isCase ? 1 : 2);
    });
    const flaky = await replay();
    expect([flaky.code, flaky.out]).toEqual([1, expect.stringContaining(`\nFLAKY   ${id}\n`)]);
    const written = await readFile(join(folder, 'failures.json'), 'utf8');
    const texts = [written, failed.out, fixed.out, flaky.out];
    expect(secrets.filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
  });
});

test('only the user may read the file of failures, and a run without findings writes none', async () => {
  const { set } = await find(withoutTotal, 'header-schema');
  expect((await stat(join(folder, 'failures.json'))).mode & 0o777).toBe(0o600);
  await rm(join(folder, 'failures.json'));
  set(() => false);
  const target = ['--contract', apis.library.file, '--base-url', `${served?.origin}/v2`];
  const own = [...credentials.library, '--out', folder, '--phase', 'baseline'];
  expect((await conformHere([...target, ...own])).code).toBe(0);
  await expect(stat(join(folder, 'failures.json'))).rejects.toThrow();
});

/** A failure that shows only on the object that the run created, and deleted at its end. */
const findOnOwnObject = (): Promise<Found> =>
  find({ ...readWithoutTitle, at: /^GET \/v2\/books\/b([3-9]|\d\d)/ }, 'body-schema');

test('a chain creates its object anew, and deletes it', async () => {
  const { replay } = await findOnOwnObject();
  const before = served?.requests.length ?? 0;
  const { code, out } = await replay('--json');
  const { verdict, replays } = JSON.parse(out);
  expect([code, verdict, replays[0].attempts]).toEqual([1, 'FAILED', ['FAILED', 'FAILED', 'FAILED']]);
  const sent = served?.requests.slice(before) ?? [];
  const own = /\/(b\d+)$/.exec(sent[1] ?? '')?.[1];
  expect(sent.slice(0, 3)).toEqual(['POST /v2/books', `GET /v2/books/${own}`, `DELETE /v2/books/${own}`]);
  expect(sent).toHaveLength(9);
});

describe('2 if the requests cannot be sent, with the reason', () => {
  test.each<{ name: string; args: (id: string) => readonly string[]; message: RegExp }>([
    {
      name: 'an unknown id',
      args: () => ['replay', 'ffff0000'],
      message: /^\S+failures\.json has no failure ffff0000\. Did you mean [0-9a-f]{8}\? Its findings are: [0-9a-f]{8}/,
    },
    {
      name: 'a short id',
      args: (id) => ['replay', id.slice(0, 3)],
      message: /is too short: give an id, or at least its first 4 characters/,
    },
    {
      name: 'no file',
      args: (id) => ['replay', id, '--failures', 'none.json'],
      message: /^none\.json cannot be read: .*\. A run with findings writes it to --out; /,
    },
    {
      name: 'another file',
      args: (id) => ['replay', id, '--failures', apis.library.file],
      message: /is no file of failures: expected failures\.json of a run/,
    },
    {
      name: 'another contract',
      args: (id) => ['replay', id, '--contract', apis.weather.file],
      message: /is of the contract Lending library, but --contract has the title /,
    },
  ])('$name', async ({ args, message }) => {
    const { id } = await find(withoutTotal, 'header-schema');
    const sent = served?.requests.length;
    const { code, error } = await conformHere([...args(id), '--out', folder, ...credentials.library]);
    expect([code, served?.requests.length]).toEqual([2, sent]);
    expect(error).toMatch(message);
  });

  test('--read-only and an excluded operation refuse a chain that writes', async () => {
    const { replay } = await findOnOwnObject();
    const sent = served?.requests.length;
    const readOnly = await replay('--read-only');
    expect([readOnly.code, readOnly.out]).toEqual([
      2,
      expect.stringContaining('CANNOT RUN: addBook: the request writes, and --read-only was given'),
    ]);
    const excluded = await replay('--exclude', 'addBook');
    expect([excluded.code, excluded.out]).toEqual([2, expect.stringContaining('CANNOT RUN: addBook: it is excluded')]);
    expect(served?.requests.length).toBe(sent);
  });

  test('a create that the server rejects breaks the chain', async () => {
    const { id } = await findOnOwnObject();
    const { out, code } = await conformHere(['replay', id, '--out', folder, '--token', 'not-a-real-key-at-all']);
    expect([code, out]).toEqual([
      2,
      expect.stringContaining('CANNOT RUN: the server answered 401 to POST /books, which creates an object'),
    ]);
  });

  test('the second account is missing', async () => {
    const { id } = await find(named('a second account reads a book of the first'), 'tenant-leak', 'auth');
    const { code, out } = await conformHere(['replay', id, '--out', folder, '--token', libraryKey]);
    expect([code, out]).toEqual([
      2,
      expect.stringContaining('readBook: there are no credentials for the identity second'),
    ]);
  });
});

test('the first characters of an id suffice, and a fingerprint is one place', async () => {
  const { id, replay } = await find(withoutTotal, 'header-schema');
  const own = ['--out', folder, ...credentials.library];
  const short = await conformHere(['replay', id.slice(0, 4), ...own]);
  expect([short.code, short.out]).toEqual([1, (await replay()).out]);
  const [{ failures }] = JSON.parse(await readFile(join(folder, 'failures.json'), 'utf8')).findings;
  const place = await conformHere(['replay', failures[0].fingerprint, ...own]);
  expect([place.code, place.out]).toEqual([1, expect.stringContaining(`\nFAILED   ${failures[0].fingerprint}\n`)]);
});
