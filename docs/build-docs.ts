// The folder that a server answers /docs from: the reference, the contract as YAML and as JSON, and a manifest of the three.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type DocsManifest,
  docsFiles,
  docsFormat,
  hashDocs,
  manifestFile,
  readDocs,
} from '@lockstep/server/docs/serve-docs';
import { type Document, parseDocument } from 'yaml';
import { buildReference, hashInputs, type ReferenceOptions } from './build-reference.ts';
import { readContractFiles } from './reference/contract-files.ts';
import { fillServers, findOrigin } from './reference/fill-servers.ts';
import { runRedocly } from './reference/run-redocly.ts';

export interface BuiltDocs {
  readonly folder: string;
  /** `false` when it was there already, whole and made from the same inputs. */
  readonly built: boolean;
}

/**
 * Builds a folder of docs, unless it is there and made from the same inputs. Other files in it stay.
 *
 * @param out the folder; made where there is none. What it had stays as it is when anything fails
 * @throws Error as `buildReference` does, and when the contract isn't YAML
 */
export async function buildDocs({ contract, out, onProgress, signal }: ReferenceOptions): Promise<BuiltDocs> {
  const inputs = `sha256:${createHash('sha256')
    .update(await hashInputs(contract))
    .update(await readFile(import.meta.filename))
    .digest('hex')}`;
  if (await isFresh(out, inputs)) return { folder: out, built: false };
  onProgress?.(`Building the reference from ${contract}`);
  // Within it, so that the renames at the end stay within one file system.
  const draft = join(out, `.draft-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  try {
    await buildReference({ contract, out: join(draft, docsFiles.page), ...(signal && { signal }) });
    const { document, hash } = await readWhole(contract, draft, signal);
    fillServers(document);
    await writeFile(join(draft, docsFiles.yaml), document.toString({ flowCollectionPadding: false, lineWidth: 0 }));
    await writeFile(join(draft, docsFiles.json), `${JSON.stringify(toJson(document), null, 2)}\n`);
    const names = Object.values(docsFiles);
    const hashes = await Promise.all(names.map(async (name) => [name, hashDocs(await readFile(join(draft, name)))]));
    const manifest: DocsManifest = {
      format: docsFormat,
      inputs,
      contract: hash,
      origin: findOrigin(document),
      files: Object.fromEntries(hashes),
    };
    await writeFile(join(draft, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
    // One after the other: in between, the hashes tell that the folder isn't whole.
    for (const name of [...names, manifestFile]) await rename(join(draft, name), join(out, name));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return { folder: out, built: true };
}

async function isFresh(folder: string, inputs: string): Promise<boolean> {
  try {
    await readDocs(folder);
    const manifest: DocsManifest = JSON.parse(await readFile(join(folder, manifestFile), 'utf8'));
    return manifest.inputs === inputs;
  } catch {
    return false;
  }
}

/** The contract in one file: as it is written, comments and all, or bundled where it is spread over several. */
async function readWhole(
  contract: string,
  draft: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly document: Document; readonly hash: string }> {
  const isSpread = (await readContractFiles(contract)).length > 1;
  const file = isSpread ? join(draft, 'bundled.yaml') : contract;
  if (isSpread) await runRedocly(['bundle', contract, '--output', file], signal);
  const document = parseDocument(await readFile(file, 'utf8'), { merge: true });
  if (document.errors.length > 0) throw new Error(`${contract} is no YAML:\n${document.errors.join('\n')}`);
  // As the toolkit tells one contract from another.
  return { document, hash: hashDocs(JSON.stringify(toJson(document))) };
}

/** Anchors may be used as often as an author likes: the contract is no stranger's. */
function toJson(document: Document): unknown {
  return document.toJS({ maxAliasCount: -1 });
}
