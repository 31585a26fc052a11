import { join } from 'node:path';
import { type Mutation, type Send, type Subject, serverNamed } from './mutation.ts';

const routers = 'server/api/routers/v1';
const password = 'Correct-horse-battery-9';
let count = 0;

/** @returns the session of a new user */
async function logInAs(send: Send, role: 'MEMBER' | 'VIEWER'): Promise<string> {
  count += 1;
  const email = `user-${count}@example.com`;
  const user = { auth_method: 'LOCAL', email, username: `user-${count}`, role, password };
  await send('POST /v1/users', { body: { user, send_welcome_email: false } });
  const { headers } = await send('POST /auth/login', { body: { email, password }, token: null });
  const [, token] = /phoenix-access-token=([^;]+)/.exec(headers.getSetCookie().join()) ?? [];
  return `Bearer ${token}`;
}

/** @returns ids of a new dataset, its version and its only example */
async function addDataset(send: Send): Promise<{ dataset: string; version: string; example: string }> {
  count += 1;
  const body = { action: 'create', name: `dataset ${count}`, inputs: [{ a: 1 }], outputs: [{ b: 2 }], metadata: [{}] };
  const { dataset_id: dataset } = (await send('POST /v1/datasets/upload?sync=true', { body })).json.data;
  const { data } = (await send(`GET /v1/datasets/${dataset}/examples`)).json;
  return { dataset, version: data.version_id, example: data.examples[0].id };
}

const postLabel = (member: object) => (send: Send) => {
  count += 1;
  return send('POST /v1/dataset_labels', { body: { name: `label ${count}`, color: '#00cc88', ...member } });
};

const mutations: readonly Mutation[] = [
  {
    id: 'phoenix-01',
    kind: 'guard removed',
    ...{
      file: `${routers}/__init__.py`,
      line: 51,
      anchor: 'dependencies.append(Depends(is_authenticated))',
      replacement: 'pass',
    },
    at: /./,
    prove: (send) => send('GET /v1/projects', { token: null }),
    shows: [401, 200],
  },
  {
    id: 'phoenix-02',
    kind: 'guard removed',
    ...{ file: `${routers}/users.py`, line: 214, anchor: 'Depends(require_admin)', replacement: '' },
    at: 'GET /v1/users',
    prove: async (send) => send('GET /v1/users', { token: await logInAs(send, 'MEMBER') }),
    shows: [403, 200],
  },
  {
    id: 'phoenix-03',
    kind: 'guard removed',
    ...{ file: 'server/authorization.py', line: 80, anchor: 'and user.is_viewer', replacement: 'and False' },
    at: /^(POST|PUT|PATCH|DELETE) /,
    prove: async (send) =>
      send('POST /v1/dataset_labels', { token: await logInAs(send, 'VIEWER'), body: { name: 'a', color: '#00cc88' } }),
    shows: [403, 201],
  },
  {
    id: 'phoenix-04',
    kind: 'ownership test removed',
    ...{
      file: `${routers}/api_keys.py`,
      line: 441,
      anchor: 'not can_revoke_user_api_key(',
      replacement: 'False and can_revoke_user_api_key(',
    },
    at: 'DELETE /v1/user/api_keys/{api_key_id}',
    prove: async (send) => {
      const body = { data: { name: 'a key' } };
      const { id } = (await send('POST /v1/user/api_keys', { token: await logInAs(send, 'MEMBER'), body })).json.data;
      return send(`DELETE /v1/user/api_keys/${id}`, { token: await logInAs(send, 'MEMBER') });
    },
    shows: [404, 204],
  },
  {
    id: 'phoenix-05',
    kind: 'ownership test removed',
    ...{
      file: `${routers}/datasets.py`,
      line: 1384,
      anchor: 'models.DatasetVersion.dataset_id == resolved_dataset_id',
      replacement: 'True',
    },
    at: 'GET /v1/datasets/{id}/examples',
    prove: async (send) => {
      const [one, other] = [await addDataset(send), await addDataset(send)];
      return send(`GET /v1/datasets/${one.dataset}/examples?version_id=${other.version}`);
    },
    shows: [404, 200],
  },
  {
    id: 'phoenix-06',
    kind: 'ownership test removed',
    ...{
      file: `${routers}/datasets.py`,
      line: 1597,
      anchor: 'models.DatasetExample.dataset_id == dataset_id,',
      replacement: '',
    },
    at: /^(POST|PATCH) \/v1\/datasets\/\{dataset_identifier\}\/splits/,
    prove: async (send) => {
      const [one, other] = [await addDataset(send), await addDataset(send)];
      const body = { name: 'a split', example_ids: [other.example] };
      return send(`POST /v1/datasets/${one.dataset}/splits`, { body });
    },
    shows: [404, 201],
  },
  {
    id: 'phoenix-07',
    kind: 'validation removed',
    ...{ file: `${routers}/utils.py`, line: 27, anchor: 'pattern=models.HEX_COLOR_REGEX,', replacement: '' },
    at: /^(POST|PATCH) \/v1\/dataset_labels/,
    prove: postLabel({ color: 'green' }),
    shows: [422, 500],
  },
  {
    id: 'phoenix-08',
    kind: 'bound shifted',
    ...{ file: `${routers}/projects.py`, line: 85, anchor: 'gt=0', replacement: 'gt=-1' },
    at: 'GET /v1/projects',
    prove: (send) => send('GET /v1/projects?limit=0'),
    shows: [422, 200],
  },
  {
    id: 'phoenix-09',
    kind: 'bound shifted',
    ...{ file: `${routers}/dataset_labels.py`, line: 42, anchor: 'min_length=1', replacement: 'min_length=0' },
    at: 'POST /v1/dataset_labels',
    prove: postLabel({ name: '' }),
    shows: [422, 201],
  },
  {
    id: 'phoenix-10',
    kind: 'required made optional',
    ...{ file: `${routers}/dataset_labels.py`, line: 44, anchor: '...,', replacement: '"#000000",' },
    at: 'POST /v1/dataset_labels',
    prove: postLabel({ color: undefined }),
    shows: [422, 201],
  },
  {
    id: 'phoenix-11',
    kind: 'required made optional',
    ...{ file: `${routers}/secrets.py`, line: 30, anchor: 'Field(', replacement: 'Field(default=None,' },
    at: 'PUT /v1/secrets',
    prove: (send) => send('PUT /v1/secrets', { body: { secrets: [{ key: 'A_KEY' }] } }),
    shows: [422, 200],
  },
  {
    id: 'phoenix-12',
    kind: 'check dropped',
    ...{ file: `${routers}/dataset_labels.py`, line: 207, anchor: 'dataset_label is None', replacement: 'False' },
    at: 'GET /v1/dataset_labels/{label_id}',
    // The id is `DatasetLabel:4711`.
    prove: (send) => send('GET /v1/dataset_labels/RGF0YXNldExhYmVsOjQ3MTE='),
    shows: [404, 500],
  },
];

export const phoenix: Subject = {
  server: serverNamed('phoenix'),
  package: join(import.meta.dirname, '../.venvs/phoenix/lib/python3.11/site-packages/phoenix'),
  credential: (token) => ({ authorization: token }),
  mutations,
};
