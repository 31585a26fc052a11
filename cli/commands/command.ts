import type { Streams } from '@lockstep/shell/command-result';
import type { ContractOptions } from '@lockstep/toolkit/contract/file-rule';
import type { Logger } from 'pino';

/** A contract, and the files that it may refer to. */
export interface ContractTarget extends ContractOptions {
  /** File or http address. */
  readonly contract: string;
  /** Whether a fault refuses the contract. By default it costs the place that it is at. */
  readonly strict?: true | undefined;
}

/** A contract, and the folder of its derived files. */
export interface Target extends ContractTarget {
  readonly out: string;
}

export const defaults: Target = { contract: 'openapi/service.yaml', out: 'generated' };

/** Context of a command that runs until it is stopped. */
export interface Surroundings {
  readonly logger: Logger;
  readonly streams: Streams;
  /** Aborts the start. */
  readonly stopping: AbortSignal;
}
