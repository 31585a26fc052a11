import { basename, relative, resolve, sep } from 'node:path';
import { escapeControls } from '@lockstep/json/escape-controls';
import type { Contract } from './contract/read-contract.ts';
import { isWebAddress } from './contract/read-text.ts';
import { emitBundle, emitPublished } from './emit/bundle.ts';
import { emitHandlers } from './emit/handlers.ts';
import { createHeader, type Header } from './emit/header.ts';
import { emitOperations } from './emit/operations.ts';
import { emitTypes } from './emit/types.ts';

/** Everything derived from a contract: file name to content, in the order of the names. */
export type Derived = ReadonlyMap<string, string>;

/** The emitter of each file, a pure function of the contract. `derive` adds `types.gen.ts`. */
const emitters: Readonly<Record<string, (contract: Contract, header: Header) => string>> = {
  'contract.gen.json': emitBundle,
  'handlers.gen.ts': emitHandlers,
  'operations.gen.ts': emitOperations,
  'published.gen.json': emitPublished,
};

/** Derives in memory: same contract, same tools, same bytes. @param out folder for the files; nothing is written */
export async function derive(contract: Contract, out: string): Promise<Derived> {
  const { file } = contract;
  const from = isWebAddress(file) ? file : relative(resolve(out), resolve(file)).split(sep).join('/');
  const header = createHeader(contract, from);
  // The types are derived first and alone: they need the most memory, and other texts would add to it.
  const types = await emitTypes(contract, header);
  const files = Object.entries(emitters).map(([name, emit]) => [name, emit(contract, header)] as const);
  const texts = [...files, ['types.gen.ts', types] as const].sort(([a], [b]) => (a < b ? -1 : 1));
  // Comments and names come from the contract, and are shown in terminals, diffs and reviews.
  return new Map(texts.map(([name, text]) => [name, escapeControls(text, '\n\t')]));
}

/** Derives `types.gen.ts` alone, for readers elsewhere: it names the contract without a folder. */
export async function deriveTypes(contract: Contract): Promise<string> {
  const { file } = contract;
  const types = await emitTypes(contract, createHeader(contract, isWebAddress(file) ? file : basename(file)));
  return escapeControls(types, '\n\t');
}
