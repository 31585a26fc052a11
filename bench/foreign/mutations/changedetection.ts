import { join } from 'node:path';
import { type Mutation, type Send, type Subject, serverNamed } from './mutation.ts';

const unknown = '00000000-0000-4000-8000-000000000000';
let count = 0;

async function create(send: Send, collection: 'watch' | 'tag'): Promise<string> {
  count += 1;
  const body = collection === 'watch' ? { url: `https://example.com/${count}` } : { title: `tag ${count}` };
  return (await send(`POST /${collection}`, { body })).json.uuid;
}

/** A watch with one more member. */
const postWatch = (member: object) => (send: Send) =>
  send('POST /watch', { body: { url: 'https://example.com/', ...member } });

const mutations: readonly Mutation[] = [
  {
    id: 'changedetection-01',
    kind: 'guard removed',
    ...{ file: 'api/Watch.py', line: 624, anchor: '@auth.check_token', replacement: '#' },
    at: 'GET /watch',
    prove: (send) => send('GET /watch', { token: null }),
    shows: [403, 200],
  },
  {
    id: 'changedetection-02',
    kind: 'guard removed',
    ...{ file: 'api/Watch.py', line: 190, anchor: '@auth.check_token', replacement: '#' },
    at: 'DELETE /watch/{uuid}',
    prove: async (send) => send(`DELETE /watch/${await create(send, 'watch')}`, { token: 'wrong' }),
    shows: [403, 204],
  },
  {
    id: 'changedetection-03',
    kind: 'guard removed',
    ...{ file: 'api/Tags.py', line: 222, anchor: '@auth.check_token', replacement: '#' },
    at: 'GET /tags',
    prove: (send) => send('GET /tags', { token: null }),
    shows: [403, 200],
  },
  {
    id: 'changedetection-04',
    kind: 'guard removed',
    ...{ file: 'api/auth.py', line: 18, anchor: '!= config_api_token', replacement: 'is None' },
    at: /./,
    prove: (send) => send('GET /systeminfo', { token: 'wrong' }),
    shows: [403, 200],
  },
  {
    id: 'changedetection-05',
    kind: 'validation removed',
    ...{ file: 'api/Watch.py', line: 549, anchor: "@validate_openapi_request('createWatch')", replacement: '#' },
    at: 'POST /watch',
    prove: postWatch({ method: 'BREW' }),
    shows: [400, 201],
  },
  {
    id: 'changedetection-06',
    kind: 'validation removed',
    ...{ file: 'api/Tags.py', line: 125, anchor: "@validate_openapi_request('updateTag')", replacement: '#' },
    at: 'PUT /tag/{uuid}',
    prove: async (send) =>
      send(`PUT /tag/${await create(send, 'tag')}`, { body: { title: 'a tag', notification_muted: 'no' } }),
    shows: [400, 200],
  },
  {
    id: 'changedetection-07',
    kind: 'validation removed',
    ...{
      file: 'api/Notifications.py',
      line: 49,
      anchor: "@validate_openapi_request('replaceNotifications')",
      replacement: '#',
    },
    at: 'PUT /notifications',
    prove: (send) => send('PUT /notifications', { body: {} }),
    shows: [400, 200],
  },
  {
    id: 'changedetection-08',
    kind: 'bound shifted',
    ...{ file: 'docs/api-spec.yaml', line: 379, anchor: '52000', replacement: '52001' },
    at: /^(POST|PUT) \/(watch|tag)/,
    prove: postWatch({ time_between_check: { weeks: 52001 } }),
    shows: [400, 201],
  },
  {
    id: 'changedetection-09',
    kind: 'bound shifted',
    ...{ file: 'docs/api-spec.yaml', line: 386, anchor: '0', replacement: '-1' },
    at: /^(POST|PUT) \/(watch|tag)/,
    prove: postWatch({ time_between_check: { hours: -1 } }),
    shows: [400, 201],
  },
  {
    id: 'changedetection-10',
    kind: 'bound shifted',
    ...{ file: 'docs/api-spec.yaml', line: 642, anchor: '2000', replacement: '2001' },
    at: /^(POST|PUT) \/(watch|tag)/,
    prove: postWatch({ llm_intent: 'a'.repeat(2001) }),
    shows: [400, 201],
  },
  {
    id: 'changedetection-11',
    kind: 'required made optional',
    ...{ file: 'docs/api-spec.yaml', line: 619, anchor: ', value', replacement: '' },
    at: /^(POST|PUT) \/(watch|tag)/,
    prove: postWatch({ conditions: [{ field: 'page_title', operator: '==' }] }),
    shows: [400, 201],
  },
  {
    id: 'changedetection-12',
    kind: 'required made optional',
    ...{ file: 'api/Search.py', line: 20, anchor: 'not query', replacement: 'False' },
    at: 'GET /search',
    prove: (send) => send('GET /search'),
    shows: [400, 200],
  },
  {
    id: 'changedetection-13',
    kind: 'check dropped',
    ...{ file: 'api/Tags.py', line: 41, anchor: 'not tag', replacement: 'False' },
    at: 'GET /tag/{uuid}',
    prove: (send) => send(`GET /tag/${unknown}`),
    shows: [404, 500],
  },
  {
    id: 'changedetection-14',
    kind: 'check dropped',
    ...{
      file: 'api/Watch.py',
      line: 327,
      anchor: "not self.datastore.data['watching'].get(uuid)",
      replacement: 'False',
    },
    at: 'DELETE /watch/{uuid}/history',
    prove: (send) => send(`DELETE /watch/${unknown}/history`),
    shows: [404, 500],
  },
];

export const changedetection: Subject = {
  server: serverNamed('changedetection'),
  package: join(import.meta.dirname, '../.venvs/changedetection/lib/python3.11/site-packages/changedetectionio'),
  credential: (token) => ({ 'x-api-key': token }),
  mutations,
};
