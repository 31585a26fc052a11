import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ImportFile, type RunningSandbox, startMock } from '../../index.ts';
import contract from './generated/contract.gen.json' with { type: 'json' };

interface Documented {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly examples: Readonly<Record<string, { value: unknown }>> }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

const examples = Object.entries<Readonly<Record<string, unknown>>>(contract.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) => {
    const { requestBody, responses } = operation as Documented;
    const success = Number(Object.keys(responses).find((status) => status.startsWith('2')));
    return Object.values(requestBody?.content ?? {}).flatMap((content) =>
      Object.entries(content.examples).map(([name, { value }]) => ({
        line: `${method.toUpperCase()} ${path}`,
        name,
        value,
        success,
      })),
    );
  }),
);

let mock: RunningSandbox;
beforeAll(async () => {
  mock = await startMock();
});
beforeEach(() => mock.control.useScenario('demo'));
afterAll(() => mock.close());

describe('a request as the contract of the control shows it succeeds', () => {
  test('of each operation that takes a body', () => {
    expect(new Set(examples.map(({ line }) => line)).size).toBe(7);
  });

  test.each(examples)('$line $name', async ({ line, value, success }) => {
    const [method = '', path = ''] = line.split(' ');
    const [lock] = await mock.control.listLocks(1);
    const answer = await fetch(`${mock.origin}/_sandbox${path.replace('{deviceId}', String(lock?.deviceId))}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(value),
    });
    expect([answer.status, await answer.json()]).toEqual([success, expect.any(Object)]);
  });

  test('and a client of an account that it brings can be used', async () => {
    const shown = examples.find(({ name }) => name === 'own')?.value as { readonly import: ImportFile };
    const known = mock.clients.map(({ clientId }) => clientId);
    const { clients } = await mock.control.useScenario(shown.import);
    const added = clients.filter(({ clientId }) => !known.includes(clientId));
    expect(added).toMatchObject([{ account: 'Harbour View' }]);
    const token = await mock.token(added[0]?.clientId);
    const answer = await fetch(`${mock.baseUrl}/devices`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await answer.json()).toMatchObject({ payload: [{ deviceId: 'LK0A00000001' }] });
  });
});
