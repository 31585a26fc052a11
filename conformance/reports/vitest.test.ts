import { expect, test } from 'vitest';
import type { Failure } from '../failures/failure.ts';
import type { Chain, FoundFailures, RecordedRequest } from '../failures/failure-file.ts';
import { collectFindings } from '../failures/finding.ts';
import { createRedactor } from '../failures/redact.ts';
import type { RunResult } from '../run/run.ts';
import { plainIntent } from '../seeded/apis.ts';
import { contractOf, exchangeOf } from '../seeded/by-hand.ts';
import { formatVitest } from './vitest.ts';
import { checkable, head } from './vitest-head.ts';

// If these fail, a test of a finding sends another request than the run, or passes while the fault is there.

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: { id: { type: 'integer' }, n: { type: 'string' } },
};
const json = { 'application/json': { schema } };
const key = { type: 'apiKey', in: 'query', name: 'api key' };
const contract = contractOf(
  {
    '/a': {
      post: {
        operationId: 'add',
        requestBody: { content: json },
        responses: { 201: { description: 'OK', content: json } },
      },
    },
    '/a/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: { operationId: 'read', security: [{ Key: [] }], responses: { '2XX': { description: 'OK', content: json } } },
    },
  },
  { securitySchemes: { Key: key } },
);

const intent = { ...plainIntent, case: undefined, step: undefined };
const add: RecordedRequest = {
  ...{ operation: 'add', parameters: [], body: { mediaType: 'application/json', value: { n: `\`\${1}\` \\ "` } } },
  ...{ intent, answered: 201 },
};
const read: RecordedRequest = {
  ...{ operation: 'read', parameters: [{ in: 'path', name: 'id', value: '{{a#1.id}}' }], intent, answered: 200 },
};
const chained: Chain = { requests: [add, read], judged: 1, symbols: { 'a#1.id': { request: 0, member: 'id' } } };

function testOf(failure: Partial<Failure>, chain: Chain | undefined = chained): string {
  const findings = collectFindings({ ...createRedactor(contract), excerptAt: contract.excerptAt });
  const texts = {
    check: 'server-error',
    place: 'response 500',
    pointer: '#',
    keyword: '500',
    clause: 'RFC 9110 15.6',
    message: 'm',
  };
  findings.add(
    { ...texts, severity: 'defect', causes: [['x']], ...failure },
    exchangeOf(contract, { operation: 'read' }),
  );
  const [finding] = findings.all();
  const failed = { fingerprint: '', causes: [], check: '', operation: 'read', place: '', message: '', chain };
  const failures: readonly FoundFailures[] = [{ id: finding?.id ?? '', failures: [failed] }];
  const result = { findings: [finding], contractFile: 'api.json', baseUrl: 'http://h/v1', authUrl: undefined };
  const text = formatVitest(result as unknown as RunResult, { exitCode: 1, contract, failures, root: '' });
  return text.slice(text.lastIndexOf('\ntest'));
}

test('a chain is sent with the ids of this time, and with credentials from variables', () => {
  expect(testOf({}).trim().split('\n').slice(1)).toEqual([
    '  const ids = {};',
    expect.stringContaining(
      'send(bases.api, "POST", "/a", { "accept": "application/json, */*;q=0.1", "content-type": "application/json" }, ',
    ),
    '  ids["a#1.id"] = valueOf(answer0, "id");',
    `  const answer = await send(bases.api, "GET", \`/a/\${encodeURIComponent(ids["a#1.id"])}?api%20key=\${secret("Key")}\`, { "accept": "application/json, */*;q=0.1" });`,
    '  expect(answer.status).toBeLessThan(500);',
    '});',
  ]);
});

test.each<{ name: string; failure: Partial<Failure>; want: string }>([
  {
    name: 'an undocumented status',
    failure: { check: 'status-undocumented', keyword: 'responses' },
    want: 'expectStatus(answer, ["2XX"]);',
  },
  {
    name: 'a type in every item of a list',
    failure: {
      check: 'body-schema',
      keyword: 'type',
      place: 'response 200 body /3/id',
      pointer: '#/paths/~1a~1{id}/get/responses/2XX/content/application~1json/schema/properties/id/type',
    },
    want: 'expectValues(answer, ["*","id"], "type", "integer");',
  },
  {
    name: 'a closed object',
    failure: {
      check: 'body-schema',
      keyword: 'additionalProperties',
      place: 'response 200 body (the whole)',
      pointer: '#/paths/~1a~1{id}/get/responses/2XX/content/application~1json/schema/additionalProperties',
    },
    want: 'expectValues(answer, [], "additionalProperties", ["id","n"]);',
  },
  {
    name: 'an unlisted media type',
    failure: { check: 'media-type', place: 'response 200 header Content-Type' },
    want: 'expectMediaType(answer, ["application/json"]);',
  },
  {
    name: 'a missing header',
    failure: { check: 'header-schema', keyword: 'required', place: 'response 200 header X-A' },
    want: 'expect(answer.headers.get("X-A")).not.toBe(null);',
  },
  {
    name: 'an accepted invalid request',
    failure: { check: 'invalid-accepted', keyword: 'maximum' },
    want: 'expectRejected(answer);',
  },
])('the documented answer of $name', ({ failure, want }) => {
  expect(testOf(failure).trim().split('\n').at(-2)?.trim()).toBe(want);
});

test.each<{ name: string; failure?: Partial<Failure>; change?: Partial<RecordedRequest>; reason: RegExp }>([
  { name: 'a comparison', failure: { check: 'text-changed' }, reason: /compares more than one answer shows/ },
  { name: 'a keyword with subschemas', failure: { check: 'body-schema', keyword: 'oneOf' }, reason: /compares more/ },
  {
    name: 'a narrowed token',
    change: { intent: { ...intent, identity: { without: ['s'] } } },
    reason: /credentials without s/,
  },
  { name: 'content of a GET', change: { edits: { content: { text: 'x' } } }, reason: /fetch sends no content by GET/ },
])('$name is skipped with the reason and the command', ({ failure = {}, change, reason }) => {
  const text = testOf(failure, { ...chained, requests: [add, { ...read, ...change }] });
  expect(text).toMatch(/^\ntest\.skip\(/);
  expect(text).toMatch(reason);
  expect(text).toMatch(/lockstep-conform replay [0-9a-f]{8}/);
});

test('the file checks each keyword that it promises', () => {
  const [, table = ''] = /const keywords = \{\n(.*?)\n\};/s.exec(head) ?? [];
  expect([...table.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name).sort()).toEqual([...checkable].sort());
});
