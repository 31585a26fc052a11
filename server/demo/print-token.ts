// npm run -s token: an access token of a demo client on stdout, for "$(…)" in a shell. The demo must be running.
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { readKeyFile } from '../key-file.ts';
import { OperatorError } from '../operator-error.ts';
import { choosePort, PortFault } from './choose-port.ts';
import { demoClients } from './demo-clients.ts';
import { deriveDemoSecret } from './seed-demo.ts';

const own = demoClients.filter(({ kind }) => kind === 'own').map(({ clientId }) => clientId);

const { client, scope, mock, port } = new Command('token')
  .description('Prints an access token of a demo client.')
  .addOption(new Option('--client <id>', 'who asks').choices(own).default(own[0]))
  .option('--scope <scope...>', 'scopes to ask for; left out: all the client has')
  .option('--mock', 'a token for the mock, whose keys are its own')
  .option('--port <number>', 'where it runs (PORT, or 8080; the mock MOCK_PORT, or 8090)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{ client: string; scope?: readonly string[]; mock?: true; port?: string }>();

const folder = join(import.meta.dirname, '../../.lockstep');
const { PORT, MOCK_PORT } = process.env;
const cure = 'Start it: npm start';
const origin = `http://localhost:${readPort()}`;

try {
  const { demoKey } = await readKeyFile(join(folder, mock ? 'mock-keys.json' : 'keys.json'));
  const response = await fetch(`${origin}/auth/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${client}:${deriveDemoSecret(demoKey, client)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope: scope.join(' ') }) }),
  });
  const answer = (await response.json().catch(() => fail(`What answers at ${origin} is not the demo. ${cure}`))) as {
    access_token?: string;
    error?: string;
    error_description?: string;
  };
  if (answer.access_token === undefined) fail(`${answer.error}: ${answer.error_description ?? response.status}`);
  process.stdout.write(`${answer.access_token}\n`);
} catch (error) {
  if (error instanceof OperatorError) fail(`${error.message}\n${cure}`);
  const { code, message } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') fail(`Nothing answers at ${origin}. ${cure}`);
  fail(message === undefined ? (error as Error).message : `${origin} gives no answer: ${message}`);
}

function readPort(): number {
  try {
    return mock ? choosePort({ '--port': port, MOCK_PORT }, 8090) : choosePort({ '--port': port, PORT }, 8080);
  } catch (error) {
    if (error instanceof PortFault) fail(error.message, 2);
    throw error;
  }
}

function fail(text: string, exitCode = 1): never {
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}
