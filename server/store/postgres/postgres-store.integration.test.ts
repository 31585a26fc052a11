import { storeSuite } from '../suite/store-suite.ts';
import { createDatabase, patienceMs } from './fixtures/create-database.ts';
import { openPostgresStore } from './open-store.ts';

const full = { tags: ['full'] };

storeSuite('PostgreSQL 18 with an ICU collation', async () =>
  openPostgresStore(await createDatabase(), { patienceMs }),
);
storeSuite(
  'PostgreSQL 18 with the collation C.UTF-8',
  async () => openPostgresStore(await createDatabase({ collation: 'C.UTF-8' }), { patienceMs }),
  full,
);
storeSuite(
  'PostgreSQL 15 with an ICU collation',
  async () => openPostgresStore(await createDatabase({ release: '15' }), { patienceMs }),
  full,
);
