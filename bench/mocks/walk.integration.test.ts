import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { readContract } from '../../conformance/contract/read-contract.ts';
import { findPairs } from './find-pairs.ts';
import { type Fault, shelves, startShelves } from './fixtures/shelves.ts';
import type { LawName } from './laws.ts';
import { countOutcomes, shareHeld, type WalkResult, walkContract } from './walk-contract.ts';

async function walkShelves(fault?: Fault): Promise<WalkResult> {
  const { base, close } = await startShelves(fault);
  try {
    return await walkContract(shelves, () => base);
  } finally {
    close();
  }
}

/** Failed laws of each pair. */
const failedLaws = ({ pairs }: WalkResult): readonly (readonly string[])[] =>
  pairs.map(({ laws }) =>
    Object.entries(laws).flatMap(([law, { kind }]) => (kind === 'broken' || kind === 'unjudged' ? [law] : [])),
  );

test('the pairs of a contract are found, with their parents', () => {
  expect(findPairs(shelves).map(({ name, parent }) => [name, parent?.name])).toEqual([
    ['/shelves/{shelfId}', undefined],
    ['/shelves/{shelfId}/books/{isbn}', '/shelves/{shelfId}'],
  ]);
});

test('every law holds on a correct server, and those that its contract makes impossible do not apply', async () => {
  const result = await walkShelves();
  expect(failedLaws(result)).toEqual([[], []]);
  expect(
    result.pairs.map(({ laws }) => Object.keys(laws).filter((law) => laws[law as LawName].kind === 'inapplicable')),
  ).toEqual([
    ['nested', 'parent'],
    ['location', 'pages', 'filter', 'replace', 'merge', 'others', 'delete', 'gone', 'unlisted', 'again'],
  ]);
  expect(shareHeld(countOutcomes(result.pairs))).toBe(1);
});

const ofShelves: readonly { readonly fault: Fault; readonly laws: readonly LawName[] }[] = [
  { fault: 'lists nothing new', laws: ['listed', 'pages', 'unlisted'] },
  { fault: 'ignores the cursor', laws: ['pages'] },
  { fault: 'ignores the filter', laws: ['filter'] },
  { fault: 'merges nothing', laws: ['merge'] },
  { fault: 'drops members on a merge', laws: ['merge'] },
  { fault: 'changes all', laws: ['others'] },
  { fault: 'deletes nothing', laws: ['gone', 'unlisted', 'again'] },
  { fault: 'deletes all', laws: ['others'] },
  { fault: 'answers unknown ids with 400', laws: ['unknown', 'gone', 'again', 'valid'] },
  { fault: 'deletes twice', laws: ['unknown', 'again'] },
  { fault: 'sends a wrong Location', laws: ['location'] },
  { fault: 'leaves out a member', laws: ['read'] },
  { fault: 'replaces the id', laws: ['replace'] },
];

test.each(ofShelves)('a server that $fault breaks $laws', async ({ fault, laws }) => {
  const [own] = failedLaws(await walkShelves(fault));
  expect(own).toEqual(laws);
});

test.each<{ fault: Fault; laws: readonly LawName[] }>([
  { fault: 'mixes parents', laws: ['nested'] },
  { fault: 'knows every parent', laws: ['parent'] },
])('a server that $fault breaks $laws of the nested collection', async ({ fault, laws }) => {
  expect(failedLaws(await walkShelves(fault))).toEqual([[], laws]);
});

test('a server that answers with constants, or forgets its items, breaks most laws', async () => {
  const [constant] = failedLaws(await walkShelves('answers with constants'));
  expect(constant).toEqual(
    expect.arrayContaining(['id', 'read', 'replace', 'merge', 'unknown', 'gone', 'unlisted', 'again']),
  );
  const [forgetful] = failedLaws(await walkShelves('forgets'));
  expect(forgetful).toEqual(expect.arrayContaining(['read', 'listed', 'replace', 'merge', 'delete', 'gone', 'again']));
});

test('a PUT to the only id of an enum replaces its item, and a closed connection is opened again', async () => {
  const shown = {
    description: 'Fine',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Terms' } } },
  };
  const schemas = { Terms: { type: 'object', required: ['note'], properties: { note: { type: 'string' } } } };
  const item = {
    parameters: [{ name: 'kind', in: 'path', required: true, schema: { type: 'string', enum: ['terms'] } }],
    put: { requestBody: { required: true, content: shown.content }, responses: { 200: shown, 201: shown } },
    get: { responses: { 200: shown, 404: { description: 'Unknown' } } },
  };
  const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: { '/documents/{kind}': item } };
  const contract = readContract('terms.json', JSON.stringify({ ...document, components: { schemas } }));
  let stored: unknown;
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests += 1;
    if (requests === 2) {
      request.socket.destroy();
      return;
    }
    if (request.method === 'PUT') stored = await json(request);
    response.writeHead(stored === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(stored ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const result = await walkContract(contract, () => `http://127.0.0.1:${port}`);
    expect([failedLaws(result), result.pairs[0]?.laws.id.kind]).toEqual([[[]], 'held']);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
