/** A command that helps, in words: how it is typed depends on how this process was started, which the rim knows. */
export interface Cure {
  /** What it does, without a colon: `Make one`. */
  readonly says: string;
  /** Its words, unquoted. `lockstep-server` stands for this server, whatever it is called there; capitals for what the operator knows. */
  readonly command: readonly string[];
  /** Absolute path of the database it is about. Left out: that of the environment. */
  readonly database?: string;
}

/** What an operator can mend. The message is a sentence without a stack; anything else that is thrown is a bug. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
  /** In the order in which they are to be tried. */
  readonly cures: readonly Cure[];

  constructor(message: string, { cures = [], ...options }: ErrorOptions & { readonly cures?: readonly Cure[] } = {}) {
    super(message, options);
    this.cures = cures;
  }
}
