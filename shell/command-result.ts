import { formatJson, formatNotice, type Notice, printable } from './printable.ts';
import type { Fix } from './wrong-use.ts';

/** The output streams of a command. */
export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly error: { write(text: string): unknown };
}

/** Each outcome of a command: its exit code, and where its text goes. */
const outcomes = {
  done: { exitCode: 0, stream: 'out' },
  // A check found faults, which the text lists.
  failed: { exitCode: 1, stream: 'out' },
  // The command is valid, but the present state does not allow it.
  declined: { exitCode: 1, stream: 'error' },
  // The user made a mistake.
  refused: { exitCode: 2, stream: 'error' },
} as const;

/** The result of a command. The command line prints it and exits. */
export interface CommandResult {
  readonly kind: keyof typeof outcomes;
  readonly text: string;
  /** The result for programs, printed by `--json` as one value. */
  readonly json: object;
  /** Decisions for the author of the contract: printed with the result, or in its JSON. */
  readonly notices?: readonly Notice[];
  /** Commands to run next, printed below the text. */
  readonly fixes?: readonly Fix[];
}

export interface Refused extends CommandResult {
  readonly kind: 'refused';
}

export function done(text: string, json: object, fixes?: readonly Fix[]): CommandResult {
  return { kind: 'done', text, json, ...(fixes && { fixes }) };
}

/** For a valid command that the present state does not allow. The caller has changed nothing. */
export function declined(text: string, json: object = {}, fixes?: readonly Fix[]): CommandResult {
  return { kind: 'declined', text, json: { error: text, ...json }, ...(fixes && { fixes }) };
}

/** For a mistake of the user. The caller has changed nothing. */
export function refused(text: string, json: object = {}, fixes?: readonly Fix[]): Refused {
  return { kind: 'refused', text, json: { error: text, ...json }, ...(fixes && { fixes }) };
}

/**
 * Prints a result without its fixes, whose spelling only the program knows.
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
