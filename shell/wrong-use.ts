/** A command that fixes a fault, as words. The command line spells it, as that depends on how this process was started. */
export interface Fix {
  /** Its effect, without a colon: `Create one`. */
  readonly message: string;
  /** Its words, unquoted. `lockstep-server` means that program, however it is started; capitals are for the operator's values. */
  readonly command: readonly string[];
  /** Absolute path of its database. When omitted, `DATABASE_URL` applies. */
  readonly database?: string;
}

/**
 * A fault that the user can fix: a wrong option, an unreadable file, a port in use. The message is shown without a stack; any other error is
 * a bug. Exit code 2.
 */
export class WrongUse extends Error {
  override readonly name: string = 'WrongUse';
  /** Commands to run, in order of preference. */
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
