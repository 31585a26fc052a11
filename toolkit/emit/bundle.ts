import type { Contract } from '../contract/read-contract.ts';
import type { Header } from './header.ts';

/** `contract.gen.json`: the bundled contract in the order of its source, the header as root member `x-generated`. */
export function emitBundle({ document }: Contract, header: Header): string {
  const { openapi, ...rest } = document;
  return `${JSON.stringify({ openapi, 'x-generated': header, ...rest }, null, 2)}\n`;
}
