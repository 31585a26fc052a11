import type { Database } from './database.ts';
import { prepareQuery } from './prepared-query.ts';
import type { OidcArtifact, OidcStore } from './store.ts';

const columns = [
  'model',
  'id_hash as idHash',
  'grant_id as grantId',
  'uid',
  'payload',
  'expires_at as expiresAt',
  'purge_at as purgeAt',
] as const;

type Key = Pick<OidcArtifact, 'model' | 'idHash'>;

export function createOidcStore(database: Database): OidcStore {
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
  return {
    put: (artifact) => put(database, artifact),
    find: async (model, idHash) => (await findByKey({ model, idHash }))[0],
    findSession: async (uid) => (await findSessionByUid({ uid }))[0],
    consume: async (model, idHash, atSeconds) => {
      // The condition decides, not a read before it: of any number of requests at once one changes the row.
      const { numUpdatedRows } = await database
        .updateTable('oidc_artifact')
        .set({ consumed_at: atSeconds })
        .where('model', '=', model)
        .where('id_hash', '=', idHash)
        .where('consumed_at', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },
    remove: async (model, idHash) => {
      await database.deleteFrom('oidc_artifact').where('model', '=', model).where('id_hash', '=', idHash).execute();
    },
    removeOfGrant: async (grantId, model) => {
      await database.deleteFrom('oidc_artifact').where('grant_id', '=', grantId).where('model', '=', model).execute();
    },
    revokeGrant: (grantId, idHash, atSeconds, keepUntilSeconds) =>
      revokeGrant(database, { grantId, idHash, atSeconds, keepUntilSeconds }),
    isGrantRevoked: async (grantId) => (await findRevoked({ grantId })).length > 0,
    purge: (nowSeconds, atMost) => purge(database, nowSeconds, atMost),
  };
}

async function put(database: Database, artifact: OidcArtifact): Promise<void> {
  const { model, idHash, grantId, uid, payload, expiresAt, purgeAt } = artifact;
  await database
    .insertInto('oidc_artifact')
    .values((eb) => ({
      model,
      id_hash: idHash,
      grant_id: grantId,
      uid,
      uid_generation:
        uid === null
          ? null
          : eb
              .selectFrom('oidc_artifact as other')
              .select(({ fn, lit }) => eb(fn.coalesce(fn.max('other.uid_generation'), lit(0)), '+', 1).as('next'))
              .where('other.uid', '=', uid),
      payload,
      expires_at: expiresAt,
      purge_at: purgeAt,
    }))
    .onConflict((conflict) =>
      conflict.columns(['model', 'id_hash']).doUpdateSet(({ ref }) => ({
        grant_id: ref('excluded.grant_id'),
        uid: ref('excluded.uid'),
        uid_generation: ref('excluded.uid_generation'),
        payload: ref('excluded.payload'),
        expires_at: ref('excluded.expires_at'),
        purge_at: ref('excluded.purge_at'),
      })),
    )
    .execute();
}

async function revokeGrant(
  database: Database,
  of: { grantId: string; idHash: string; atSeconds: number; keepUntilSeconds: number },
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('oidc_artifact').where('grant_id', '=', of.grantId).execute();
    await transaction
      .deleteFrom('oidc_artifact')
      .where('model', '=', 'Grant')
      .where('id_hash', '=', of.idHash)
      .execute();
    await transaction
      .insertInto('revoked_grant')
      .values({ grant_id: of.grantId, revoked_at: of.atSeconds, keep_until: of.keepUntilSeconds })
      .onConflict((conflict) =>
        conflict
          .column('grant_id')
          .doUpdateSet(({ ref }) => ({ keep_until: ref('excluded.keep_until') }))
          .whereRef('excluded.keep_until', '>', 'revoked_grant.keep_until'),
      )
      .execute();
  });
}

/** Correctness never depends on it: what is expired or revoked is refused whether the row is there or not. */
async function purge(database: Database, nowSeconds: number, atMost: number): Promise<number> {
  return database.transaction().execute(async (transaction) => {
    const artifacts = await transaction
      .deleteFrom('oidc_artifact')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('model', 'id_hash'),
          'in',
          selectFrom('oidc_artifact as due')
            .select(['due.model', 'due.id_hash'])
            .where('due.purge_at', '<=', nowSeconds)
            .orderBy('due.purge_at')
            .limit(atMost)
            .$asTuple('model', 'id_hash'),
        ),
      )
      .executeTakeFirstOrThrow();
    const left = atMost - Number(artifacts.numDeletedRows);
    const grants = await transaction
      .deleteFrom('revoked_grant')
      .where('grant_id', 'in', ({ selectFrom }) =>
        selectFrom('revoked_grant as due')
          .select('due.grant_id')
          .where('due.keep_until', '<=', nowSeconds)
          .orderBy('due.keep_until')
          .limit(left),
      )
      .executeTakeFirstOrThrow();
    return atMost - left + Number(grants.numDeletedRows);
  });
}
