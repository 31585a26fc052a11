import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { npmRows } from '../bench/clients/rows.ts';
import { calls, chooseWindow, readExpected, type Target, tryClient, writeSpec } from '../bench/clients/try-client.ts';
import { getToken } from '../mock/fixtures/get-token.ts';
import { type DemoService, startDemoService } from './fixtures/start-demo-service.ts';

// If these fail, a partner who generates a client gets one that does not compile, or can't read a good answer.

/** npm fetches the generators; orval alone has a hundred packages. */
const ofNpm = 240_000;
/** Generating, compiling, and a few calls. */
const ofOne = 60_000;

describe('a generated client reads what is answered', { tags: ['full'] }, () => {
  let service: DemoService;
  let target: Target;
  beforeAll(async () => {
    const folder = fileURLToPath(new URL('../bench/clients', import.meta.url));
    await promisify(execFile)('npm', ['ci', '--prefer-offline'], { cwd: folder });
    service = await startDemoService();
    const baseUrl = `${service.origin}/v1`;
    target = {
      baseUrl,
      token: await getToken(service, 'demo-own'),
      spec: await writeSpec(),
      ...chooseWindow(Date.now()),
    };
  }, ofNpm);
  afterAll(() => service.close());

  test.each(npmRows)('$name', { timeout: ofOne }, async (row) => {
    const trial = await tryClient(row, target, await readExpected(target));
    expect(trial).toEqual({ name: row.name, generated: true, compiled: true, calls });
  });
});
