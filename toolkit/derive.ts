import { relative, resolve, sep } from 'node:path';
import type { Contract } from './contract/read-contract.ts';
import { isWebAddress } from './contract/read-text.ts';
import { emitBundle, emitPublished } from './emit/bundle.ts';
import { emitHandlers } from './emit/handlers.ts';
import { createHeader, type Header } from './emit/header.ts';
import { emitOperations } from './emit/operations.ts';
import { emitTypes } from './emit/types.ts';

/** Everything derived from a contract: file name to content, in the order of the names. */
export type Derived = ReadonlyMap<string, string>;

/** One generated file each, a pure function of the contract. */
const emitters: Readonly<Record<string, (contract: Contract, header: Header) => string | Promise<string>>> = {
  'contract.gen.json': emitBundle,
  'handlers.gen.ts': emitHandlers,
  'operations.gen.ts': emitOperations,
  'published.gen.json': emitPublished,
  'types.gen.ts': emitTypes,
};

/** Derives in memory: same contract, same tools, same bytes. @param out the folder the files are meant for; nothing is written. */
export async function derive(contract: Contract, out: string): Promise<Derived> {
  const { file } = contract;
  const from = isWebAddress(file) ? file : relative(resolve(out), resolve(file)).split(sep).join('/');
  const header = createHeader(contract, from);
  const files = Object.entries(emitters).map(async ([name, emit]) => [name, await emit(contract, header)] as const);
  return new Map(await Promise.all(files));
}
