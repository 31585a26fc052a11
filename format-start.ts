import type { DemoAccess } from './server/demo/access-file.ts';

/** What runs once `npm start` is ready. */
export interface Started {
  readonly server: DemoAccess;
  readonly mock: DemoAccess;
}

/** Addresses, demo clients and owners, and lines to paste; as JSON one line for scripts. */
export function formatStart({ server, mock }: Started, json: boolean): string {
  if (json) return `${JSON.stringify({ server, mock })}\n`;
  return `
Server   ${server.origin}/v1
OAuth    ${server.origin}/auth, for owners ${server.origin}/auth/apps
Docs     ${server.origin}/docs
Mock     ${mock.origin}/v1, ${mock.origin}/auth

Demo clients of the server (the mock has the same with secrets of its own: npm -s start -- --json)
${formatClients(server)}
${formatOwners(server)}
# a token, then a first call
${formatCalls(server)}

# a partner's tokens: logs an owner in, consents, and exchanges the code, over HTTP alone
npm run -s token -- --client demo-partner --json

# the same first call on the mock, whose answers are the contract's examples
${formatCalls(mock)}

Ctrl-C stops both.
`;
}

function formatClients({ clients }: DemoAccess): string {
  const width = Math.max(...clients.map(({ clientId }) => clientId.length));
  return clients
    .map(({ clientId, secret, account }) => `  ${clientId.padEnd(width)}  ${secret}  ${account ?? 'whoever logs in'}`)
    .join('\n');
}

/** Nothing where each has a password of its own by now. */
function formatOwners({ owners }: DemoAccess): string {
  if (owners.length === 0) return '';
  const width = Math.max(...owners.map(({ email }) => email.length));
  const lines = owners.map(({ email, password, account }) => `  ${email.padEnd(width)}  ${password}  ${account}`);
  return ['', 'Owners, who log in where a partner sends them, with password and account', ...lines, ''].join('\n');
}

/** The token is taken out by Node, which is there: not everybody has jq. */
function formatCalls({ origin, clients }: DemoAccess): string {
  const client = clients.find(({ kind }) => kind === 'own');
  return `TOKEN=$(curl -s -u ${client?.clientId}:${client?.secret} -d grant_type=client_credentials ${origin}/auth/oauth2/token | node -p 'JSON.parse(require("fs").readFileSync(0)).access_token')
curl -i ${origin}/v1/devices -H "Authorization: Bearer $TOKEN"`;
}
