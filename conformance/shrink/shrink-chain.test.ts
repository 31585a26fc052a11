import { createRandom } from '@lockstep/values/random';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomValue } from '../data/random-values.ts';
import { toolsFor } from '../execute/session.ts';
import type { Chain, RecordedRequest } from '../failures/failure-file.ts';
import { faultsOf } from '../phases/negative.ts';
import { readDraft } from '../run/send-chain.ts';
import { plainIntent } from '../seeded/apis.ts';
import { contextOf, contractOf } from '../seeded/by-hand.ts';
import { keepRequests } from './reductions.ts';
import { mostEffort, shrinkChain, verdictClassOf } from './shrink-chain.ts';

// If these fail, a shrunk finding proves something else than the one that was found, or shrinking does not stop.

const schema = {
  type: 'object',
  required: ['title', 'pages'],
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 40 },
    pages: { type: 'integer', minimum: 1, maximum: 20_000 },
    note: { type: 'string' },
    tags: { type: 'array', maxItems: 6, items: { type: 'string', maxLength: 9 } },
    cover: {
      type: 'object',
      required: ['kind'],
      properties: { kind: { enum: ['soft', 'hard'] }, colour: { type: 'string' } },
    },
    price: {
      oneOf: [
        { type: 'number', minimum: 0 },
        { type: 'string', pattern: '^[0-9]+ EUR$' },
      ],
    },
  },
} as const;
const query = (name: string, of: object, required = false) => ({ name, in: 'query', required, schema: of });
const contract = contractOf({
  '/books': {
    post: {
      ...{
        operationId: 'addBook',
        parameters: [query('shelf', { type: 'integer', minimum: 0 }), query('desk', { type: 'string' }, true)],
      },
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 201: { description: '' } },
    },
  },
});
const context = contextOf(contract);
const [operation] = contract.operations as [(typeof contract.operations)[number]];
const { case: _, step: __, ...intent } = plainIntent;

type Values = Readonly<Record<string, unknown>>;

function requestOf(body: unknown, parameters: Values = {}, role?: string): RecordedRequest {
  const probe = role === undefined ? undefined : { checks: ['any'], name: '', operation: 'addBook', role };
  return {
    ...{ operation: 'addBook', answered: 201, intent: { ...intent, probe } },
    parameters: Object.entries(parameters).map(([name, value]) => ({ in: 'query', name, value })),
    body: { mediaType: 'application/json', value: body },
  };
}

function chainOf(...requests: readonly RecordedRequest[]): Chain {
  return { requests, judged: 0, symbols: {} };
}

function classesOf({ requests }: Chain): readonly (string | undefined)[] {
  return requests.map((recorded) => {
    const draft = readDraft(operation, recorded, new Map());
    return typeof draft === 'string' ? undefined : verdictClassOf(context.judge, draft, contract);
  });
}

const isAlike = (candidate: Chain, base: Chain): boolean =>
  JSON.stringify(classesOf(candidate)) === JSON.stringify(classesOf(base));

/** Shrinks a chain of which a predicate decides whether it shows the failure. @param shows gets the number of the attempt */
async function shrink(chain: Chain, shows: (chain: Chain, time: number) => boolean) {
  const sent: Chain[] = [];
  const given = { chain, shorter: chain, isAlike, isFixed: (name: string) => name === 'desk', clock: () => 0 };
  const { smaller, requests } = await shrinkChain({
    ...given,
    send: async (candidate) => {
      sent.push(candidate);
      const { length } = candidate.requests;
      return { proof: shows(candidate, sent.length) ? sent.length : undefined, requests: length, isOver: false };
    },
  });
  return { sent, smaller, requests };
}

const large = {
  ...{ title: 'A title of many words', pages: 474, note: 'long note', tags: ['a', 'b', 'c'] },
  ...{ cover: { kind: 'soft', colour: 'red' }, price: 12 },
};

const bodyOf = (chain: Chain | undefined): Values => (chain?.requests[0]?.body?.value ?? {}) as Values;

