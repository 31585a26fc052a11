/** A command that helps, in words: how it is typed depends on how this process was started, which the rim knows. */
export interface Cure {
  /** What it does, without a colon: `Make one`. */
  readonly says: string;
  /** Its words, unquoted. `lockstep-server` stands for that program, whatever it is called there; capitals for what the operator knows. */
  readonly command: readonly string[];
  /** Absolute path of the database it is about. Left out: that of the environment. */
  readonly database?: string;
}

/**
 * What whoever gave the command can mend: a wrong option, a file that can't be read, a port in use. Its message is shown without a stack;
 * anything else that is thrown is a bug. Exit code 2.
 */
export class WrongUse extends Error {
  override readonly name: string = 'WrongUse';
  /** In the order in which they are to be tried. */
  readonly cures: readonly Cure[];

  constructor(message: string, { cures = [], ...options }: ErrorOptions & { readonly cures?: readonly Cure[] } = {}) {
    super(message, options);
    this.cures = cures;
  }

  /** What `--json` tells of it. */
  get json(): object {
    return { error: this.message };
  }
}
