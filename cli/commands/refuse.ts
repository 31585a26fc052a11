import { type CommandResult, refused } from '@lockstep/shell/command-result';
import { WrongUse } from '@lockstep/shell/wrong-use';

/** Reports an error that the user can fix, or a bug. Both exit with 2, so that a crash does not look like found differences. */
export function refuse(error: unknown): CommandResult {
  return error instanceof WrongUse ? { ...refused(error.message), json: error.json } : describeBug(error);
}

/** Includes the stack, for the maintainers. */
export function describeBug(error: unknown): CommandResult {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const text = `This is a bug of lockstep. Please report it to the maintainers, with the contract and this text:\n\n${stack ?? message}`;
  return { ...refused(text), json: { error: `This is a bug of lockstep: ${message}` } };
}
