// The folder that a server answers /docs from: the reference, the contract as YAML and as JSON, its types, and a manifest of them.
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
  typesFile,
} from '@lockstep/runtime/docs/serve-docs';
import { makeFolder } from '@lockstep/toolkit/output-folder';
import { Document, isMap, parseDocument } from 'yaml';
import { buildReference, type DocsNotice, hashInputs, type ReferenceOptions } from './build-reference.ts';
import { fillServers, findOrigin } from './reference/fill-servers.ts';
import { maxAliasCount, readWhole, type WholeContract } from './reference/whole-contract.ts';

/** Sources and output folder of this repository's docs: paths from its root. */
export const ownDocs = {
  contract: 'generated/published.gen.json',
  types: 'generated/types.gen.ts',
  pages: ['docs/login.md', 'docs/sandbox.md', 'docs/generated-clients.md', 'docs/status.md', 'docs/api-changelog.md'],
  out: 'docs/dist',
} as const;

interface DocsOptions extends ReferenceOptions {
  /** The contract's types in TypeScript, which the samples import: the text of `types.gen.ts`. */
  readonly types?: string;
}

export interface BuiltDocs {
  readonly folder: string;
  /** `false` if the folder was complete and built from the same inputs. */
  readonly built: boolean;
  readonly notices: readonly DocsNotice[];
}

/**
 * Builds a folder of docs, unless it was built from the same inputs. Other files in it stay.
 *
 * @param contract OpenAPI 3.0 or 3.1, YAML or JSON, as its author wrote it. The page and the two files next to it keep its version, since its
 *   readers know the terms of that version.
 * @param out the folder; created if it is missing. A failure leaves its files unchanged
 * @throws Error as `buildReference` does, and if the contract isn't YAML; OutputError if the folder can't be created
 */
export async function buildDocs({
  contract,
  pages = [],
  types,
  out,
  onProgress,
  signal,
  allowFiles = [],
}: DocsOptions): Promise<BuiltDocs> {
  const inputs = `sha256:${createHash('sha256')
    .update(await hashInputs(contract, { pages, allowFiles }))
    .update(await readFile(import.meta.filename))
    .update(types ?? '')
    .digest('hex')}`;
  if (await isFresh(out, inputs)) return { folder: out, built: false, notices: [] };
  onProgress?.(`Building the reference from ${contract}`);
  // The draft is inside the folder, so that the final renames stay within one file system.
  const draft = join(out, `.draft-${randomUUID()}`);
  await makeFolder(out);
  await mkdir(draft);
  try {
    const whole = await readWhole(contract, draft, { allowFiles, ...(signal && { signal }) });
    const { notices } = await buildReference({
      ...{ contract, pages, out: join(draft, docsFiles.page), value: structuredClone(whole.value), allowFiles },
      ...(signal && { signal }),
    });
    const { document, hash } = toDocument(whole);
    fillServers(document);
    await writeFile(join(draft, docsFiles.yaml), document.toString({ flowCollectionPadding: false, lineWidth: 0 }));
    const json = JSON.stringify(document.toJS({ maxAliasCount }), null, 2);
    await writeFile(join(draft, docsFiles.json), `${json}\n`);
    if (types !== undefined) await writeFile(join(draft, typesFile), types);
    const names = [...Object.values(docsFiles), ...(types === undefined ? [] : [typesFile])];
    const hashes = await Promise.all(names.map(async (name) => [name, hashDocs(await readFile(join(draft, name)))]));
    const manifest: DocsManifest = {
      format: docsFormat,
      inputs,
      contract: hash,
      origin: findOrigin(document),
      files: Object.fromEntries(hashes),
    };
    await writeFile(join(draft, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
    // Files are renamed one after the other. Until the last one, the hashes show that the folder isn't complete.
    for (const name of [...names, manifestFile]) await rename(join(draft, name), join(out, name));
    return { folder: out, built: true, notices };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
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

/** The contract for readers: YAML with its comments, JSON rewritten as YAML. */
function toDocument({ text, isJson, value }: WholeContract): { readonly document: Document; readonly hash: string } {
  // Most parsers still implement YAML 1.1, and read an unquoted `no` as a boolean and an unquoted date as a date.
  const compat = { compat: 'yaml-1.1', aliasDuplicateObjects: false } as const;
  const parsed = isJson ? undefined : parseDocument(text, { merge: true });
  const isFlow = parsed === undefined || (isMap(parsed.contents) && parsed.contents.flow === true);
  const document = isFlow ? new Document(value, compat) : parsed;
  // A derived contract contains the hash of its source. Otherwise the hash is computed as the toolkit does.
  const derivedFrom = document.getIn(['x-generated', 'contract']);
  const hash = typeof derivedFrom === 'string' ? derivedFrom : hashDocs(JSON.stringify(value));
  document.delete('x-generated');
  return { document, hash };
}
