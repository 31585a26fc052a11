import type { Operation } from '@lockstep/contract/operations';

const defaultLimitBytes = 65_536;

/** Most bytes that the body of an operation may have: its own `x-body-limit`, else 64 KiB. */
export function bodyLimitBytes({ extensions: { 'x-body-limit': own } }: Pick<Operation, 'extensions'>): number {
  return typeof own === 'number' ? own : defaultLimitBytes;
}
