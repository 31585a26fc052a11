import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import { Command, InvalidArgumentError, Option } from 'commander';
import { pino } from 'pino';
import { describeMock, formatDescription } from './describe-mock.ts';
import { startMock } from './start-mock.ts';

const exitCodes = { fine: 0, wrongUse: 2 } as const;

const program = new Command('lockstep-mock')
  .description('Answers every operation of the contract with its documented examples.')
  .addOption(
    new Option('-p, --port <number>', 'port to listen on, 0 for any free one')
      .env('PORT')
      .argParser(readPort)
      .default(8090),
  )
  .option('--host <address>', 'interface to listen on', '127.0.0.1')
  .option('--json', 'print addresses and sample calls as one line of JSON', false)
  .addHelpText(
    'after',
    '\nEnvironment: LOG_LEVEL (default warn; info logs every request, never bodies).\nExit codes: 0 stopped, 2 wrong usage, port taken or unusable contract.',
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.fine : exitCodes.wrongUse));

program.parse();
const { port, host, json } = program.opts<{ port: number; host: string; json: boolean }>();
const logger = pino({ level: process.env.LOG_LEVEL ?? 'warn' }, pino.destination({ dest: 2, sync: true }));

try {
  const mock = await startMock({ port, host, contract, operations, logger });
  const description = describeMock(mock.origin, contract, operations);
  process.stdout.write(`${json ? JSON.stringify(description) : formatDescription(description).join('\n')}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void mock.close().then(() => process.exit(exitCodes.fine)));
  }
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exit(exitCodes.wrongUse);
}

function readPort(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError('a port is a number from 0 to 65535.');
  return value;
}

function describeFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Stop what listens there, or choose another: --port ${port === 65_535 ? 8091 : port + 1}`,
    EACCES: `Port ${port} needs more rights than this user has. Choose one from 1024 on: --port 8090`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Try --host 127.0.0.1`,
    ENOTFOUND: `${host} is not an address of this machine. Try --host 127.0.0.1`,
  };
  return reasons[String(code)] ?? `The mock did not start: ${error instanceof Error ? error.message : String(error)}`;
}
