import { type Expression, expressionBuilder, type NotNull, type SqlBool, sql } from 'kysely';
import { addAuditEntry } from './audit.ts';
import type { Database, DatabaseTransaction, Spelling } from './database.ts';
import { prepareDeletion } from './delete-due.ts';
import { prepareQuery, prepareWrite } from './prepared-query.ts';
import type { AuditEntry } from './records.ts';
import type { Tables } from './schema.ts';
import type { GrantFilter, GrantQuery, GrantRecord, OidcArtifact, OidcStore } from './store.ts';
import { transact } from './transact.ts';

const columns = [
  'model',
  'id_hash as idHash',
  'grant_id as grantId',
  'uid',
  'payload',
  'expires_at as expiresAt',
  'purge_at as purgeAt',
  'owner_id as ownerId',
  'client_id as clientId',
] as const;

type Key = Pick<OidcArtifact, 'model' | 'idHash'>;

export function createOidcStore(database: Database, spelling: Spelling): OidcStore {
  const findByKey = prepareQuery<Key, OidcArtifact & { consumedAt: number | null }>(database, ({ model, idHash }) =>
    database
      .selectFrom('oidc_artifact')
      .select([...columns, 'consumed_at as consumedAt'])
      .where('model', '=', model)
      .where('id_hash', '=', idHash),
  );
  const findSessionByUid = prepareQuery<{ uid: string }, OidcArtifact>(database, ({ uid }) =>
    database
      .selectFrom('oidc_artifact')
      .select(columns)
      .where('uid', '=', uid)
      .where('model', '=', 'Session')
      .orderBy('uid_generation', 'desc')
      .limit(1),
  );
  const findRevoked = prepareQuery<{ grantId: string }, { grant_id: string }>(database, ({ grantId }) =>
    database.selectFrom('revoked_grant').select('grant_id').where('grant_id', '=', grantId),
  );
  const put = preparePut(database);
  const purgeArtifacts = prepareDeletion(database, spelling, {
    table: 'oidc_artifact',
    key: ['model', 'id_hash'],
    due: 'purge_at',
  });
  const purgeRevoked = prepareDeletion(database, spelling, {
    table: 'revoked_grant',
    key: ['grant_id'],
    due: 'keep_until',
  });
  // The condition of the update decides, not an earlier read: of any number of concurrent requests one changes the row.
  const consume = prepareWrite<Key & { atSeconds: number }>(database, ({ model, idHash, atSeconds }) =>
    database
      .updateTable('oidc_artifact')
      .set({ consumed_at: atSeconds })
      .where('model', '=', model)
      .where('id_hash', '=', idHash)
      .where('consumed_at', 'is', null),
  );
  return {
    put: async (artifact) => void (await put(artifact)),
    find: async (model, idHash) => (await findByKey({ model, idHash }))[0],
    findSession: async (uid) => (await findSessionByUid({ uid }))[0],
    consume: async (model, idHash, atSeconds) => (await consume({ model, idHash, atSeconds })) === 1,
    remove: async (model, idHash) => {
      await database.deleteFrom('oidc_artifact').where('model', '=', model).where('id_hash', '=', idHash).execute();
    },
    revokeGrant: (grantId, idHash, atSeconds, keepUntilSeconds) =>
      revokeGrant(database, { grantId, idHash, atSeconds, keepUntilSeconds }),
    listGrants: (query) => listGrants(database, query),
    revokeGrants: (of, atSeconds, keepUntilSeconds, audit) =>
      transact(database, (transaction) => revokeGrants(transaction, of, { atSeconds, keepUntilSeconds, audit })),
    isGrantRevoked: async (grantId) => (await findRevoked({ grantId })).length > 0,
    // No answer depends on a purge: expired and revoked artifacts are rejected whether or not their row exists.
    purge: (dueBy, atMost) =>
      transact(database, async (transaction) => {
        const artifacts = await purgeArtifacts({ dueBy, atMost }, transaction);
        return artifacts + (await purgeRevoked({ dueBy, atMost: atMost - artifacts }, transaction));
      }),
  };
}

