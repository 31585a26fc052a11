import { describe, expect, test } from 'vitest';
import { reports } from '../reports/reports.ts';
import { testOptions } from '../seeded/apis.ts';
import { contractOf } from '../seeded/by-hand.ts';
import { type Handler, serve } from '../seeded/serve.ts';
import { runConformance } from './run-conformance.ts';

const made = { 201: { description: 'Made' }, 400: { description: 'No' } };
const ok = { 200: { description: 'OK' }, 400: { description: 'No' } };
const body = (schema: object) => ({ required: true, content: { 'application/json': { schema } } });
const named = { type: 'object', required: ['name'], properties: { name: { $ref: '#/components/schemas/Name' } } };

const contract = contractOf(
  {
    '/shelves': { post: { operationId: 'addShelf', requestBody: body(named), responses: made } },
    '/rooms': { post: { operationId: 'addRoom', requestBody: body(named), responses: made } },
    '/hosts': {
      post: {
        operationId: 'addHost',
        requestBody: body({
          type: 'object',
          required: ['host'],
          properties: { host: { type: 'string', format: 'crn' } },
        }),
        responses: made,
      },
    },
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [{ name: 'order', in: 'query', schema: { type: 'string' } }],
        responses: ok,
      },
    },
    '/secret': { get: { operationId: 'secret', responses: ok } },
    '/hidden': { get: { operationId: 'hidden', responses: ok } },
    '/fine': { get: { operationId: 'fine', responses: ok } },
  },
  { schemas: { Name: { type: 'string' } } },
);

const handle: Handler = ({ path, query, method }) => {
  const no = (error: unknown) => ({ status: 400, body: { error } });
  if (path === '/shelves' || path === '/rooms') return no([{ field: 'name', message: 'must be a Roman numeral' }]);
  if (path === '/hosts') return no({ field: 'host', message: 'is no CRN' });
  if (path === '/secret' || path === '/hidden') return no('not like this');
  if (query.has('order')) return no('order must be a column of the table');
  return { status: method === 'POST' ? 201 : 200 };
};

describe('a value that the server rejects and the contract allows', () => {
  test('is reported once for each place, never as a defect', async () => {
    const served = await serve(handle);
    const result = await runConformance(
      contract,
      testOptions('library', served.origin, { baseUrl: served.origin, authUrl: undefined }),
    );
    await served.close();
    expect(result.findings).toEqual([]);
    const reported = result.warnings.filter(({ message }) => message.startsWith('The contract is underspecified'));
    expect(reported.map(({ message }) => message.replaceAll(/: ".*/g, ''))).toEqual([
      expect.stringMatching(/at #\/components\/schemas\/Name \(body \/name\), addShelf, addRoom$/),
      expect.stringMatching(/at #\/paths\/~1hosts\/.*\/properties\/host \(body \/host\), addHost$/),
      expect.stringMatching(/at #\/paths\/~1books\/get\/parameters\/0 \(query order\), listBooks$/),
      expect.stringMatching(
        /at #\/paths\/~1secret\/get, secret, hidden: every request was rejected with 400: not like this$/,
      ),
    ]);
    expect(reported.map(({ fix }) => fix.startsWith('The value matches its format'))).toEqual([
      false,
      true,
      false,
      false,
    ]);
    for (const format of [reports.console.format, reports.json.format]) {
      expect(format(result).split('Roman numeral')).toHaveLength(2);
    }
  });
});
