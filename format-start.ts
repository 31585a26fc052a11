import type { DemoAccess } from './server/demo/access-file.ts';
import { formatClients, formatOwners } from './server/demo/format-access.ts';

/** Defaults of the options. */
export const defaultPorts = { server: 8080, mock: 8090 } as const;

/** The servers of `npm start`. */
export interface Started {
  readonly server: DemoAccess;
  readonly mock: DemoAccess;
}

/** Addresses, demo clients and owners, and lines to paste; as JSON one line for scripts. */
export function formatStart({ server, mock }: Started, json: boolean): string {
  if (json) return `${JSON.stringify({ server, mock })}\n`;
  const people = [formatClients(server), formatOwners(server)].filter((lines) => lines.length > 0);
  return `
Server   ${server.origin}/v1
OAuth    ${server.origin}/auth, for owners ${server.origin}/auth/apps
Docs     ${server.origin}/docs
Sandbox  ${mock.origin}/v1, ${mock.origin}/auth: the same in memory, to build against; driven at ${mock.origin}/_sandbox/

Demo clients of the server (the sandbox has the same with secrets of its own: npm -s start -- --json)
${people.map((lines) => lines.join('\n')).join('\n\n')}

# a token, then a first call
${formatCalls(server)}

# a partner's tokens: logs an owner in, consents, and exchanges the code, over HTTP alone
npm run -s token -- --client demo-partner --json${formatPort(server)}

# the same first call on the sandbox
${formatCalls(mock)}

Ctrl-C stops both.
`;
}

/** The `--port` option for `npm run -s token`, unless it is the default. */
function formatPort({ origin }: DemoAccess): string {
  const { port } = new URL(origin);
  return port === String(defaultPorts.server) ? '' : ` --port ${port}`;
}

/** Node extracts the token, since jq may not be installed. */
function formatCalls({ origin, clients }: DemoAccess): string {
  const client = clients.find(({ kind }) => kind === 'own');
  return `TOKEN=$(curl -s -u ${client?.clientId}:${client?.secret} -d grant_type=client_credentials ${origin}/auth/oauth2/token | node -p 'JSON.parse(require("fs").readFileSync(0)).access_token')
curl -i ${origin}/v1/devices -H "Authorization: Bearer $TOKEN"`;
}
