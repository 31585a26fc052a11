import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test.each([0, 1])('a run of tests with PostgreSQL exits with its own code: %i', async (wanted) => {
  const module = JSON.stringify(join(import.meta.dirname, 'share-postgres.ts'));
  const script = `const { setup } = await import(${module});
    const stop = await setup({ provide: () => undefined });
    process.exitCode = ${wanted};
    await stop();`;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  execFile(process.execPath, ['--input-type=module', '-e', script], (error) => resolve(error?.code ?? 0));
  expect(await promise).toBe(wanted);
});
