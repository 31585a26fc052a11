/** What a command hands back; printing and exiting is the rim's. Exit code 0 fine, 1 found failures, 2 wrong usage or broken input. */
export interface CommandResult {
  readonly exitCode: 0 | 1 | 2;
  readonly text: string;
  /** The same for machines, printed by `--json` as one value. */
  readonly json: unknown;
}

/** Which contract, and where its derivation lies. */
export interface Target {
  readonly contract: string;
  readonly out: string;
}

export const defaults: Target = { contract: 'openapi/service.yaml', out: 'generated' };