/**
 * The database builds the row, also from null values: one statement for all models, compiled once. Two writes of one uid at the same moment
 * may get the same generation: either session is the newest.
 */
function preparePut(database: Database) {
  return prepareWrite<OidcArtifact>(
    database,
    ({ model, idHash, grantId, uid, payload, expiresAt, purgeAt, ownerId, clientId }) =>
      database
        .insertInto('oidc_artifact')
        .values((eb) => ({
          model,
          id_hash: idHash,
          grant_id: grantId,
          uid,
          uid_generation: eb
            .selectFrom('oidc_artifact as other')
            .select(({ fn, lit }) => eb(fn.coalesce(fn.max('other.uid_generation'), lit(0)), '+', 1).as('next'))
            .where('other.uid', '=', uid),
          payload,
          expires_at: expiresAt,
          purge_at: purgeAt,
          account_id: eb.selectFrom('owner').select('owner.account_id').where('owner.id', '=', ownerId),
          owner_id: ownerId,
          client_id: clientId,
        }))
        .onConflict((conflict) =>
          conflict.columns(['model', 'id_hash']).doUpdateSet(({ ref }) => ({
            grant_id: ref('excluded.grant_id'),
            uid: ref('excluded.uid'),
            uid_generation: ref('excluded.uid_generation'),
            payload: ref('excluded.payload'),
            expires_at: ref('excluded.expires_at'),
            purge_at: ref('excluded.purge_at'),
            account_id: ref('excluded.account_id'),
            owner_id: ref('excluded.owner_id'),
            client_id: ref('excluded.client_id'),
          })),
        ),
  );
}

async function revokeGrant(
  database: Database,
  of: { grantId: string; idHash: string; atSeconds: number; keepUntilSeconds: number },
): Promise<void> {
  await transact(database, async (transaction) => {
    // First: a concurrent revocation of the grant waits here, before it has locked any artifact, so that the two can't deadlock.
    await insertRevoked(transaction)
      .values({ grant_id: of.grantId, revoked_at: of.atSeconds, keep_until: of.keepUntilSeconds })
      .execute();
    await transaction.deleteFrom('oidc_artifact').where('grant_id', '=', of.grantId).execute();
    await transaction
      .deleteFrom('oidc_artifact')
      .where('model', '=', 'Grant')
      .where('id_hash', '=', of.idHash)
      .execute();
  });
}

/** A grant that is revoked again is kept for the longer of the two times. */
function insertRevoked(transaction: DatabaseTransaction) {
  return transaction.insertInto('revoked_grant').onConflict((conflict) =>
    conflict
      .column('grant_id')
      .doUpdateSet(({ ref }) => ({ keep_until: ref('excluded.keep_until') }))
      .whereRef('excluded.keep_until', '>', 'revoked_grant.keep_until'),
  );
}

const holders = [
  ['grantId', 'grant_id'],
  ['ownerId', 'owner_id'],
  ['clientId', 'client_id'],
  ['accountId', 'account_id'],
] as const satisfies readonly (readonly [keyof GrantFilter, keyof Tables['oidc_artifact']])[];

/** The condition on artifacts of the grants. An empty filter would match all. */
function matching(of: GrantFilter): Expression<SqlBool> {
  const { eb, and } = expressionBuilder<Tables, 'oidc_artifact'>();
  return and(
    holders.flatMap(([name, column]) => {
      const value = of[name];
      return value === undefined ? [] : [eb(`oidc_artifact.${column}`, '=', value)];
    }),
  );
}

