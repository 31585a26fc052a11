import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { type Operation, operations } from '@lockstep/contract/operations';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ContractDocument,
  followMember,
  followRef,
  isObject,
  type JsonObject,
  readPointer,
} from '../json/json-pointer.ts';
import { getToken } from '../mock/fixtures/get-token.ts';
import { type DemoService, startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, the server rejects requests that people and documentation tools compose from the examples of fields.

const document: ContractDocument = contract;
/** The time that the examples of the contract are written for; each request comes five minutes later, when a bridge has room again. */
let now = Date.UTC(2026, 10, 21, 8);
beforeEach(() => {
  now += 300_000;
});

let service: DemoService;
let token: string;
beforeAll(async () => {
  service = await startDemoService({ clock: { now: () => now } });
  token = await getToken(service, 'demo-own');
});
afterAll(() => service.close());

/** The value that a schema's own example gives; of an object without one, the examples of all its members together. */
function assemble(schema: unknown): unknown {
  const node = isObject(schema) ? schema : {};
  if (node.example !== undefined) return node.example;
  const target = followRef(document, node);
  if (target.example !== undefined) return target.example;
  const members = Object.entries(followMember(document, target, 'properties'));
  if (members.length > 0) return Object.fromEntries(members.map(([name, member]) => [name, assemble(member)]));
  if (target.type === 'array') return [assemble(target.items)];
  const [branch] = [target.anyOf, target.oneOf].flatMap((branches) => (Array.isArray(branches) ? branches : []));
  return branch === undefined ? (target.default ?? {}) : assemble(branch);
}

/** One body of all examples, and one for each value that asks for a schema of its own (`x-by-value`). */
function assembleBodies({ requestBody, extensions }: Operation): readonly (readonly [name: string, body: unknown])[] {
  const [pointer = ''] = Object.values(requestBody?.content ?? {});
  const whole = assemble(readPointer(document, pointer)) as JsonObject;
  const rules = Array.isArray(extensions['x-by-value']) ? extensions['x-by-value'] : [];
  const byValue = rules.flatMap(({ at, cases }) =>
    (cases as { values: string[]; schemas?: Record<string, string> }[]).flatMap(({ values, schemas = {} }) =>
      values.flatMap((value) => {
        const chosen = { [String(at).replace('$request.body#/', '')]: value };
        const dependent = Object.entries(schemas).map(([place, $ref]) => [place.slice(1), assemble({ $ref })]);
        const asText = dependent.map(([name, member]) => [name, JSON.stringify(member)]);
        return [
          [`${value}, data as an object`, { ...chosen, ...Object.fromEntries(dependent) }] as const,
          [`${value}, data as text`, { ...chosen, ...Object.fromEntries(asText) }] as const,
        ];
      }),
    ),
  );
  return [['all of them', whole], ...byValue];
}

/** The one of a handful of devices that does everything. */
const ids: Readonly<Record<string, string>> = { deviceId: 'LK2A00000001', bridgeId: 'BR1A00000001' };

const withBody = Object.values<Operation>(operations).filter(
  ({ basePath, requestBody }) => basePath === '/v1' && requestBody !== null,
);

describe.each(withBody.map((operation) => ({ name: operation.operationId, operation })))(
  '$name accepts the examples of its fields together',
  ({ operation }) => {
    test.each(assembleBodies(operation))('%s', async (_, body) => {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (__, name: string) => ids[name] ?? name);
      const answer = await fetch(service.origin + operation.basePath + path, {
        method: operation.method.toUpperCase(),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      expect([answer.status, answer.ok ? '' : `${JSON.stringify(body)} ${text}`]).toEqual([200, '']);
      expect(JSON.parse(text)).not.toMatchObject({ rejected: [expect.anything()] });
    });
  },
);

/** Forms of the OAuth server, one for each grant. Codes and tokens of an example can't be spent, but nothing else may be wrong with them. */
const forms = [operations.exchangeToken, operations.revokeToken].flatMap(
  ({ operationId, basePath, path, requestBody }) => {
    const [pointer = ''] = Object.values<string>(requestBody.content);
    const schema = readPointer(document, pointer);
    const { oneOf } = followRef(document, schema);
    const branches = Array.isArray(oneOf) ? oneOf : [schema];
    return branches.map((branch) => ({
      name: operationId,
      path: basePath + path,
      fields: assemble(branch) as JsonObject,
    }));
  },
);

test.each(forms)('$name accepts the examples of its fields together: $fields', async ({ path, fields }) => {
  const partner = service.clients.find(({ clientId }) => clientId === fields.client_id) ?? service.clients[0];
  const answer = await fetch(service.origin + path, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${partner?.clientId}:${partner?.secret}`)}` },
    body: new URLSearchParams(fields as Record<string, string>),
  });
  const { error } = answer.ok ? { error: undefined } : ((await answer.json()) as { error: string });
  expect([undefined, 'invalid_grant', 'unauthorized_client']).toContain(error);
});

test('every operation with a body is tried, every kind of job among them', () => {
  const names = withBody.flatMap((operation) =>
    assembleBodies(operation).map(([name]) => `${operation.operationId} ${name}`),
  );
  expect(withBody.length).toBeGreaterThan(0);
  expect(forms).toHaveLength(4);
  for (const name of ['CREATE_PIN', 'DELETE_PIN', 'GET_ACTIVITY_LOGS', 'UNLOCK'])
    expect(names).toContain(`createBridgeProxiedJob ${name}, data as text`);
});
