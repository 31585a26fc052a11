import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContractError } from '@lockstep/toolkit/contract/contract-error';
import { isWebAddress, readText } from '@lockstep/toolkit/contract/read-text';

/**
 * Gives a contract that lies at an address as a file to those who read files alone, as the docs do, and takes it away again.
 *
 * @param source path or address; a path is handed on as it is
 * @throws ContractError where nothing can be had from there; what `work` throws
 */
export async function withLocalContract<Result>(
  source: string,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  if (!isWebAddress(source)) return work(source);
  const reading = await readText(source);
  if (reading.kind === 'fault') {
    const { says, cure } = reading;
    throw new ContractError([{ file: source, line: 1, column: 1, pointer: '#', rule: 'readable', says, cure }]);
  }
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-contract-'));
  try {
    const file = join(folder, /^\s*\{/.test(reading.text) ? 'contract.json' : 'contract.yaml');
    await writeFile(file, reading.text);
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
