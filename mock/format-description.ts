import { formatClients, formatOwners } from '@lockstep/server/demo/format-access';
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
    ...(clients.length === 0 ? [] : ['', 'Clients, with secret and account', ...formatClients({ clients })]),
    ...(owners.length === 0 ? [] : ['', ...formatOwners({ owners })]),
    '',
    ...notes.map((note) => `- ${note}`),
    ...samples.flatMap(({ shows, command }) => ['', `# ${shows}`, command]),
  ];
}
