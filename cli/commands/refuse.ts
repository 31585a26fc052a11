import { type CommandResult, refused } from '@lockstep/shell/command-result';
import { WrongUse } from '@lockstep/shell/wrong-use';

/** What the user can mend is no crash: all its problems, exit 2. Nor does a crash look like found differences. */
export function refuse(error: unknown): CommandResult {
  return error instanceof WrongUse ? { ...refused(error.message), json: error.json } : describeBug(error);
}

/** The stack is for those who mend it. */
export function describeBug(error: unknown): CommandResult {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const text = `This is a bug of lockstep. Please tell its maintainers, with the contract and what follows:\n\n${stack ?? message}`;
  return { ...refused(text), json: { error: `This is a bug of lockstep: ${message}` } };
}
