import { type CommandResult, refused } from '@lockstep/shell/command-result';
import { WrongUse } from '@lockstep/shell/wrong-use';
import { CommanderError } from 'commander';
import { formatCommand, formatFix, type Surroundings } from './print-fix.ts';

/** Describes a fault that an operator can fix in a sentence, and a bug by its stack. */
export function describeFailure(error: unknown, surroundings?: Surroundings): CommandResult {
  if (error instanceof CommanderError) return refused(error.message.replace(/^error: /, ''));
  if (error instanceof WrongUse)
    return withFixes({ ...refused(error.message), json: error.json, fixes: error.fixes }, surroundings);
  const { message, code, stack } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return refused(`${message}\nStop the program that listens there, or choose another port: PORT=8081`);
  return refused(code !== undefined ? message : `${stack}`);
}

/** Adds the fixes to a result: a line each in the text, the commands alone in the JSON. */
export function withFixes({ fixes = [], ...result }: CommandResult, surroundings?: Surroundings): CommandResult {
  if (fixes.length === 0) return result;
  const text = [result.text, ...fixes.map((fix) => formatFix(fix, surroundings))].join('\n');
  const error = Object.hasOwn(result.json, 'error') && { error: text };
  return {
    ...result,
    text,
    json: { ...result.json, ...error, fixes: fixes.map((fix) => formatCommand(fix, surroundings)) },
  };
}
