// A contract may be spread over several files. All of them are in the page, so all of them count when it is asked if it is fresh.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readContractFiles } from '@lockstep/toolkit/contract/contract-files';
import type { ContractOptions } from '@lockstep/toolkit/contract/file-rule';
import { parseDocument } from 'yaml';
import { runRedocly } from './run-redocly.ts';

/** A contract in one file. */
export interface WholeContract {
  /** As it is written, comments and all; bundled where it is spread over several files. */
  readonly text: string;
  /** Whether it is JSON, and no YAML beyond that. */
  readonly isJson: boolean;
  /** The parsed document, a value that nobody else has. */
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
    // Else Redocly would take the configuration of the folder that it is started in.
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

/** As often as any author does; each use of one within another counts for itself, so that a few lines can't become gigabytes. */
export const maxAliasCount = 100_000;
