import type { Streams } from '@lockstep/shell/command-result';
import type { ContractOptions } from '@lockstep/toolkit/contract/file-rule';
import type { Logger } from 'pino';

/** A contract, and the files that it may refer to. */
export interface ContractTarget extends ContractOptions {
  /** File or http address. */
  readonly contract: string;
}

/** Which contract, and where its derivation lies. */
export interface Target extends ContractTarget {
  readonly out: string;
}

export const defaults: Target = { contract: 'openapi/service.yaml', out: 'generated' };

/** Given to a command that runs until it is stopped. */
export interface Surroundings {
  readonly logger: Logger;
  readonly streams: Streams;
  /** Gives the start up. */
  readonly stopping: AbortSignal;
}
