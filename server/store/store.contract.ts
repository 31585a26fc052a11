import { afterAll, beforeAll, describe, type TestOptions } from 'vitest';
import { describeAccessCodes } from './contract/access-codes.ts';
import { describeAccounts } from './contract/accounts.ts';
import { describeActivity } from './contract/activity.ts';
import { describeDevices } from './contract/devices.ts';
import { describeImports } from './contract/imports.ts';
import { describeJobs } from './contract/jobs.ts';
import { describeLockMemories } from './contract/lock-memories.ts';
import { describeOidc } from './contract/oidc.ts';
import { describeOwners } from './contract/owners.ts';
import { describePrincipals } from './contract/principals.ts';
import type { Store } from './store.ts';

/**
 * What every store has to do, whatever database it stands on.
 *
 * @param open gives an empty store; it is opened once and shared, so each test keeps to accounts and ids of its own
 */
export function storeContract(name: string, open: () => Promise<Store>, options: TestOptions = {}): void {
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
  });
}
