import { join } from 'node:path';
import { type Mutation, type Send, type Subject, serverNamed } from './mutation.ts';

const password = 'Correct-horse-battery-9';
let count = 0;

/** @returns id and token of a new user, who is no administrator unless asked for */
async function addUser(send: Send, admin = false): Promise<{ id: number; username: string; token: string }> {
  count += 1;
  const username = `user-${count}`;
  const { json } = await send('POST /api/users', { body: { name: 'A user', username, password, admin } });
  const { access_token: token } = (await send('POST /api/auth/login', { body: { username, password } })).json;
  return { id: json.id, username, token };
}

const postUser = (member: object) => (send: Send) => {
  count += 1;
  const body = { name: 'A user', username: `user-${count}`, password, admin: false, ...member };
  return send('POST /api/users', { body });
};

const bridge = '/api/config-editor/ui/bridges/0E:11:22:33:44:66';

const mutations: readonly Mutation[] = [
  {
    id: 'homebridge-ui-01',
    kind: 'guard removed',
    ...{
      file: 'dist/modules/status/status.controller.js',
      line: 136,
      anchor: 'UseGuards(AuthGuard()),',
      replacement: '',
    },
    at: /^GET \/api\/status\//,
    prove: (send) => send('GET /api/status/ram', { token: null }),
    shows: [401, 200],
  },
  {
    id: 'homebridge-ui-02',
    kind: 'guard removed',
    ...{ file: 'dist/core/auth/auth.controller.js', line: 82, anchor: 'UseGuards(AuthGuard()),', replacement: '' },
    at: 'GET /api/auth/check',
    prove: (send) => send('GET /api/auth/check', { token: null }),
    shows: [401, 200],
  },
  {
    id: 'homebridge-ui-03',
    kind: 'guard removed',
    ...{
      file: 'dist/modules/accessories/accessories.controller.js',
      line: 83,
      anchor: 'UseGuards(AuthGuard()),',
      replacement: '',
    },
    at: /\/api\/accessories/,
    prove: (send) => send('GET /api/accessories/none', { token: null }),
    shows: [401, 400],
  },
  {
    id: 'homebridge-ui-04',
    kind: 'guard removed',
    ...{ file: 'dist/modules/users/users.controller.js', line: 50, anchor: 'UseGuards(AdminGuard),', replacement: '' },
    at: 'GET /api/users',
    prove: async (send) => send('GET /api/users', { token: (await addUser(send)).token }),
    shows: [403, 200],
  },
  {
    id: 'homebridge-ui-05',
    kind: 'guard removed',
    ...{
      file: 'dist/core/auth/auth.service.js',
      line: 84,
      anchor: 'timingSafeEqual(',
      replacement: 'true || timingSafeEqual(',
    },
    at: 'POST /api/auth/login',
    prove: (send) => send('POST /api/auth/login', { body: { username: 'owner', password: 'wrong' } }),
    shows: [403, 201],
  },
  {
    id: 'homebridge-ui-06',
    kind: 'guard removed',
    ...{
      file: 'dist/core/auth/auth.service.js',
      line: 285,
      anchor: 'await this.checkPassword(user, currentPassword);',
      replacement: '',
    },
    at: 'POST /api/users/change-password',
    prove: async (send) => {
      const { token } = await addUser(send);
      const body = { currentPassword: 'not the one', newPassword: password };
      return send('POST /api/users/change-password', { token, body });
    },
    shows: [403, 201],
  },
  {
    id: 'homebridge-ui-07',
    kind: 'validation removed',
    ...{ file: 'dist/modules/users/users.dto.js', line: 62, anchor: 'IsBoolean(),', replacement: '' },
    at: /^(POST|PATCH) \/api\/users(\/\{userId\})?$/,
    prove: postUser({ admin: 'no' }),
    shows: [400, 201],
  },
  {
    id: 'homebridge-ui-08',
    kind: 'validation removed',
    ...{ file: 'dist/modules/config-editor/config-editor.dto.js', line: 22, anchor: 'IsBoolean(),', replacement: '' },
    at: 'PUT /api/config-editor/ui/bridges/{username}/hide-hap-alert',
    prove: (send) => send(`PUT ${bridge}/hide-hap-alert`, { body: { value: 'no' } }),
    shows: [400, 200],
  },
  {
    id: 'homebridge-ui-09',
    kind: 'validation removed',
    ...{ file: 'dist/modules/server/server.dto.js', line: 26, anchor: 'IsArray(),', replacement: '' },
    at: 'PUT /api/server/network-interfaces/bridge',
    prove: (send) => send('PUT /api/server/network-interfaces/bridge', { body: { adapters: 'eth0' } }),
    shows: [400, 200],
  },
  {
    id: 'homebridge-ui-10',
    kind: 'required made optional',
    ...{ file: 'dist/modules/users/users.dto.js', line: 49, anchor: 'IsDefined(),', replacement: '' },
    at: /^(POST|PATCH) \/api\/users(\/\{userId\})?$/,
    prove: postUser({ name: undefined }),
    shows: [400, 201],
  },
  {
    id: 'homebridge-ui-11',
    kind: 'required made optional',
    ...{ file: 'dist/modules/config-editor/config-editor.dto.js', line: 21, anchor: 'IsDefined(),', replacement: '' },
    at: 'PUT /api/config-editor/ui/bridges/{username}/hide-hap-alert',
    prove: (send) => send(`PUT ${bridge}/hide-hap-alert`, { body: {} }),
    shows: [400, 200],
  },
  {
    id: 'homebridge-ui-12',
    kind: 'check dropped',
    ...{ file: 'dist/core/auth/auth.service.js', line: 245, anchor: 'index < 0', replacement: 'false' },
    at: 'DELETE /api/users/{userId}',
    prove: (send) => send('DELETE /api/users/4711'),
    shows: [400, 500],
  },
  {
    id: 'homebridge-ui-13',
    kind: 'check dropped',
    ...{
      file: 'dist/modules/config-editor/config-editor.service.js',
      line: 408,
      anchor: '!await pathExists(requestedBackupPath)',
      replacement: 'false',
    },
    at: 'GET /api/config-editor/backups/{backupId}',
    prove: (send) => send('GET /api/config-editor/backups/4711'),
    shows: [404, 500],
  },
  {
    id: 'homebridge-ui-14',
    kind: 'check dropped',
    ...{ file: 'dist/core/auth/auth.service.js', line: 258, anchor: '!user', replacement: 'false' },
    at: 'PATCH /api/users/{userId}',
    prove: (send) => send('PATCH /api/users/4711', { body: { name: 'A user', username: 'nobody', admin: false } }),
    shows: [400, 500],
  },
];

export const homebridgeUi: Subject = {
  server: serverNamed('homebridge-ui'),
  package: join(import.meta.dirname, '../node_modules/homebridge-config-ui-x'),
  credential: (token) => ({ authorization: `Bearer ${token}` }),
  mutations,
};
