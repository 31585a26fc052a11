import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { createRouter } from '@lockstep/runtime/route-request';
import { type OperationTable, operations } from './generated/operations.gen.ts';
import { createService } from './server.ts';

// Calls each operation without credentials, body or sensible parameters. Write tests of the handlers in files of your own.

const server = createServer(createService());
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(() => {
  server.close();
  server.closeAllConnections();
});

const table: OperationTable = operations;
const isDeclared = createRouter(Object.values(table)).match('/healthz') !== undefined;

test('/healthz answers 200', { skip: isDeclared && 'the contract has an operation there' }, async () => {
  assert.equal(await ask('GET', '/healthz'), 200);
});

describe('operations', () => {
  for (const { operationId, method, basePath, path, security } of Object.values(table)) {
    const isGuarded = security.length > 0 && security.every((needed) => Object.keys(needed).length > 0);
    // Some contracts have `#` or `?` in a path: the rest is sent as a query.
    const [address = '', ...query] = encodeURI(basePath + path.replaceAll(/\{[^}]*\}/g, '1')).split(/[?#]/);
    const target = [address, query.join('&')].filter(Boolean).join('?');
    if (isGuarded)
      test(`${operationId} rejects an unknown caller`, async () => {
        const status = await ask(method, target);
        assert.ok(status === 401 || status === 403, `answered ${status}`);
      });
    else
      test(`${operationId} answers, or is not implemented yet`, async () => {
        const status = await ask(method, target);
        assert.ok(status === 501 || (status < 500 && status !== 405), `answered ${status}`);
      });
  }
});

/** @returns the status. Not by `fetch`, which does not support TRACE. */
function ask(method: string, path: string): Promise<number> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', method, path }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}
