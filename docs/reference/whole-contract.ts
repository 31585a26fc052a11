// A contract may consist of several files. The page contains all of them, so all are inputs.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readContractFiles } from '@lockstep/toolkit/contract/contract-files';
import type { ContractOptions } from '@lockstep/toolkit/contract/file-rule';
import { parseDocument } from 'yaml';
import { runRedocly } from './run-redocly.ts';

/** A contract in one file. */
export interface WholeContract {
  /** The text of the author, with comments; bundled if the contract consists of several files. */
  readonly text: string;
  /** Whether the text is JSON, not only YAML. */
  readonly isJson: boolean;
  /** The parsed document, not shared with other callers. */
  readonly value: unknown;
}

/**
 * Reads a contract as one document.
 *
 * @param draft a folder for intermediate files
 * @throws Error when it isn't YAML, as `readContractFiles` does, and when Redocly can't bundle it
 */
export async function readWhole(
  contract: string,
  draft: string,
  { signal, ...options }: ContractOptions & { readonly signal?: AbortSignal } = {},
): Promise<WholeContract> {
  const files = await readContractFiles(contract, options);
  const bundled = join(draft, 'bundled.yaml');
  if (files.length > 1) {
    // Otherwise Redocly would use the configuration of its working directory.
    const config = join(draft, 'bundle.yaml');
    await writeFile(config, '{"telemetry": "off"}');
    await runRedocly(['bundle', contract, '--config', config, '--output', bundled], { signal });
  }
  const text = await readFile(files.length > 1 ? bundled : contract, 'utf8');
  try {
    return { text, isJson: true, value: JSON.parse(text) };
  } catch {
    const document = parseDocument(text, { merge: true });
    if (document.errors.length > 0) throw new Error(`${contract} is no YAML:\n${document.errors.join('\n')}`);
    return { text, isJson: false, value: document.toJS({ maxAliasCount }) };
  }
}

/** More aliases than any author needs. Nested ones count too, so that a few lines can't become gigabytes. */
export const maxAliasCount = 100_000;
