import { readContract } from '@lockstep/toolkit/contract/read-contract';
import { derive } from '@lockstep/toolkit/derive';
import { writeOutput } from '@lockstep/toolkit/output-folder';
import type { CommandResult, Target } from './command.ts';

/** `lockstep generate`: everything is derived before the first byte is written. */
export async function generate({ contract: file, out }: Target): Promise<CommandResult> {
  const contract = await readContract(file);
  const result = await writeOutput(out, await derive(contract, out));
  const lines = [
    ...result.written.map((name) => `wrote     ${out}/${name}`),
    ...result.removed.map((name) => `removed   ${out}/${name}`),
    ...result.unchanged.map((name) => `unchanged ${out}/${name}`),
  ];
  return {
    exitCode: 0,
    text: lines.join('\n'),
    json: { contract: `sha256:${contract.hash}`, ...result },
    notices: contract.notices,
  };
}
