import { type BuiltDocs, buildDocs } from '@lockstep/docs/build-docs';
import { createDocsHandler, readDocs, serveDocsAlone } from '@lockstep/runtime/docs/serve-docs';
import { explainListen } from '@lockstep/runtime/explain-listen';
import type { Running } from '@lockstep/runtime/run-until-stopped';
import { type RunningListener, startListening } from '@lockstep/runtime/start-listening';
import { type CommandResult, done, type Streams } from '@lockstep/shell/command-result';
import { formatJson, formatNotice } from '@lockstep/shell/printable';
import { createProgress } from '@lockstep/shell/progress';
import { WrongUse } from '@lockstep/shell/wrong-use';
import { hideNetworkExamples, withCopy, withLocalCopy } from '@lockstep/toolkit/contract/local-copy';
import { readContract } from '@lockstep/toolkit/contract/read-contract';
import { deriveTypes } from '@lockstep/toolkit/derive';
import type { ContractTarget, Surroundings } from './command.ts';

interface DocsOptions extends ContractTarget {
  readonly out: string;
  readonly port: number;
  readonly json?: true;
}

/** Only loopback: on a network, the server of the API serves the reference. */
const host = '127.0.0.1';

/** `lockstep docs`: the reference of a contract as a folder, served. */
export async function docs(options: DocsOptions, { stopping, streams }: Surroundings): Promise<Running> {
  const { folder, built, notices } = await build(options, stopping, streams);
  const running = await serveFolder(folder, options.port, stopping);
  const url = `${running.origin}/docs`;
  if (options.json !== true) for (const notice of notices) streams.error.write(`${formatNotice(notice)}\n`);
  const line = options.json ? formatJson({ folder, built, url, notices }) : `Reference: ${url} (Ctrl-C stops)`;
  streams.out.write(`${line}\n`);
  return running;
}

/** `lockstep docs --build-only`. */
export async function buildOnly(options: DocsOptions, streams: Streams): Promise<CommandResult> {
  const { folder, built, notices } = await build(options, new AbortController().signal, streams);
  const text = `Reference: ${folder}${built ? '' : ' (unchanged)'}`;
  return { ...done(text, { folder, built }), notices };
}

async function build(
  { contract: source, out, allowFiles = [], strict }: DocsOptions,
  signal: AbortSignal,
  { error: stream }: Streams,
): Promise<BuiltDocs> {
  const progress = createProgress(stream);
  try {
    progress.step(`Reading ${source}`);
    // Refuses an unreadable contract as all commands do, before other code uses a fetched contract.
    const contract = await readContract(source, { allowFiles, strict });
    const types = await deriveTypes(contract);
    // The page shows the contract without its faults: its generator would stop at the first.
    const isCopied = contract.isAltered || hideNetworkExamples(contract.text) !== contract.text;
    const text = isCopied ? hideNetworkExamples(JSON.stringify(contract.plain)) : contract.text;
    const use = isCopied ? withCopy : withLocalCopy;
    return await use(source, text, async ({ path, rename }) => {
      const onProgress = (): void => progress.step(`Building the reference from ${source}`);
      const built = await buildDocs({ contract: path, pages: [], types, out, onProgress, signal, allowFiles });
      const notices = built.notices.map((notice) => ({ ...notice, file: rename(notice.file) }));
      return { ...built, notices: [...contract.notices, ...notices] };
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof WrongUse) throw error;
    throw new WrongUse(error instanceof Error ? error.message : String(error));
  } finally {
    progress.end();
  }
}

async function serveFolder(folder: string, port: number, stopping: AbortSignal): Promise<RunningListener> {
  const handle = await createDocsHandler(await readDocs(folder));
  try {
    return await startListening({ port, host, stopping }, () => serveDocsAlone(handle));
  } catch (error) {
    const reason = explainListen(error, { host, port });
    throw reason === undefined ? error : new WrongUse(reason);
  }
}
