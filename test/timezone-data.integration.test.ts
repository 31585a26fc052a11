import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

test.each(['start.ts', 'mock/main.ts'])('%s does not start by timezone rules that are not there', async (program) => {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>();
  const env = { ...process.env, TIMEZONE_DATA: '/nowhere', PORT: '0', MOCK_PORT: '0' };
  execFile(process.execPath, [join(root, program)], { env, timeout: 20_000 }, (error, stdout, stderr) =>
    resolve({ code: error?.signal ?? error?.code, stdout, stderr }),
  );
  const { code, stdout, stderr } = await promise;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('TIMEZONE_DATA is "/nowhere": there is no such folder');
});
