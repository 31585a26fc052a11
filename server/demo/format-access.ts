import type { DemoAccess } from './access-file.ts';

/** Lines for a terminal: each client with secret and account. */
export function formatClients({ clients }: Pick<DemoAccess, 'clients'>): string[] {
  return alignFirst(
    clients.map(({ clientId, secret, account }) => [clientId, secret, account ?? 'of the owner who logs in']),
  );
}

/** The same for owners, below a heading. No lines if every owner has changed the password. */
export function formatOwners({ owners }: Pick<DemoAccess, 'owners'>): string[] {
  if (owners.length === 0) return [];
  return [
    'Owners (for the login that a partner starts), with password and account',
    ...alignFirst(owners.map(({ email, password, account }) => [email, password, account])),
  ];
}

function alignFirst(rows: readonly (readonly [first: string, ...rest: string[]])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, ...rest]) => `  ${[first.padEnd(width), ...rest].join('  ')}`);
}
