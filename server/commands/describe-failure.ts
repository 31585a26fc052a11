import { type CommandResult, refused } from '@lockstep/shell/command-result';
import { WrongUse } from '@lockstep/shell/wrong-use';
import { CommanderError } from 'commander';
import { type Surroundings, sayCommand, sayFix } from './print-fix.ts';

/** What an operator can mend is said in a sentence; anything else is a bug and shows where. */
export function describeFailure(error: unknown, surroundings?: Surroundings): CommandResult {
  if (error instanceof CommanderError) return refused(error.message.replace(/^error: /, ''));
  if (error instanceof WrongUse)
    return withFixes({ ...refused(error.message), json: error.json, fixes: error.fixes }, surroundings);
  const { message, code, stack } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return refused(`${message}\nStop what listens there, or choose another port: PORT=8081`);
  return refused(code !== undefined ? message : `${stack}`);
}

/** The same with what helps: a line each, and for machines the commands alone. */
export function withFixes({ fixes = [], ...result }: CommandResult, surroundings?: Surroundings): CommandResult {
  if (fixes.length === 0) return result;
  const text = [result.text, ...fixes.map((fix) => sayFix(fix, surroundings))].join('\n');
  const error = Object.hasOwn(result.json, 'error') && { error: text };
  return {
    ...result,
    text,
    json: { ...result.json, ...error, fixes: fixes.map((fix) => sayCommand(fix, surroundings)) },
  };
}
