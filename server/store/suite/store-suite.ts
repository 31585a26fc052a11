import { afterAll, beforeAll, describe, type TestOptions } from 'vitest';
import type { Store } from '../store.ts';
import { describeAccessCodes } from './access-codes.ts';
import { describeAccounts } from './accounts.ts';
import { describeActivity } from './activity.ts';
import { describeCounters } from './counters.ts';
import { describeDevices } from './devices.ts';
import { describeImports } from './imports.ts';
import { describeJobs } from './jobs.ts';
import { describeLockMemories } from './lock-memories.ts';
import { describeOidc } from './oidc.ts';
import { describeOwners } from './owners.ts';
import { describePrincipals } from './principals.ts';

/**
 * The suite that every store has to pass, whatever its database.
 *
 * @param open returns an empty store, which is opened once and shared: each test uses its own accounts and ids
 */
export function storeSuite(name: string, open: () => Promise<Store>, options: TestOptions = {}): void {
  describe(name, options, () => {
    let store: Store | undefined;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await store?.close();
      await store?.close(); // closing twice is closing once
    });
    const get = () => {
      if (store === undefined) throw new Error('the store did not open');
      return store;
    };
    describeAccounts(get);
    describeOwners(get);
    describeDevices(get);
    describeImports(get);
    describeOidc(get);
    describePrincipals(get);
    describeAccessCodes(get);
    describeJobs(get);
    describeActivity(get);
    describeLockMemories(get);
    describeCounters(get);
  });
}
