import { createTwoFilesPatch } from 'diff';
import type { Contract } from './contract/read-contract.ts';
import type { Derived } from './derive.ts';
import { type ContractChange, findContractChanges } from './find-contract-changes.ts';
import { readOutput } from './output-folder.ts';

/** One derived file that is not what the contract says. */
export interface Drift {
  readonly file: string;
  readonly kind: 'changed' | 'missing' | 'unexpected';
  /** Unified diff from what is there to what is derived; empty unless changed. */
  readonly diff: string;
}

export interface CheckResult {
  readonly drifts: readonly Drift[];
  /** Lines of the contract behind the drift. Empty when it isn't the contract that moved. */
  readonly changes: readonly ContractChange[];
}

/** Compares bytes and the set of files in `folder` with what was derived. Writes nothing. */
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
  return createTwoFilesPatch(file, file, have, want, 'as it is', 'as the contract says', { context: 1 })
    .split('\n')
    .filter((line) => !/^(=+|Index: .*)$/.test(line) && !line.startsWith('\\ No newline'))
    .join('\n')
    .trim();
}
