import { formatJson, formatNotice, type Notice, printable } from './printable.ts';
import type { Fix } from './wrong-use.ts';

/** A command prints to these. */
export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly error: { write(text: string): unknown };
}

/** Each outcome of a command: its exit code, and where its text goes. */
const outcomes = {
  done: { exitCode: 0, stream: 'out' },
  // A check found what it looks for: the text lists it.
  failed: { exitCode: 1, stream: 'out' },
  // A valid request that the present state does not allow.
  declined: { exitCode: 1, stream: 'error' },
  // The user's mistake.
  refused: { exitCode: 2, stream: 'error' },
} as const;

/** The result of a command. The command line prints it and exits. */
export interface CommandResult {
  readonly kind: keyof typeof outcomes;
  readonly text: string;
  /** The same for machines, printed by `--json` as one value. */
  readonly json: object;
  /** Decisions for the author of the contract: printed with the result, or in its JSON. */
  readonly notices?: readonly Notice[];
  /** What to do next, printed below the text. */
  readonly fixes?: readonly Fix[];
}

export interface Refused extends CommandResult {
  readonly kind: 'refused';
}

export function done(text: string, json: object, fixes?: readonly Fix[]): CommandResult {
  return { kind: 'done', text, json, ...(fixes && { fixes }) };
}

/** Nothing was changed. */
export function declined(text: string, json: object = {}, fixes?: readonly Fix[]): CommandResult {
  return { kind: 'declined', text, json: { error: text, ...json }, ...(fixes && { fixes }) };
}

/** Nothing was changed. */
export function refused(text: string, json: object = {}, fixes?: readonly Fix[]): Refused {
  return { kind: 'refused', text, json: { error: text, ...json }, ...(fixes && { fixes }) };
}

/**
 * Prints a result without its fixes: the program knows how to spell these.
 *
 * @returns the exit code
 */
export function printResult(
  { kind, text, json, notices }: Omit<CommandResult, 'fixes'>,
  wantsJson: boolean | undefined,
  streams: Streams,
): number {
  const { exitCode, stream } = outcomes[kind];
  if (wantsJson) streams.out.write(`${formatJson({ ...json, ...(notices && { notices }) })}\n`);
  else {
    for (const notice of notices ?? []) streams.error.write(`${formatNotice(notice)}\n`);
    streams[stream].write(`${printable(text)}\n`);
  }
  return exitCode;
}
