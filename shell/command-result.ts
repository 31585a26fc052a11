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
  // Sound, but not as things stand.
  declined: { exitCode: 1, stream: 'error' },
  // The user's mistake.
  refused: { exitCode: 2, stream: 'error' },
} as const;

/** What a command hands back; printing and exiting is the rim's. */
export interface CommandResult {
  readonly kind: keyof typeof outcomes;
  readonly text: string;
  /** The same for machines, printed by `--json` as one value. */
  readonly json: object;
  /** What was decided for whoever wrote the contract: told beside the result, among the JSON where that is asked for. */
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
 * Prints a result, but for its fixes: how these are typed is the program's to know.
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