/** Selects the usable refresh tokens of existing grants: for each grant, the one that expires last. */
function selectLive(database: Database, nowSeconds: number, of: GrantFilter) {
  return (
    database
      .selectFrom('oidc_artifact')
      .where('oidc_artifact.model', '=', sql.lit('RefreshToken')) // only with a literal is its index used
      .where('oidc_artifact.consumed_at', 'is', null)
      .where('oidc_artifact.expires_at', '>', nowSeconds)
      .where(matching(of))
      // A token that was being stored while its grant was revoked is not usable.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('oidc_artifact as given')
            .select('given.grant_id')
            .whereRef('given.grant_id', '=', 'oidc_artifact.grant_id')
            .where('given.model', '=', 'Grant'),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('oidc_artifact as later')
              .select('later.grant_id')
              .whereRef('later.grant_id', '=', 'oidc_artifact.grant_id')
              .where('later.model', '=', 'RefreshToken')
              .where('later.consumed_at', 'is', null)
              .where(({ eb, refTuple }) =>
                eb(
                  refTuple('later.expires_at', 'later.id_hash'),
                  '>',
                  refTuple('oidc_artifact.expires_at', 'oidc_artifact.id_hash'),
                ),
              ),
          ),
        ),
      )
  );
}

async function listGrants(
  database: Database,
  { nowSeconds, limit, ...of }: GrantQuery,
): Promise<readonly GrantRecord[]> {
  return selectLive(database, nowSeconds, of)
    .select([
      'oidc_artifact.grant_id as grantId',
      'oidc_artifact.owner_id as ownerId',
      'oidc_artifact.account_id as accountId',
      'oidc_artifact.client_id as clientId',
      'oidc_artifact.payload',
      'oidc_artifact.expires_at as expiresAt',
    ])
    .where('oidc_artifact.owner_id', 'is not', null)
    .where('oidc_artifact.account_id', 'is not', null)
    .where('oidc_artifact.client_id', 'is not', null)
    .$narrowType<{ grantId: NotNull; ownerId: NotNull; accountId: NotNull; clientId: NotNull; expiresAt: NotNull }>()
    .orderBy('oidc_artifact.expires_at', 'desc') // a year from the login, also after refreshes
    .orderBy('oidc_artifact.id_hash', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Revokes all grants that match the filter, also those that can't be refreshed.
 *
 * @param audit written unless there is nothing to revoke
 * @returns the number of revoked grants that could be refreshed
 */
export async function revokeGrants(
  transaction: DatabaseTransaction,
  of: GrantFilter,
  {
    atSeconds,
    keepUntilSeconds,
    audit,
  }: { atSeconds: number; keepUntilSeconds: number; audit?: AuditEntry | undefined },
): Promise<number> {
  if (holders.every(([name]) => of[name] === undefined))
    throw new RangeError('the filter of a revocation must not be empty');
  const named = transaction.selectFrom('oidc_artifact').where(matching(of));
  const grants = named
    .select('grant_id')
    .groupBy('grant_id')
    .where('grant_id', 'is not', null)
    .$narrowType<{ grant_id: NotNull }>();
  // As in `revokeGrant`, and in one order.
  await insertRevoked(transaction)
    .columns(['grant_id', 'revoked_at', 'keep_until'])
    .expression(
      grants
        .select(({ val }) => [val(atSeconds).as('revoked_at'), val(keepUntilSeconds).as('keep_until')])
        .orderBy('grant_id'),
    )
    .execute();
  // A grant that was given since then is not revoked: its artifacts stay. Looked up one by one: PostgreSQL would join all revoked grants.
  const isRevoked = sql<SqlBool>`(select r.revoked_at from revoked_grant as r where r.grant_id = oidc_artifact.grant_id) is not null`;
  // A revocation that was first has left nothing.
  if ((await named.select('grant_id').where(isRevoked).limit(1).execute()).length === 0) return 0;
  if (audit !== undefined) await addAuditEntry(transaction, audit);
  const { live } = await selectLive(transaction, atSeconds, of)
    .where(isRevoked)
    .select(({ fn }) => fn.countAll<number>().as('live'))
    .executeTakeFirstOrThrow();
  await transaction.deleteFrom('oidc_artifact').where('grant_id', 'in', grants).where(isRevoked).execute();
  return live;
}
