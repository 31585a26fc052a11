import { describe, expect, test } from 'vitest';
import type { Check, RunContext } from '../checks/check.ts';
import { checks } from '../checks/checks.ts';
import { readContractFile } from '../contract/read-contract.ts';
import type { Trace } from '../execute/exchange.ts';
import type { RunOptions } from '../run/run.ts';
import { type ApiName, apis, runAgainst, testOptions } from '../seeded/apis.ts';
import { injectFault, withItem } from '../seeded/faults.ts';
import type { Handler } from '../seeded/serve.ts';
import { type Cell, createProof, families, type Proof } from './proof.ts';

// If these fail, a green run may be one that could not have failed, and `prove` does not say so.

/** The phases of the checks that report injected faults. */
const phases = ['baseline', 'story', 'auth', 'negative'] as const;

/** One run with several proofs, each with other checks. */
async function proveAll(
  api: ApiName,
  handle: Handler,
  sets: readonly (readonly Check[])[],
  change: Partial<RunOptions> = {},
): Promise<readonly Proof[]> {
  const contract = await readContractFile(apis[api].file);
  const proofs = sets.map((own) => createProof(contract, own, testOptions(api, '').permissions));
  const onTrace = (trace: Trace, context: RunContext): void => {
    for (const proof of proofs) proof.onTrace(trace, context);
  };
  await runAgainst(api, handle, { phases, ...change }, () => contract, { onTrace });
  return proofs.map((proof) => proof.conclude(contract.operations, () => undefined));
}

function cellsOf({ operations }: Proof): readonly (Cell & { readonly operation: string })[] {
  return operations.flatMap(({ operation, cells }) => cells.map((cell) => ({ ...cell, operation })));
}

const nameOf = ({ operation, family }: ReturnType<typeof cellsOf>[number]): string => `${operation} ${family}`;

const names = [
  ...new Set([
    ...families.flatMap(({ check }) => (typeof check === 'string' ? check : [])),
    ...['put-partial', 'stored-differs', 'filter-ignored', 'filter-range'],
  ]),
];

/** By API: the proof of one run with all checks, then those without one of them. */
const proven = new Map<ApiName, Promise<readonly Proof[]>>();

function proveOnce(api: ApiName): Promise<readonly Proof[]> {
  const sets = [checks, ...names.map((name) => checks.filter((check) => check.name !== name))];
  const found = proven.get(api) ?? proveAll(api, apis[api].create(), sets);
  proven.set(api, found);
  return found;
}

describe.each(Object.keys(apis) as ApiName[])('the run against %s', (api) => {
  test('reports every injected fault, and none of them without its check', async () => {
    const [whole, ...others] = await proveOnce(api);
    const all = cellsOf(whole ?? { operations: [], passThrough: [] });
    const caught = all.filter(({ state }) => state === 'caught');
    expect(all.filter(({ state }) => state === 'missed')).toEqual([]);
    expect(all.filter(({ state, reason }) => state === 'not applicable' && reason === undefined)).toEqual([]);
    expect(whole?.passThrough).toEqual([]);
    expect(caught.length).toBeGreaterThan(10);
    for (const [index, name] of names.entries()) {
      const cells = cellsOf(others[index] ?? { operations: [], passThrough: [] });
      const missed = cells.filter(({ state }) => state === 'missed');
      expect(missed.map(nameOf)).toEqual(caught.filter(({ check }) => check === name).map(nameOf));
      expect(missed.filter(({ reason }) => reason !== `${name} is switched off`)).toEqual([]);
    }
  });
});

test('every family is caught on some API', async () => {
  const proofs = await Promise.all((Object.keys(apis) as ApiName[]).map(proveOnce));
  const caught = proofs.flatMap(([whole]) =>
    whole === undefined ? [] : cellsOf(whole).filter(({ state }) => state === 'caught'),
  );
  expect(new Set(caught.map(({ family }) => family))).toEqual(new Set(families.map(({ name }) => name)));
});

test('a check that sees nothing is named, with the injected fault', async () => {
  const blind = checks.map((check): Check => {
    if (check.name !== 'body-schema' || check.kind === 'trace') return check;
    return { ...check, judge: () => [] };
  });
  const [proof] = await proveAll('library', apis.library.create(), [blind], { phases: ['baseline'] });
  const cell = proof?.operations[0]?.cells[0];
  expect(cell).toMatchObject({
    ...{ family: 'property', check: 'body-schema', state: 'missed' },
    injected: 'without items at the root in the answer 200',
    reason: 'body-schema reported nothing',
  });
  expect(cell?.fix).toContain('report');
});

test('an answer that cannot be written anew is reported, as injected faults prove nothing there', async () => {
  const answer = { status: 200, headers: { 'content-type': 'application/json' } };
  const handle = injectFault(
    {
      at: /^GET \/v2\/books$/,
      change: () => ({ ...answer, body: '{"items":[{"id":"b1","title":"Emma","pages":1e999}]}' }),
    },
    apis.library.create(),
  );
  const [proof] = await proveAll('library', handle, [checks], { phases: ['baseline'] });
  expect(proof?.passThrough).toEqual([expect.stringMatching(/^body-schema response 200 body \/items\/0/)]);
});

test('a fault that the deployment has by itself is no other one', async () => {
  const wrong = (item: Record<string, unknown>): unknown => {
    item.pages = 'many';
    return item;
  };
  const handle = injectFault({ at: /^GET \/v2\/books$/, change: withItem('items', wrong) }, apis.library.create());
  const [proof] = await proveAll('library', handle, [checks], { phases: ['baseline'] });
  const cells = cellsOf(proof ?? { operations: [], passThrough: [] }).filter(
    ({ operation }) => operation === 'listBooks',
  );
  expect(cells.filter(({ check, state }) => check === 'body-schema' && state === 'caught')).toHaveLength(3);
});

test('an operation that was never accepted is missed', async () => {
  const handle = injectFault(
    { at: /^GET \/v2\/motto$/, instead: () => ({ status: 500, body: { reason: 'no' } }) },
    apis.library.create(),
  );
  const [proof] = await proveAll('library', handle, [checks], { phases: ['baseline'] });
  const cells = cellsOf(proof ?? { operations: [], passThrough: [] }).filter(
    ({ operation }) => operation === 'readMotto',
  );
  const missed = cells.filter(({ state }) => state === 'missed');
  expect(new Set(missed.map(({ reason }) => reason))).toEqual(new Set(['the operation was never accepted']));
});
