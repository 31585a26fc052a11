import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { KeyFileFault } from '../key-file.ts';
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
