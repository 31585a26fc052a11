import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Contract } from '../contract/contract.ts';
import { counted, messageOf, printable } from '../contract/printable.ts';
import { serversOf } from '../contract/servers.ts';
import { checkRecording } from '../recorded/check-recording.ts';
import { createMatcher } from '../recorded/match-operation.ts';
import { HarError, type Recorded, readHar } from '../recorded/read-har.ts';
import { harFile } from '../reports/reports.ts';
import { finishRun, prepareRun, usageError } from './commands.ts';
import type { RawOptions } from './options.ts';
import { openOutputs } from './outputs.ts';
import type { RunSignals, Streams } from './watch-run.ts';

/** Judges recorded traffic by the contract; sends nothing. @returns the exit code, as of a run */
export async function checkCommand(
  file: string,
  raw: RawOptions,
  streams: Streams,
  signals: RunSignals,
): Promise<number> {
  const refuse = (message: string): number => {
    streams.error.write(`${printable(message)}\n`);
    return usageError;
  };
  const first = await prepareRun(raw, streams, undefined);
  if (typeof first === 'number') return first;
  const { report, out } = first.values;
  if (report.includes('har') && resolve(out, harFile) === resolve(file))
    return refuse('--report har would replace the recording: name another folder with --out.');
  let recorded: readonly Recorded[];
  try {
    recorded = readHar(file, await readFile(file, 'utf8'));
  } catch (error) {
    return refuse(error instanceof HarError ? error.message : `${file} cannot be read: ${messageOf(error)}.`);
  }
  const found =
    first.values.baseUrl === undefined ? findBase(first.contract, recorded) : { baseUrl: first.values.baseUrl };
  if (typeof found === 'string') return refuse(found);
  const prepared = await prepareRun(raw, streams, undefined, found);
  if (typeof prepared === 'number') return prepared;
  const { contract, run, values } = prepared;
  const match = createMatcher(contract.operations, run);
  if (!recorded.some((one) => match(one) !== undefined))
    return refuse(
      `${file} has no request of the contract at ${run.baseUrl}. It has requests at ${originsOf(recorded)}: give the address of the API with --base-url.`,
    );
  const outputs = await openOutputs(values, streams.out);
  if (typeof outputs === 'string') return refuse(outputs);
  streams.error.write(
    `${printable(contract.title)} at ${run.baseUrl}: ${counted(recorded.length, 'recorded exchange')} of ${printable(file)}; nothing is sent\n`,
  );
  outputs.start(contract, run);
  const signal = AbortSignal.any([signals.interrupted, signals.failed]);
  const result = await checkRecording(contract, run, recorded, outputs.events, signal);
  return finishRun(result, outputs, prepared, streams, signals);
}

/** The origins of a recording with the numbers of their requests. */
function originsOf(recorded: readonly Recorded[]): string {
  const byOrigin = Map.groupBy(recorded, ({ url }) => URL.parse(url)?.origin ?? url);
  return [...byOrigin].map(([origin, own]) => `${origin} (${own.length})`).join(', ') || 'no address';
}

/**
 * The address of the API: a server of the contract; if the recording has none of its requests, the path of one at a host of the recording.
 *
 * @returns a message if several or none have requests of the contract
 */
function findBase(contract: Contract, recorded: readonly Recorded[]): { readonly baseUrl: string } | string {
  const origins = [...new Set(recorded.flatMap(({ url }) => URL.parse(url)?.origin ?? []))];
  const written = serversOf({ ...contract, operations: [] });
  const paths = (written.length === 0 ? [''] : written).map((server) => server.replace(/^([a-z]+:)?\/\/[^/]*/i, ''));
  const elsewhere = origins.flatMap((origin) => paths.map((path) => `${origin}${path}`));
  const count = (bases: readonly string[]) =>
    [...new Set(bases)].flatMap((baseUrl) => {
      const match = createMatcher(contract.operations, { baseUrl, authUrl: undefined });
      const { length } = recorded.filter((one) => match(one)?.operation.target === 'api');
      return length === 0 ? [] : [{ baseUrl, text: `${baseUrl} (${length})` }];
    });
  const own = count(written.filter((server) => /^https?:/i.test(server)));
  const [only, ...others] = own.length > 0 ? own : count(elsewhere);
  if (only !== undefined && others.length === 0) return { baseUrl: only.baseUrl };
  if (only === undefined)
    return `The recording has no request of the contract. It has requests at ${originsOf(recorded)}: give the address of the API with --base-url.`;
  const listed = [only, ...others].map(({ text }) => text).join(', ');
  return `The recording has requests of the contract at several addresses: choose one with --base-url. There are: ${listed}.`;
}
