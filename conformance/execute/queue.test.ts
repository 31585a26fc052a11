import { describe, expect, test } from 'vitest';
import type { RunContext } from '../checks/check.ts';
import { readContract } from '../contract/read-contract.ts';
import { createJudge } from '../schema/create-judge.ts';
import { plainIntent } from '../seeded/apis.ts';
import type { Exchange } from './exchange.ts';
import { chainsOf, runQueue } from './queue.ts';
import type { Domain, Scenario as ScenarioOf } from './scenario.ts';
import type { Engine } from './session.ts';

const contract = readContract(
  'api.yaml',
  "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {operationId: a, responses: {'200': {description: Done}}}}}",
);
const [operation] = contract.operations;
if (operation === undefined) throw new Error('no operation');

type Scenario = ScenarioOf<RunContext>;

const context = { contract, judge: createJudge(contract), secretsSeen: [] } as unknown as RunContext;

function scenario(id: string, change: Partial<Scenario> & { readonly domain?: Domain } = {}): Scenario {
  let isOver = false;
  return {
    id,
    operation,
    phase: 'baseline',
    domain: { path: `/${id}`, kind: 'reads' },
    mostRequests: 1,
    rank: () => (isOver ? undefined : [9]),
    run: async () => {
      isOver = true;
      return { exchanges: [exchangeOf(200)], reasons: [] };
    },
    ...change,
  } as Scenario;
}

function exchangeOf(status: number): Exchange {
  return {
    operation,
    intent: plainIntent,
    request: { method: 'GET', base: 'http://a', path: '/a', headers: [], body: undefined },
    outcome: { kind: 'answer', status, headers: [], body: Buffer.alloc(0), durationMs: 1 },
    seen: { path: {}, query: {}, requestHeaders: {}, requestBody: undefined },
    isPause: false,
    atMs: 0,
  } as Exchange;
}

const engine: Engine = {
  beginRound: () => undefined,
  open: () => ({ send: async () => [] }),
  again: async (before) => before,
  outageOf: () => undefined,
};

async function run(
  scenarios: readonly Scenario[],
  {
    workers = 4,
    requests,
    again = engine.again,
    signal = new AbortController().signal,
  }: {
    workers?: number;
    requests?: number;
    again?: Engine['again'];
    signal?: AbortSignal;
  } = {},
) {
  const folded: { id: string; exchanges: readonly Exchange[] }[] = [];
  const cut = await runQueue({
    scenarios,
    context,
    engine: { ...engine, again },
    needsProof: ({ outcome }) => outcome.kind === 'answer' && outcome.status === 500,
    controls: { onRound: () => undefined, beginControls: () => async (exchanges) => exchanges },
    fold: ({ id }, { exchanges }) => folded.push({ id, exchanges }),
    options: { workers, requests, deadline: Number.POSITIVE_INFINITY, signal },
  });
  return { cut, folded, order: folded.map(({ id }) => id) };
}

test('a scenario is prepared when its assumed rank is the first, and then has its own', async () => {
  const log: string[] = [];
  const waiting = (id: string, assumed: number, own: number): Scenario => {
    let state: 'waiting' | 'ready' | 'over' = 'waiting';
    return scenario(id, {
      rank: () => ({ waiting: [assumed], ready: [own], over: undefined })[state],
      prepare: () => {
        if (state !== 'waiting') return false;
        log.push(`prepare ${id}`);
        state = 'ready';
        return true;
      },
      run: async () => {
        log.push(id);
        state = 'over';
        return { exchanges: [exchangeOf(200)], reasons: [] };
      },
    });
  };
  await run([waiting('late', 7, 8), waiting('falls', 1, 5), waiting('stays', 1, 1), waiting('middle', 4, 4)]);
  expect(log).toEqual([
    ...['prepare falls', 'prepare stays', 'stays', 'prepare middle', 'middle', 'falls', 'prepare late', 'late'],
  ]);
});

describe('scenarios that may disturb each other run one after another', () => {
  const rows: readonly { name: string; domains: readonly Domain[]; chains: readonly (readonly number[])[] }[] = [
    { name: 'reads go together', domains: [at('/a'), at('/a'), at('/a/b')], chains: [[0], [1], [2]] },
    {
      name: 'a write waits for the reads of its path',
      domains: [at('/a'), at('/a', 'writes'), at('/a')],
      chains: [[0, 1, 2]],
    },
    { name: 'a write waits for reads below it', domains: [at('/a', 'writes'), at('/a/b')], chains: [[0, 1]] },
    {
      name: 'a path with only the same beginning is another path',
      domains: [at('/a', 'writes'), at('/ab', 'writes')],
      chains: [[0], [1]],
    },
    {
      name: 'a scenario that needs the deployment alone waits for all',
      domains: [at('/a'), at('/b', 'alone'), at('/c')],
      chains: [[0, 1, 2]],
    },
    { name: 'the root contains every path', domains: [at('/', 'writes'), at('/b')], chains: [[0, 1]] },
    {
      name: 'a scenario that disturbs two groups joins them',
      domains: [at('/a/b', 'writes'), at('/a/c', 'writes'), at('/a', 'writes')],
      chains: [[0, 1, 2]],
    },
  ];
  test.each(rows)('$name', ({ domains, chains }) => {
    const scenarios = domains.map((domain, index) => scenario(String(index), { domain }));
    const found = chainsOf(scenarios).map((chain) => chain.map(({ id }) => Number(id)));
    expect(found.toSorted()).toEqual(chains.toSorted());
  });

  function at(path: string, kind: Domain['kind'] = 'reads'): Domain {
    return { path, kind };
  }
});

