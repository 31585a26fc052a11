import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { KeyFileFault } from '../key-file.ts';
import { createDatabase } from '../store/postgres/fixtures/create-database.ts';
import { startDemo } from './start-demo.ts';

test('a folder that can not be created is reported by a message for npm start', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'lockstep-demo-'));
  await writeFile(join(parent, 'file'), '');
  const logger = pino({ level: 'silent' });
  const starting = startDemo({ folder: join(parent, 'file/demo'), port: 0, host: '127.0.0.1', logger });
  await expect(starting).rejects.toThrow(KeyFileFault);
  await expect(starting).rejects.toThrow(/demo\/keys\.json cannot be written/);
  await rm(parent, { recursive: true });
});

test('on a PostgreSQL database it is the same at every start, with the keys of the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-demo-'));
  const database = { kind: 'postgres', url: await createDatabase() } as const;
  const options = { folder, port: 0, host: '127.0.0.1', logger: pino({ level: 'silent' }), passwordCost: 4 };
  const printed = [];
  for (const given of [{ database }, { database }, {}]) {
    const { clients, owners, close } = await startDemo({ ...options, ...given });
    printed.push({ clients, owners });
    await close();
  }
  expect(printed[1]).toEqual(printed[0]);
  expect(printed[2]).toEqual(printed[0]);
  await rm(folder, { recursive: true });
});
