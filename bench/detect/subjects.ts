import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOperations, readContract } from '../foreign/operations.ts';
import library from './library/credentials.json' with { type: 'json' };
import { faults as libraryFaults } from './library/faults.ts';
import meters from './meters/credentials.json' with { type: 'json' };
import { faults as metersFaults } from './meters/faults.ts';
import roster from './roster/credentials.json' with { type: 'json' };
import { faults as rosterFaults } from './roster/faults.ts';
import type { SeededFault } from './score.ts';

/** A server with its credentials, as a user of each tool would give them. */
export interface Subject {
  readonly name: string;
  readonly basePath: string;
  readonly faults: readonly SeededFault[];
  /** Options of the conformance runner for both accounts. */
  readonly accounts: readonly string[];
  /** An expired token of the first account, if the API has tokens. */
  readonly expiredToken?: string;
  /** Headers of two users who must not see each other's objects. */
  readonly users: Readonly<Record<'first' | 'second', Readonly<Record<string, string>>>>;
  /** A path that needs another credential than all others: HTTP Basic. */
  readonly basic?: { readonly path: string; readonly username: string; readonly password: string };
}

const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
const sessionOf = (user: typeof roster.first | typeof roster.second): Record<string, string> => ({
  Cookie: `roster_session=${user.roster_session}`,
  'X-Csrf-Token': user['X-Csrf-Token'],
});

export const subjects: readonly Subject[] = [
  {
    name: 'library',
    basePath: library.basePath,
    faults: libraryFaults,
    accounts: [
      ...['--client-id', library.first.clientId, '--client-secret', library.first.clientSecret],
      ...['--second-client-id', library.second.clientId, '--second-client-secret', library.second.clientSecret],
    ],
    expiredToken: library.first.expired,
    users: { first: bearer(library.first.token), second: bearer(library.second.token) },
    basic: { path: '/oauth/token', username: library.first.clientId, password: library.first.clientSecret },
  },
  {
    name: 'meters',
    basePath: meters.base_path,
    faults: metersFaults,
    accounts: [
      ...['--credential', `api_key=${meters.first.api_key}`],
      ...['--credential', `basic=${meters.first.username}:${meters.first.password}`],
      ...['--second-credential', `api_key=${meters.second.api_key}`],
      ...['--second-credential', `basic=${meters.second.username}:${meters.second.password}`],
    ],
    expiredToken: meters.expired_api_key,
    users: { first: { 'X-Api-Key': meters.first.api_key }, second: { 'X-Api-Key': meters.second.api_key } },
  },
  {
    name: 'roster',
    basePath: roster.basePath,
    faults: rosterFaults,
    accounts: [
      ...['--credential', `session=${roster.first.roster_session}`],
      ...['--credential', `csrf=${roster.first['X-Csrf-Token']}`],
      ...['--second-credential', `session=${roster.second.roster_session}`],
      ...['--second-credential', `csrf=${roster.second['X-Csrf-Token']}`],
    ],
    users: { first: sessionOf(roster.first), second: sessionOf(roster.second) },
  },
];

export const contractOf = ({ name }: Subject): string => join(import.meta.dirname, name, 'contract.yaml');
export const serverOf = ({ name }: Subject): string => join(import.meta.dirname, name, 'server.ts');

/** Operations of the contract, as `GET /books`. */
export interface Operations {
  readonly declared: ReadonlySet<string>;
  /** @param id an `operationId`, or an operation as it is returned */
  readonly nameOf: (id: string) => string;
}

export function readOperations(subject: Subject): Operations {
  const contract = readContract(readFileSync(contractOf(subject), 'utf8'));
  const declared = listOperations(contract);
  const names = new Map(
    declared.map((operation) => {
      const [method = '', path = ''] = operation.split(' ');
      const described = contract.paths[path]?.[method.toLowerCase()] as { readonly operationId?: string } | undefined;
      return [described?.operationId, operation];
    }),
  );
  return { declared: new Set(declared), nameOf: (id) => names.get(id) ?? id };
}
