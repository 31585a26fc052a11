import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runRedocly } from './run-redocly.ts';

test('a linter that does not finish is killed, with the reason', async () => {
  const museum = fileURLToPath(new URL('../fixtures/museum/contract.yaml', import.meta.url));
  expect(await runRedocly(museum, 'valid', 1)).toMatch(/^it took more than 0\.001 seconds, as an example/);
});