test('the first rank forms the round, and ranks are computed again after each round', async () => {
  let isKnown = false;
  const waiting = scenario('consumer', { rank: () => (isKnown ? [5] : undefined) });
  const later = scenario('later');
  const producer = scenario('producer', {
    rank: () => (isKnown ? undefined : [1]),
    run: async () => {
      isKnown = true;
      return { exchanges: [], reasons: [] };
    },
  });
  let turns = 0;
  const twice: Scenario = {
    ...waiting,
    run: async () => {
      turns += 1;
      return { exchanges: [], reasons: [] };
    },
    rank: () => (isKnown && turns < 2 ? [5] : undefined),
  };
  expect((await run([later, twice, producer])).order).toEqual(['producer', 'consumer', 'consumer', 'later']);
});

test.each([1, 4, 16])('results count in the order of the plan, not of arrival: %d workers', async (workers) => {
  const slow = (id: string, ms: number): Scenario => {
    const plain = scenario(id);
    return {
      ...plain,
      run: async (...given) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return await plain.run(...given);
      },
    };
  };
  expect((await run([slow('a', 20), slow('b', 1), slow('c', 8)], { workers })).order).toEqual(['a', 'b', 'c']);
});

test('a scenario that runs alone has its own round', async () => {
  let underWay = 0;
  let most = 0;
  const counted = (id: string, kind: Domain['kind']): Scenario => {
    const plain = scenario(id, { domain: { path: `/${id}`, kind } });
    return {
      ...plain,
      run: async (...given) => {
        underWay += 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (kind === 'alone') most = Math.max(most, underWay);
        underWay -= 1;
        return await plain.run(...given);
      },
    };
  };
  const { order } = await run([counted('a', 'reads'), counted('b', 'alone'), counted('c', 'reads')]);
  expect([order, most]).toEqual([['a', 'b', 'c'], 1]);
});

test('a failed request is sent again alone, after the rest of the turn', async () => {
  const failing = scenario('failing', {
    run: async () => ({ exchanges: [exchangeOf(200), exchangeOf(500)], reasons: [] }),
  });
  let isOver = false;
  const once: Scenario = {
    ...failing,
    rank: () => (isOver ? undefined : [0]),
    run: async (...given) => {
      isOver = true;
      return await failing.run(...given);
    },
  };
  const { folded } = await run([once], { again: async () => exchangeOf(200) });
  expect(
    folded[0]?.exchanges.map(({ isAlone, outcome }) => [isAlone, outcome.kind === 'answer' && outcome.status]),
  ).toEqual([
    [undefined, 200],
    [undefined, 500],
    [true, 200],
  ]);
});

test.each([
  { requests: 0, order: [], cut: 'requests' },
  { requests: 2, order: ['a', 'b'], cut: 'requests' },
  { requests: 3, order: ['a', 'b', 'c'], cut: undefined },
])('a budget of $requests stops the same sequence earlier', async ({ requests, order, cut }) => {
  const { order: found, cut: ended } = await run([scenario('a'), scenario('b'), scenario('c')], { requests });
  expect([found, ended]).toEqual([order, cut]);
});

test.each([
  // A timer may fire a little before its time by the clock.
  { reason: new DOMException('', 'TimeoutError'), cut: 'time' },
  { reason: new DOMException('', 'AbortError'), cut: 'interrupted' },
])('a run after $reason.name is cut by $cut', async ({ reason, cut }) => {
  expect((await run([scenario('a')], { signal: AbortSignal.abort(reason) })).cut).toBe(cut);
});

test.each([
  { name: 'no other scenario waits', hasOther: false, requests: 5, cut: undefined },
  { name: 'the last round has another one', hasOther: true, requests: 5, cut: 'requests' },
  { name: 'the user stops the run', hasOther: false, requests: undefined, cut: 'interrupted' },
])(
  'a budget spent by endless scenarios cuts the run only if others were left: $name',
  async ({ hasOther, requests, cut }) => {
    const stop = new AbortController();
    let turns = 0;
    const endless = scenario('endless', {
      isEndless: true,
      rank: () => [10],
      run: async () => {
        turns += 1;
        if (turns === 50) stop.abort();
        return { exchanges: [exchangeOf(200)], reasons: [] };
      },
    });
    const other = scenario('other', hasOther ? { rank: () => [10] } : {});
    const { cut: found, order } = await run([endless, other], { ...(requests && { requests }), signal: stop.signal });
    expect(found).toBe(cut);
    expect(order.length).toBe(requests ?? order.length);
  },
);
