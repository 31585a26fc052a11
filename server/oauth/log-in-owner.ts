import type { EpochMilliseconds } from '../clock.ts';
import { createWindowCounter } from '../limits/window-counter.ts';
import { emailKey, type Owner } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { LimitGuesses, Rejected } from './limit-guesses.ts';
import type { AuthLog } from './log-events.ts';
import type { Passwords } from './passwords.ts';
import { whenAvailable } from './unavailable.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  readonly requestId: string;
  /** The client that asks for the login; undefined for the owner's own page. */
  readonly clientId: string | undefined;
  /** As in `Guess`. */
  readonly knownBrowser: string | undefined;
  readonly isWaited: () => boolean;
}

export type LoginResult =
  | {
      readonly kind: 'right';
      readonly owner: Owner;
      /** Epoch seconds, before the check of the password: a change of the password meanwhile invalidates this login. */
      readonly loggedInAt: number;
    }
  /** Unknown e-mail and wrong password are one answer, after the same work. */
  | { readonly kind: 'wrong' }
  /** Returned only if the password is right. */
  | { readonly kind: 'disabled' }
  | Rejected;

export type LogInOwner = (credentials: Credentials) => Promise<LoginResult>;

export interface OwnerLoginOptions {
  readonly store: Pick<Store, 'owners' | 'accounts' | 'audit'>;
  readonly passwords: Passwords;
  readonly log: AuthLog;
  readonly limitGuesses: LimitGuesses;
}

/** Throttled attempts are logged once a minute for each e-mail and address, so that a flood of logins does not flood the log. */
const throttledLines = { limit: 1, windowMs: 60_000, maxKeys: 10_000 } as const;

/** Identifies an owner by e-mail and password. Logins are in the audit table; failures are in the log, with the owner if there is one. */
export function createOwnerLogin(options: OwnerLoginOptions): LogInOwner {
  const { store, passwords, log, limitGuesses } = options;

  const lines = createWindowCounter(throttledLines);

  async function judge({ email, password, address, requestId, clientId }: Credentials): Promise<LoginResult> {
    const at = Date.now();
    const owner = await whenAvailable(store.owners.findByEmail(email));
    const isRight = await passwords.matches(password, owner?.passwordHash);
    // The typed e-mail is not logged: it may be a password in the wrong field.
    const who = { requestId, clientId, ownerId: owner?.id, address };
    if (owner === undefined || !isRight) {
      log.warn({ ...who, reason: owner === undefined ? 'unknown e-mail' : 'wrong password' }, 'owner login failed');
      return { kind: 'wrong' };
    }
    const account = await whenAvailable(store.accounts.find(owner.accountId));
    if (owner.disabledAt !== null || account?.disabledAt !== null) {
      log.warn({ ...who, reason: 'disabled' }, 'owner login failed');
      return { kind: 'disabled' };
    }
    await whenAvailable(
      store.audit.add({
        at,
        accountId: owner.accountId,
        ownerId: owner.id,
        clientId: clientId ?? owner.id,
        action: 'log_in',
        deviceId: null,
        requestId,
      }),
    );
    log.info(who, 'owner logged in');
    return { kind: 'right', owner, loggedInAt: countSeconds(at, owner) };
  }

  return async ({ email: typed, ...credentials }) => {
    const email = emailKey(typed.trim());
    const { address, requestId, knownBrowser, isWaited } = credentials;
    const guess = { email, address, knownBrowser, isWaited };
    const result = await limitGuesses<LoginResult>(guess, () => judge({ ...credentials, email }));
    if (result.kind === 'throttled' && lines.take(`${email} ${address}`, Date.now()).accepted) {
      const owner = await whenAvailable(store.owners.findByEmail(email));
      const { waitSeconds } = result;
      log.warn({ requestId, address, ownerId: owner?.id, waitSeconds }, 'owner login throttled');
    }
    return result;
  };
}

/**
 * A login is stored in whole seconds. A login in the same second in which all earlier ones were ended is dated one second later, so that
 * it does not count as one of them.
 */
function countSeconds(at: EpochMilliseconds, { loginsValidAfter }: Owner): number {
  const isAfter = loginsValidAfter !== null && loginsValidAfter <= at;
  return Math.max(Math.floor(at / 1000), isAfter ? Math.ceil(loginsValidAfter / 1000) : 0);
}

/** Finds an owner whose login at this time is still valid: existing, not disabled, and not logged out everywhere since. */
export async function findLiveOwner(
  { owners, accounts }: Pick<Store, 'owners' | 'accounts'>,
  id: string | undefined,
  /** Epoch seconds; when omitted, the time is not checked. */
  loggedInAt?: number,
): Promise<Owner | undefined> {
  const owner = id === undefined ? undefined : await whenAvailable(owners.find(id));
  if (owner === undefined || owner.disabledAt !== null) return undefined;
  if (loggedInAt !== undefined && loggedInAt * 1000 < (owner.loginsValidAfter ?? 0)) return undefined;
  const account = await whenAvailable(accounts.find(owner.accountId));
  return account?.disabledAt === null ? owner : undefined;
}