describe('a request keeps only the parts that the failure needs', () => {
  test.each<{
    name: string;
    body: Values;
    parameters?: Values;
    needs: (body: Values, query: Values) => boolean;
    want: object;
  }>([
    { name: 'required ones', body: large, needs: () => true, want: { title: 'A', pages: 474 } },
    { name: 'a simpler number', body: { ...large, pages: 4_740 }, needs: () => true, want: { title: 'A', pages: 1 } },
    {
      name: 'one optional member',
      ...{ body: large, needs: ({ note }) => note !== undefined },
      want: { title: 'A', pages: 474, note: 'long note' },
    },
    {
      name: 'a member of a member, and one item of a list',
      ...{ body: large, needs: ({ cover, tags }) => cover !== undefined && Array.isArray(tags) && tags.length > 0 },
      want: { title: 'A', pages: 474, cover: { kind: 'soft' }, tags: ['a'] },
    },
    {
      name: 'the half of a text',
      ...{ body: large, needs: ({ title }) => String(title).length > 9 },
      want: { title: 'A title of m', pages: 474 },
    },
    {
      name: 'the fault, and no other',
      ...{ body: { ...large, tags: ['a', 'far too long', 'c'] }, needs: () => true },
      want: { title: 'A', pages: 474, tags: ['a', 'far too long'] },
    },
    { name: 'a part that is missing', body: { pages: 474, note: 'x' }, needs: () => true, want: { pages: 474 } },
  ])('$name', async ({ body, parameters = { shelf: 3, desk: 'north' }, needs, want }) => {
    const chain = chainOf(requestOf(body, parameters));
    const { smaller } = await shrink(chain, (one) => needs(bodyOf(one), {}));
    expect(smaller?.chain).toEqual(chainOf(requestOf(want, { desk: 'north' })));
  });

  test('in all requests of a probe alike, but for the part in which they differ', async () => {
    const chain = chainOf(
      requestOf({ ...large, price: -1 }, { desk: 'north' }, 'case'),
      requestOf({ ...large, price: -1, title: 'Another title' }, { desk: 'north' }, 'repeat'),
      requestOf(large, { desk: 'north' }, 'control'),
    );
    const { smaller } = await shrink(chain, () => true);
    expect(smaller?.chain.requests.map(({ body }) => body?.value)).toEqual([
      { title: large.title, pages: 474, price: -1 },
      { title: 'Another title', pages: 474, price: -1 },
      { title: large.title, pages: 474, price: 12 },
    ]);
  });

  test('and keeps the boundary that it was sent for', async () => {
    const boundary = {
      place: 'body /note, maxLength',
      part: 'body /note',
      pointer: '#',
      keyword: '',
      text: '',
      against: '',
      isNamed: true,
    };
    const plain = requestOf(large, {}, 'case');
    const probe = plain.intent.probe && { ...plain.intent.probe, boundaries: [boundary] };
    const { smaller } = await shrink(chainOf({ ...plain, intent: { ...plain.intent, probe } }), () => true);
    expect(bodyOf(smaller?.chain)).toEqual({ title: 'A', pages: 474, note: 'long note' });
  });
});

