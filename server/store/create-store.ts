import { sql } from 'kysely';
import { createAccessCodeStore } from './access-codes/access-codes.ts';
import { createAccountStore } from './accounts.ts';
import { createActivityStore } from './activity/activity.ts';
import { createAuditStore } from './audit.ts';
import { createClientStore } from './clients.ts';
import { createCounterStore } from './counters.ts';
import type { Database, Spelling } from './database.ts';
import { createDeviceStore } from './devices/devices.ts';
import { createImportStore } from './imports/imports.ts';
import { createJobStore } from './jobs/jobs.ts';
import { createKeyCheckStore } from './key-check.ts';
import { createLockMemoryStore } from './lock-memories.ts';
import { createOidcStore } from './oidc.ts';
import { createOwnerStore } from './owners.ts';
import { createPrincipalStore } from './principals.ts';
import { createPropertyStore } from './properties.ts';
import type { Store } from './store.ts';

/** Creates the store on an open database whose schema is up to date. `close` closes the connection of the database. */
export function createStore(database: Database, spelling: Spelling, close: () => Promise<void>): Store {
  return {
    accounts: createAccountStore(database),
    owners: createOwnerStore(database, spelling),
    properties: createPropertyStore(database, spelling),
    devices: createDeviceStore(database, spelling),
    imports: createImportStore(database, spelling),
    audit: createAuditStore(database, spelling),
    clients: createClientStore(database, spelling),
    principals: createPrincipalStore(database),
    oidc: createOidcStore(database, spelling),
    accessCodes: createAccessCodeStore(database, spelling),
    jobs: createJobStore(database, spelling),
    activity: createActivityStore(database, spelling),
    lockMemories: createLockMemoryStore(database),
    keyCheck: createKeyCheckStore(database),
    counters: createCounterStore(database, spelling),
    lead: prepareLeadership(database, spelling),
    ping: async () => {
      await sql`update schema_version set applied_at = applied_at where version = (select max(version) from schema_version)`.execute(
        database,
      );
    },
    close,
  };
}

/** The lock belongs to a connection, which is kept meanwhile; `act` uses others. */
function prepareLeadership(database: Database, { leadership }: Spelling): Store['lead'] {
  if (leadership === null)
    return async (act) => {
      await act();
      return true;
    };
  return (act) =>
    database.connection().execute(async (connection) => {
      const { rows } = await leadership.take.execute(connection);
      if (rows[0]?.isTaken !== true) return false;
      try {
        await act();
      } finally {
        await leadership.leave.execute(connection);
      }
      return true;
    });
}
