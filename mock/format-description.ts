import type { DemoOwners } from '@lockstep/server/demo/demo-owners';
import type { DemoClients } from '@lockstep/server/demo/seed-demo';
import type { MockDescription } from './describe-mock.ts';

/** A description as lines for a terminal. */
export function formatDescription({
  origin,
  title,
  addresses,
  clients = [],
  owners = [],
  notes,
  samples,
}: MockDescription): string[] {
  return [
    `Mock of ${title} on ${origin}`,
    ...addresses.map(
      ({ url, operations }) => `  ${url}  ${operations} ${operations === 1 ? 'operation' : 'operations'}`,
    ),
    ...formatClients(clients),
    ...formatOwners(owners),
    '',
    ...notes.map((note) => `- ${note}`),
    ...samples.flatMap(({ shows, command }) => ['', `# ${shows}`, command]),
  ];
}

function formatClients(clients: DemoClients): string[] {
  if (clients.length === 0) return [];
  const rows = clients.map(({ clientId, secret, account }) => [
    clientId,
    secret,
    account ?? 'of the owner who logs in',
  ]);
  const width = Math.max(...rows.map(([id = '']) => id.length));
  const lines = rows.map(([id = '', secret, account]) => `  ${id.padEnd(width)}  ${secret}  ${account}`);
  return ['', 'Clients, with secret and account', ...lines];
}

function formatOwners(owners: DemoOwners): string[] {
  if (owners.length === 0) return [];
  const width = Math.max(...owners.map(({ email }) => email.length));
  const lines = owners.map(({ email, password, account }) => `  ${email.padEnd(width)}  ${password}  ${account}`);
  return ['', 'Owners, with password and account', ...lines];
}
