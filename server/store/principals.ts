import type { Database } from './database.ts';
import { prepareQuery } from './prepared-query.ts';
import type { PrincipalRecord, PrincipalStore } from './store.ts';

interface Row extends Pick<PrincipalRecord, 'accountId' | 'trialEndsAt'> {
  /** Epoch milliseconds. */
  readonly ofAccount: number | null;
  /** Epoch seconds. */
  readonly ofClient: number | null;
}

export function createPrincipalStore(database: Database): PrincipalStore {
  const findOwn = prepareQuery<{ accountId: string; clientId: string }, Row>(database, ({ accountId, clientId }) =>
    selectEnabled(database, clientId).where('account.id', '=', accountId),
  );
  const findOwner = prepareQuery<{ ownerId: string; grantId: string; clientId: string }, Row>(
    database,
    ({ ownerId, grantId, clientId }) =>
      selectEnabled(database, clientId)
        .innerJoin('owner', 'owner.account_id', 'account.id')
        .where('owner.id', '=', ownerId)
        .where('owner.disabled_at', 'is', null)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('revoked_grant').select('grant_id').where('grant_id', '=', grantId))),
        ),
  );
  return {
    find: async (clientId, subject) => {
      const [row] =
        subject.kind === 'own' ? await findOwn({ ...subject, clientId }) : await findOwner({ ...subject, clientId });
      if (row === undefined) return undefined;
      const { accountId, trialEndsAt, ofAccount, ofClient } = row;
      return { accountId, trialEndsAt, tokensValidAfter: Math.max(ofAccount ?? 0, (ofClient ?? 0) * 1000) };
    },
  };
}

/** Selects an enabled account and an enabled client. No condition joins the two, since a partner's client belongs to no account. */
function selectEnabled(database: Database, clientId: string) {
  return database
    .selectFrom('account')
    .innerJoin('oauth_client', (join) => join.on('oauth_client.client_id', '=', clientId))
    .where('account.disabled_at', 'is', null)
    .where('oauth_client.disabled_at', 'is', null)
    .select([
      'account.id as accountId',
      'account.trial_ends_at as trialEndsAt',
      'account.tokens_valid_after as ofAccount',
      'oauth_client.tokens_valid_after as ofClient',
    ]);
}
