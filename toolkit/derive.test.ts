import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readContract } from './contract/read-contract.ts';
import { derive } from './derive.ts';
import { readOutput } from './output-folder.ts';

// Two contracts that have nothing in common with locks. What is derived from them is committed beside them and type-checked
// with everything else, so that a construct the service does not use is still known to compile.
describe.each(['museum', 'payments'])('%s', (name) => {
  const folder = fileURLToPath(new URL(`fixtures/${name}/`, import.meta.url));

  test('derives to the committed bytes', async () => {
    const derived = await derive(await readContract(`${folder}contract.yaml`), `${folder}generated`);
    expect([...derived]).toEqual([...(await readOutput(`${folder}generated`))]);
  });

  test('every derived file says from what, from which contract and by which tools', async () => {
    const contract = await readContract(`${folder}contract.yaml`);
    for (const text of (await derive(contract, `${folder}generated`)).values()) {
      expect(text).toContain('../contract.yaml');
      expect(text).toContain(`sha256:${contract.hash}`);
      expect(text).toMatch(/openapi-typescript\W+7\.\d+\.\d+/);
      expect(text).not.toContain(folder);
    }
  });
});

test('an enum under x-open-enum takes other strings and completes the known ones', async () => {
  const derived = await deriveSource(`
    State: {type: string, enum: [on, off], x-open-enum: true}
    Closed: {type: string, enum: [a, b]}`);
  expect(derived.get('types.gen.ts')).toContain('State: "on" | "off" | (string & {});'.replaceAll('"', "'"));
  expect(derived.get('types.gen.ts')).toMatch(/Closed: "a" \| "b"/);
});

async function deriveSource(schemas: string) {
  const folder = await mkdtemp(join(tmpdir(), 'derive-'));
  const file = join(folder, 'contract.yaml');
  await writeFile(
    file,
    `openapi: 3.1.1\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents:\n  schemas:${schemas}\n`,
  );
  const derived = await derive(await readContract(file), join(folder, 'out'));
  await rm(folder, { recursive: true });
  return derived;
}

test('the fixtures are not about locks', async () => {
  for (const name of ['museum', 'payments']) {
    expect(await readFile(new URL(`fixtures/${name}/contract.yaml`, import.meta.url), 'utf8')).not.toMatch(
      /device|bridge|algopin/i,
    );
  }
});
