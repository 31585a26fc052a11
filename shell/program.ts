import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { Streams } from './command-result.ts';
import { readPort } from './read-port.ts';

/** A program that prints to the streams, and throws where commander would exit. Commands that are added later inherit this. */
export function createProgram(name: string, description: string, { out, error }: Streams): Command {
  return new Command(name)
    .description(description)
    .configureOutput({ writeOut: (text) => void out.write(text), writeErr: (text) => void error.write(text) })
    .exitOverride();
}

/** @returns the exit code after help, or after wrong use that commander has reported; undefined for any other error */
export function exitCodeOf(error: unknown): 0 | 2 | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  return error.exitCode === 0 ? 0 : 2;
}

/** Reads the value of `--port`. @throws an error that commander prints after the option's name */
export function parsePort(text: string): number {
  const port = readPort(text);
  if (port === undefined) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}
