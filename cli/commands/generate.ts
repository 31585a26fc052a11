import { access, constants, realpath } from 'node:fs/promises';
import { type CommandResult, done } from '@lockstep/shell/command-result';
import { oneLine } from '@lockstep/shell/printable';
import { readSource } from '@lockstep/toolkit/contract/contract-files';
import { readContract } from '@lockstep/toolkit/contract/read-contract';
import { isWebAddress } from '@lockstep/toolkit/contract/read-text';
import { derive } from '@lockstep/toolkit/derive';
import { type Completed, completeResponses } from '@lockstep/toolkit/lint/complete-responses';
import { isWarning, type LintProfile, lintContract } from '@lockstep/toolkit/lint/lint-contract';
import type { RunLinter } from '@lockstep/toolkit/lint/run-redocly';
import { OutputError, writeOutput } from '@lockstep/toolkit/output-folder';
import { replaceFile } from '@lockstep/toolkit/replace-file';
import type { Target } from './command.ts';
import { formatFindings } from './lint.ts';
import { refuse } from './refuse.ts';

interface Options extends Target {
  readonly profile?: LintProfile;
}

/**
 * `lockstep generate`: derives everything before it writes the first byte. With a profile, it adds missing default responses to the contract, and
 * derives nothing from a contract with lint errors.
 */
export async function generate(options: Options, linter?: RunLinter): Promise<CommandResult> {
  if (options.profile === undefined) return deriveInto(options);
  const completed = await complete(options.contract);
  // The contract may have changed by now. The output reports the change even if the rest fails.
  const result = await deriveInto(options, linter).catch(refuse);
  const lines = completed.map(
    ({ path, method, statuses }) =>
      `completed ${options.contract}: ${method} ${oneLine(path)} by ${statuses.join(', ')}`,
  );
  return { ...result, text: [...lines, result.text].join('\n'), json: { completed, ...result.json } };
}

async function deriveInto(
  { contract: file, out, profile, ...options }: Options,
  linter?: RunLinter,
): Promise<CommandResult> {
  // The linter is a separate process and runs during the derivation. `readContract` reports a contract that can't be read.
  const linting = profile && lintContract(file, profile, { ...options, run: linter });
  linting?.catch(() => undefined);
  const contract = await readContract(file, options);
  const derived = await derive(contract, out);
  const problems = await linting;

  const findings = problems?.length ? [formatFindings(problems, profile ?? 'valid')] : [];
  const { notices } = contract;
  if (problems?.every(isWarning) === false)
    return {
      kind: 'failed',
      text: [...findings, `${out} was not changed: fix the contract first.`].join('\n'),
      json: { problems },
      notices,
    };
  const result = await writeOutput(out, derived);
  const lines = [
    ...findings,
    ...result.written.map((name) => `wrote     ${out}/${name}`),
    ...result.removed.map((name) => `removed   ${out}/${name}`),
    ...result.unchanged.map((name) => `unchanged ${out}/${name}`),
  ];
  const json = { contract: `sha256:${contract.hash}`, ...(problems && { problems }), ...result };
  return { ...done(lines.join('\n'), json), notices };
}

/** Adds the missing default responses to the contract file itself, so that every tool reads all of them. A web address stays as it is. */
async function complete(file: string): Promise<readonly Completed[]> {
  if (isWebAddress(file)) return [];
  const given = await readSource(file);
  const { text, completed } = completeResponses(given);
  if (text === given) return [];
  try {
    // A rename would replace a link, or a read-only file.
    const path = await realpath(file);
    await access(path, constants.W_OK);
    await replaceFile(path, text);
  } catch (cause) {
    throw new OutputError(`${file} lacks default responses, but can't be written: ${(cause as Error).message}`);
  }
  return completed;
}