describe('attempts', () => {
  test('are few where the failure needs one part of many', async () => {
    const { requests } = await shrink(chainOf(requestOf(large)), (one) => bodyOf(one).price !== undefined);
    expect(requests).toBeLessThan(16);
  });

  test('are none where nothing can be smaller', async () => {
    const { sent, smaller } = await shrink(chainOf(requestOf({ title: 'A', pages: 1 }, { desk: 'n' })), () => true);
    expect([sent, smaller]).toEqual([[], undefined]);
  });

  test('finish with the first, if the failure does not show', async () => {
    const { requests, smaller } = await shrink(chainOf(requestOf(large)), () => false);
    expect([requests, smaller]).toEqual([1, undefined]);
  });

  test('finish without a result, if the smallest chain does not show the failure once more', async () => {
    const { smaller, sent } = await shrink(chainOf(requestOf({ ...large, title: 'A' })), (_, time) => time < 3);
    expect([smaller, sent.length]).toEqual([undefined, 3]);
  });

  test.each([1, 7, 20, 26, 60])('never exceed the limit of requests, with %d in a chain', async (length) => {
    const chain = chainOf(...Array.from({ length }, (_, index) => requestOf(large, {}, `step ${index}`)));
    const { requests } = await shrink(chain, (one) => bodyOf(one).price !== undefined);
    expect(requests).toBeLessThanOrEqual(mostEffort.requests);
  });

  test('stop after the limit of time, but for the last one', async () => {
    let now = 0;
    const sent: number[] = [];
    const chain = chainOf(requestOf(large));
    const { smaller } = await shrinkChain({
      ...{ chain, shorter: chain, isAlike, isFixed: () => false, clock: () => now },
      send: async (candidate) => {
        sent.push(now);
        now += 800;
        const isShown = bodyOf(candidate).price !== undefined;
        return { proof: isShown ? now : undefined, requests: 1, isOver: false };
      },
    });
    expect(sent.slice(0, -1).every((at) => at < mostEffort.ms)).toBe(true);
    expect([sent.length, smaller?.proof]).toEqual([4, now]);
  });

  test('stop where the server asks to wait', async () => {
    let requests = 0;
    const chain = chainOf(requestOf(large));
    const { smaller } = await shrinkChain({
      ...{ chain, shorter: chain, isAlike, isFixed: () => false, clock: () => 0 },
      send: async () => {
        requests += 1;
        return { proof: 1, requests: 1, isOver: true };
      },
    });
    expect([requests, smaller]).toEqual([1, undefined]);
  });
});

test('a chain without some of its requests keeps the sources of their values, and counts them anew', () => {
  const using = (symbol: string): RecordedRequest => requestOf({ title: `{{${symbol}}}` });
  const chain: Chain = {
    requests: [requestOf({}), requestOf({}), using('book#2.id'), using('book#1.id')],
    judged: 2,
    symbols: { 'book#1.id': { request: 0, member: 'id' }, 'book#2.id': { request: 1, member: 'id' } },
  };
  expect(keepRequests(chain, new Set([2]))).toEqual({
    requests: [requestOf({}), using('book#2.id')],
    judged: 1,
    symbols: { 'book#2.id': { request: 0, member: 'id' } },
  });
});

test('every request that is sent is as valid as before, or breaks the same keywords', async () => {
  const seeds = fc.record({ seed: fc.nat(10_000), fault: fc.nat(60), shows: fc.nat(5) });
  const property = fc.asyncProperty(seeds, async ({ seed, fault, shows }) => {
    const tools = { ...toolsFor(context, operation, 'random', 0), seed };
    const content = operation.body?.contents[0];
    const value = randomValue(tools, content?.schema ?? '', '', createRandom(seed), () => undefined);
    fc.pre(content !== undefined && value !== undefined);
    const parameters = operation.parameters.map((parameter) => ({
      parameter,
      value: parameter.name === 'desk' ? 'n' : 7,
    }));
    const draft = { operation, parameters, body: { content, value }, label: '' };
    const faults = [...faultsOf(tools, draft)];
    const wrong = seed % 2 === 0 ? draft : (faults[fault % faults.length]?.apply(draft) ?? draft);
    const chain = chainOf({
      ...requestOf(wrong.body?.value),
      parameters: wrong.parameters.map((one) => ({ in: 'query', name: one.parameter.name, value: one.value })),
    });
    const { sent, smaller } = await shrink(chain, (_, time) => time === 1 || time % (shows + 1) === 0);
    for (const one of [...sent, ...(smaller === undefined ? [] : [smaller.chain])])
      expect(classesOf(one)).toEqual(classesOf(chain));
  });
  await fc.assert(property, { numRuns: 150 });
});
