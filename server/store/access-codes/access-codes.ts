import { sql } from 'kysely';
import type { Database, Spelling } from '../database.ts';
import { prepareQuery, prepareWrite } from '../prepared-query.ts';
import type { AccessCode, AccessCodeStore } from './access-code-store.ts';

const columns = [
  'pin_id as pinId',
  'device_id as deviceId',
  'generation',
  'kind',
  'starts_at as startsAt',
  'ends_at as endsAt',
  'activate_by as activateBy',
  'variance',
  'duration_hours as durationHours',
  'access_name as accessName',
  'issued_at as issuedAt',
] as const;

export function createAccessCodeStore(database: Database, { jsonTexts }: Spelling): AccessCodeStore {
  const issue = prepareIssue(database);
  const findByIds = prepareQuery<{ pinIds: string }, AccessCode>(database, ({ pinIds }) =>
    database
      .selectFrom('access_code')
      .select(columns)
      .where('pin_id', 'in', jsonTexts(sql`${pinIds}`)),
  );
  const purge = prepareWrite<{ endedBefore: number; atMost: number }>(database, ({ endedBefore, atMost }) =>
    database
      .deleteFrom('access_code')
      .where('pin_id', 'in', ({ selectFrom }) =>
        selectFrom('access_code as due')
          .select('due.pin_id')
          .where('due.ends_at', '<', endedBefore)
          .orderBy('due.ends_at')
          .limit(atMost),
      )
      // Again for the row itself: another process may have issued the code anew since it was selected.
      .where('ends_at', '<', endedBefore),
  );
  return {
    issue: async (code) => {
      const [kept] = await issue(code);
      if (kept === undefined) throw new Error('an upsert gave no row back');
      return kept;
    },
    findAll: async (pinIds) => (pinIds.length === 0 ? [] : findByIds({ pinIds: JSON.stringify(pinIds) })),
    countOpen: async (accountId, at) => {
      const rows = await database
        .selectFrom('access_code')
        .innerJoin('device', (join) =>
          join
            .onRef('device.device_id', '=', 'access_code.device_id')
            .onRef('device.pairing_generation', '=', 'access_code.generation'),
        )
        .leftJoin('device_property', (join) =>
          join.onRef('device_property.device_id', '=', 'device.device_id').on('device_property.position', '=', 0),
        )
        .leftJoin('property', 'property.id', 'device_property.property_id')
        .where('device.account_id', '=', accountId)
        .where(({ eb, or }) => or([eb('access_code.ends_at', 'is', null), eb('access_code.ends_at', '>', at)]))
        .groupBy(['device.device_id', 'property.timezone'])
        .orderBy('device.device_id')
        .select(['device.device_id as deviceId', 'property.timezone'])
        .select(({ fn }) => fn.countAll<number>().as('codes'))
        .execute();
      return rows.map(({ codes, ...row }) => ({ ...row, codes: Number(codes) }));
    },
    purge: (endedBefore, atMost) => purge({ endedBefore, atMost }),
  };
}

function prepareIssue(database: Database) {
  return prepareQuery<AccessCode, AccessCode>(database, (code) =>
    database
      .insertInto('access_code')
      .values({
        pin_id: code.pinId,
        device_id: code.deviceId,
        generation: code.generation,
        kind: code.kind,
        starts_at: code.startsAt,
        ends_at: code.endsAt,
        activate_by: code.activateBy,
        variance: code.variance,
        duration_hours: code.durationHours,
        access_name: code.accessName,
        issued_at: code.issuedAt,
      })
      .onConflict((conflict) =>
        conflict.column('pin_id').doUpdateSet(({ ref, eb }) => ({
          // The same digits have another window in another timezone. After a new pairing they may be another code: one in some 10^9.
          generation: ref('excluded.generation'),
          kind: ref('excluded.kind'),
          starts_at: ref('excluded.starts_at'),
          ends_at: ref('excluded.ends_at'),
          activate_by: ref('excluded.activate_by'),
          variance: ref('excluded.variance'),
          duration_hours: ref('excluded.duration_hours'),
          access_name: ref('excluded.access_name'),
          issued_at: eb
            .case()
            .when('excluded.generation', '=', ref('access_code.generation'))
            .then(ref('access_code.issued_at'))
            .else(ref('excluded.issued_at'))
            .end(),
        })),
      )
      .returning(columns),
  );
}
