import { expect, test } from 'vitest';
import { defaultPorts, formatStart } from '../format-start.ts';
import { describeAccess } from '../server/demo/access-file.ts';

const client = {
  clientId: 'demo-own',
  secret: 'secret',
  account: 'Harbour Stays',
  kind: 'own',
  redirectUris: [],
} as const;
const owner = { email: 'owner@harbour.example', password: 'password', account: 'Harbour Stays' };

function format(port: number, owners = [owner]): string {
  const describe = (at: number) => describeAccess({ origin: `http://localhost:${at}`, clients: [client], owners });
  return formatStart({ server: describe(port), mock: describe(defaultPorts.mock) }, false);
}

test.each([
  { port: 8080, line: 'npm run -s token -- --client demo-partner --json' },
  { port: 8081, line: 'npm run -s token -- --client demo-partner --json --port 8081' },
])('on port $port a login is: $line', ({ port, line }) => {
  expect(format(port).split('\n')).toContain(line);
});

test('owners stand below clients, and are left out where each has a password of its own by now', () => {
  const clients = '  demo-own  secret  Harbour Stays\n\n';
  expect(format(8080)).toContain(
    `${clients}Owners (for the login that a partner starts), with password and account\n  owner@harbour.example  password  Harbour Stays\n\n# a token`,
  );
  expect(format(8080, [])).toContain(`${clients}# a token`);
});
