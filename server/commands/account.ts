import type { EpochMilliseconds } from '../clock.ts';
import type { Store } from '../store/store.ts';
import { type CommandResult, done, refused } from './command.ts';
import { nearestOf } from './nearest-of.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** `account trial`: the account may call the API until so many times 24 hours from now; then it gets 402. */
export async function startTrial(
  store: Store,
  id: string,
  days: number,
  now: EpochMilliseconds,
): Promise<CommandResult> {
  const trialEndsAt = now + days * dayMilliseconds;
  return change(store, id, trialEndsAt, `${id}: trial ends ${new Date(trialEndsAt).toISOString()}`);
}

/** `account subscribe`: the account may call the API without end. */
export async function subscribe(store: Store, id: string): Promise<CommandResult> {
  return change(store, id, null, `${id}: subscribed`);
}

async function change(
  store: Store,
  id: string,
  trialEndsAt: EpochMilliseconds | null,
  text: string,
): Promise<CommandResult> {
  if (await store.accounts.setTrialEnd(id, trialEndsAt)) return done(text, { account: id, trialEndsAt });
  const known = (await store.accounts.list()).map((account) => account.id);
  return refused(`There is no account ${id}${nearestOf(id, known)}`);
}
