/** A command that fixes a fault, as words: its spelling depends on how this process was started, which the command line knows. */
export interface Fix {
  /** Its effect, without a colon: `Create one`. */
  readonly message: string;
  /** Its words, unquoted. `lockstep-server` means that program, however it is started; capitals are for the operator's values. */
  readonly command: readonly string[];
  /** Absolute path of its database; that of the environment when omitted. */
  readonly database?: string;
}

/**
 * A fault that the user can fix: a wrong option, an unreadable file, a port in use. The message is shown without a stack; any other error is
 * a bug. Exit code 2.
 */
export class WrongUse extends Error {
  override readonly name: string = 'WrongUse';
  /** In the order in which to try them. */
  readonly fixes: readonly Fix[];

  constructor(message: string, { fixes = [], ...options }: ErrorOptions & { readonly fixes?: readonly Fix[] } = {}) {
    super(message, options);
    this.fixes = fixes;
  }

  /** The output of `--json`. */
  get json(): object {
    return { error: this.message };
  }
}
