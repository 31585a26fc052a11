import { type CommandResult, WrongUse } from './command.ts';

/** A contract or folder that can't be read is the user's to mend, not a crash: all its problems, exit 2. Nor does a crash look like found differences. */
export async function refuse(error: unknown): Promise<CommandResult> {
  const { ContractError } = await import('@lockstep/toolkit/contract/contract-error');
  const { OutputError } = await import('@lockstep/toolkit/output-folder');
  if (error instanceof ContractError) return { exitCode: 2, text: error.message, json: { problems: error.problems } };
  if (error instanceof OutputError || error instanceof WrongUse)
    return { exitCode: 2, text: error.message, json: { error: error.message } };
  return describeBug(error);
}

/** The stack is for those who mend it. */
export function describeBug(error: unknown): CommandResult {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const text = `This is a bug of lockstep. Please tell its maintainers, with the contract and what follows:\n\n${stack ?? message}`;
  return { exitCode: 2, text, json: { error: `This is a bug of lockstep: ${message}` } };
}
