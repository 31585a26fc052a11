import { expect, test } from 'vitest';
import { runConformance } from '../run/run-conformance.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { type Handler, serve, type TestAnswer } from '../seeded/serve.ts';

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const list = { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } };
const listed = {
  200: { description: 'OK', content: { 'application/json': { schema: list } } },
  400: { description: 'No' },
};
const done = { 204: { description: 'Done' }, 400: { description: 'No' } };

const contract = contractOf({
  '/tables': { get: { operationId: 'listTables', responses: listed } },
  '/tables/{id}': { parameters: [id], delete: { operationId: 'dropTable', responses: done } },
  '/folders': {
    get: { operationId: 'listFolders', responses: listed },
    delete: { operationId: 'emptyFolders', responses: done },
  },
  '/notes': { delete: { operationId: 'emptyNotes', responses: done } },
  '/lost': { delete: { operationId: 'emptyLost', responses: done } },
});

const failed: TestAnswer = { status: 500, body: { error: 'unexpected' } };

/** Everything but the list of tables needs the table `t1`; the notes fail in any case. */
function createServer(needsTable: boolean): Handler {
  let isDropped = false;
  return ({ method, path }) => {
    if (path.startsWith('/tables/')) {
      isDropped = true;
      return { status: 204 };
    }
    if (path === '/tables') return { status: 200, body: isDropped ? [] : [{ id: 't1' }] };
    if (path === '/lost' && isDropped && needsTable) return { status: 404 };
    if ((needsTable && isDropped) || path === '/notes') return failed;
    return method === 'DELETE' ? { status: 204 } : { status: 200, body: [{ id: 'f1' }] };
  };
}

test.each([1, 16])(
  'what begins to fail when the run has taken away something foreign is doubtful: %d workers',
  async (workers) => {
    const served = await serve(createServer(true));
    const options = testOptions('library', served.origin, { baseUrl: served.origin, authUrl: undefined, workers });
    const permissions = { effects: [], readOnly: false, writes: 'all' } as const;
    const result = await runConformance(contract, { ...options, permissions });
    await served.close();
    expect(result.findings.filter(({ severity }) => severity === 'defect')).toEqual([]);
    const [finding] = result.findings;
    expect(finding?.message).toMatch(/listFolders was accepted before dropTable and now is answered 500/);
    expect(new Set(result.findings.flatMap(({ operations }) => operations))).toEqual(
      new Set(['emptyFolders', 'emptyNotes', 'emptyLost']),
    );
  },
);

test.each([1, 16])('a failure while the control reads still succeed is a defect: %d workers', async (workers) => {
  const served = await serve(createServer(false));
  const options = testOptions('library', served.origin, { baseUrl: served.origin, authUrl: undefined, workers });
  const permissions = { effects: [], readOnly: false, writes: 'all' } as const;
  const result = await runConformance(contract, { ...options, permissions });
  await served.close();
  expect(result.findings.map(({ severity, operation }) => [severity, operation])).toEqual([['defect', 'emptyNotes']]);
  expect(served.requests).toContain('DELETE /tables/t1');
});
