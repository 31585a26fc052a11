import { join, relative } from 'node:path';
import { isLoopbackCallback } from '@lockstep/server/oauth/is-callback-url';
import type { Streams } from '@lockstep/shell/command-result';
import { createProgram, parsePort } from '@lockstep/shell/program';
import { InvalidArgumentError, Option } from 'commander';
import { clockYears, readClockTime } from '../control/clock.ts';
import { scenarioNames } from './sandbox.ts';

/** Next to the keys of the demo, from any working directory. */
const defaultKeyFile = relative(process.cwd(), join(import.meta.dirname, '../../.lockstep/mock-keys.json'));

export interface Options {
  readonly port: number;
  readonly host: string;
  readonly publicOrigin?: string;
  readonly json: boolean;
  readonly keyFile: string;
  readonly loopbackCallback: readonly string[];
  readonly scenario: string;
  readonly clock?: number;
  readonly openControl: boolean;
}

/**
 * Reads the options of the mock, from its arguments and the environment.
 *
 * @throws CommanderError after it has printed the help, or the fault in the arguments
 */
export function readOptions(args: readonly string[], streams: Streams): Options {
  return createProgram(
    'lockstep-mock',
    'The sandbox: the service on a store in memory, with simulated bridges and locks. It keeps its data until it is reset or stopped, and gives every documented answer on demand.',
    streams,
  )
    .addOption(
      new Option('-p, --port <number>', 'port to listen on, 0 for any free one')
        .env('PORT')
        .argParser(parsePort)
        .default(8090),
    )
    .option('--host <address>', 'interface to listen on', '127.0.0.1')
    .addOption(
      new Option('--public-origin <origin>', 'address that clients use (default: http://localhost and the port)')
        .env('PUBLIC_ORIGIN')
        .argParser(readOrigin),
    )
    .option('--key-file <path>', 'keys that sign tokens; created if there is no such file', defaultKeyFile)
    .option(
      '--loopback-callback <url...>',
      'let partners use an http address of this machine as a callback; the service itself accepts only https',
      readLoopbackCallback,
      [],
    )
    .option(
      '--scenario <name or file>',
      `the data at the start: ${scenarioNames.join(', ')}, or a JSON file in the format of lockstep-server import`,
      'demo',
    )
    .option(
      '--clock <time>',
      `time of its clock at the start, ${clockYears}, as 2026-06-01T12:00:00Z (default: the present)`,
      readTime,
    )
    .option(
      '--open-control',
      'let other machines use /_sandbox too: everyone who reaches the port can read its secrets and reset it',
      false,
    )
    .option('--json', 'print addresses, clients, owners and sample calls as one line of JSON, once ready', false)
    .addHelpText(
      'after',
      '\nWritten next to the key file: mock-access.json with secrets and passwords in clear, readable by this user only (0600), for npm run -s token.\nEnvironment: LOG_LEVEL (default warn; info logs every request, never bodies).\nExit codes: 0 stopped, also while it starts; 2 wrong usage, port taken, unusable key file, scenario or contract.',
    )
    .parse(args, { from: 'user' })
    .opts<Options>();
}

function readTime(text: string): number {
  const at = readClockTime(text);
  if (at === undefined)
    throw new InvalidArgumentError(`a time is one ${clockYears} with its offset, written as 2026-06-01T12:00:00Z.`);
  return at;
}

function readLoopbackCallback(text: string, before: readonly string[]): readonly string[] {
  if (!isLoopbackCallback(text))
    throw new InvalidArgumentError(
      'a callback of this machine is static and begins with http://localhost[:port]/, http://127.0.0.1[:port]/ or http://[::1][:port]/.',
    );
  return [...before, text];
}

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== text.replace(/\/$/, ''))
    throw new InvalidArgumentError('an origin is http(s)://host[:port] without a path.');
  return url.origin;
}
