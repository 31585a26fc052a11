import { createTwoFilesPatch } from 'diff';
import type { Contract } from './contract/read-contract.ts';
import type { Derived } from './derive.ts';
import { type ContractChange, findContractChanges } from './find-contract-changes.ts';
import { readOutput } from './output-folder.ts';

/** A derived file that differs from the contract. */
export interface Drift {
  readonly file: string;
  readonly kind: 'changed' | 'missing' | 'unexpected';
  /** Unified diff from the file to the derived text; empty unless changed. */
  readonly diff: string;
}

export interface CheckResult {
  readonly drifts: readonly Drift[];
  /** Places of the contract that caused the drift. Empty if the contract did not change. */
  readonly changes: readonly ContractChange[];
}

/** Compares bytes and the set of files in `folder` with the derived files. Writes nothing. */
export async function check(contract: Contract, derived: Derived, folder: string): Promise<CheckResult> {
  const present = await readOutput(folder);
  const names = [...new Set([...derived.keys(), ...present.keys()])].sort();
  const drifts = names.flatMap((name): Drift[] => {
    const want = derived.get(name);
    const have = present.get(name);
    const file = `${folder}/${name}`;
    if (want === undefined) return [{ file, kind: 'unexpected', diff: '' }];
    if (have === undefined) return [{ file, kind: 'missing', diff: '' }];
    if (have.equals(Buffer.from(want))) return [];
    return [{ file, kind: 'changed', diff: formatDiff(file, have.toString('utf8'), want) }];
  });
  const changes =
    drifts.length === 0 ? [] : findContractChanges(contract, present.get('contract.gen.json')?.toString('utf8'));
  return { drifts, changes };
}

function formatDiff(file: string, have: string, want: string): string {
  return createTwoFilesPatch(file, file, have, want, 'the file', 'derived from the contract', { context: 1 })
    .split('\n')
    .filter((line) => !/^(=+|Index: .*)$/.test(line) && !line.startsWith('\\ No newline'))
    .join('\n')
    .trim();
}
