import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { testLaw } from '../fixtures/test-law.ts';
import { readKeyFile } from '../key-file.ts';
import { createDatabase } from '../store/postgres/fixtures/create-database.ts';
import { issueCode } from './fixtures/issue-code.ts';
import { expectNothingUsable } from './fixtures/nothing-usable.ts';
import {
  openServed,
  prepareFiles,
  type ServedFiles,
  type ServerProcess,
  serveProcess,
} from './fixtures/serve-process.ts';
import { type RunningAuth, startAuth } from './fixtures/start-auth.ts';
import type { Answer } from './fixtures/talk.ts';
import { exchangeCode, refresh, revoke, type TokenRequest } from './fixtures/token-requests.ts';

// Several processes of one service: between a read and a write of one, another may do the same.

const publicOrigin = 'https://api.example';
const headers = { 'X-Forwarded-Host': 'api.example' };
const counts = { few: 3, many: 10 };

const services: readonly { name: string; count: number; url?: () => Promise<string>; tags?: readonly string[] }[] = [
  { name: 'two processes on a SQLite file', count: 2 },
  { name: 'three processes on a PostgreSQL database', count: 3, url: createDatabase, tags: ['full'] },
];

for (const { name, count, url, tags = [] } of services)
  describe(`twenty requests at once, to ${name}`, { tags: [...tags] }, () => {
    let folder: string;
    let files: ServedFiles;
    let processes: ServerProcess[];
    /** Checks the results of the others. */
    let judge: RunningAuth;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'lockstep-several-processes-'));
      files = await prepareFiles(folder, await url?.());
      processes = [];
      while (processes.length < count)
        processes.push(await serveProcess(files, { publicOrigin, port: await findFreePort() }));
      const keys = await readKeyFile(files.keyFile, { warn: () => undefined });
      judge = await startAuth({ store: await openServed(files), keys, publicOrigin });
    });
    afterAll(async () => {
      await judge?.close();
      for (const { kill } of processes) await kill();
      await rm(folder, { recursive: true });
    });

    /** In turns to the processes. A process that waits too long for the database answers 503. */
    async function twenty(ask: (server: ServerProcess, request: TokenRequest) => Promise<Answer>): Promise<Answer[]> {
      const asked = Array.from({ length: 20 }, (_, index) => {
        const server = processes[index % processes.length];
        if (server === undefined) throw new Error('no process');
        return ask(server, { headers });
      });
      return Promise.all(asked);
    }

    testLaw('at most one of them gets tokens for a code, and these are revoked', counts, async (rounds) => {
      let taken = 0;
      for (let round = 0; round < rounds; round += 1) {
        const code = await issueCode(judge.auth.provider, judge.resource);
        const answers = await twenty((server, request) => exchangeCode(server, code, request));
        taken += countTaken(answers);
        await expectNothingUsable(judge, answers, { client: files.partner, headers });
      }
      expect(taken).toBeGreaterThan(rounds / 2);
    });

    testLaw(
      'one of them at most uses a rotating refresh token, and its whole family is revoked',
      counts,
      async (rounds) => {
        const client = files.rotating;
        let taken = 0;
        for (let round = 0; round < rounds; round += 1) {
          const code = await issueCode(judge.auth.provider, judge.resource, { clientId: client.clientId });
          const login = await exchangeCode(judge, code, { client, headers });
          const answers = await twenty((server, request) =>
            refresh(server, login.body?.refresh_token, { ...request, client }),
          );
          taken += countTaken(answers);
          await expectNothingUsable(judge, [login, ...answers], { client, headers });
        }
        expect(taken).toBeGreaterThan(rounds / 2);
      },
    );

    testLaw('a refresh in one and a revocation in the other leave nothing usable', counts, async (rounds) => {
      const client = files.rotating;
      const [first, second] = processes;
      if (first === undefined || second === undefined) throw new Error('no process');
      for (let round = 0; round < rounds; round += 1) {
        const code = await issueCode(judge.auth.provider, judge.resource, { clientId: client.clientId });
        const login = await exchangeCode(judge, code, { client, headers });
        const [refreshed, revoked] = await Promise.all([
          refresh(first, login.body?.refresh_token, { client, headers }),
          revoke(second, login.body?.refresh_token, { client, headers }),
        ]);
        expect(revoked.status).toBe(200);
        await expectNothingUsable(judge, [login, refreshed], { client, headers });
      }
    });
  });

function countTaken(answers: readonly Answer[]): number {
  for (const { status, body } of answers) {
    if (status === 400) expect(body?.error).toBe('invalid_grant');
    else expect([200, 503]).toContain(status);
  }
  const taken = answers.filter(({ status }) => status === 200).length;
  if (!answers.some(({ status }) => status === 503)) expect(taken).toBe(1);
  return taken;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
