import { type NotNull, sql } from 'kysely';
import { type DeviceOrder, readByPages, rowsPerRead } from '../batches.ts';
import type { Database, Spelling } from '../database.ts';
import { prepareDeletion } from '../delete-due.ts';
import { prepareQuery } from '../prepared-query.ts';
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

export function createAccessCodeStore(database: Database, spelling: Spelling): AccessCodeStore {
  const issue = prepareIssue(database);
  const findByIds = prepareQuery<{ pinIds: string }, AccessCode>(database, ({ pinIds }) =>
    database.selectFrom('access_code').select(columns).where(spelling.isAmong('pin_id', pinIds)),
  );
  const countOfPage = prepareCount(database);
  const purge = prepareDeletion(database, spelling, { table: 'access_code', key: ['pin_id'], due: 'ends_at' });
  return {
    issue: async (code) => {
      const [kept] = await issue(code);
      if (kept === undefined) throw new Error('an upsert gave no row back');
      return kept;
    },
    findAll: async (pinIds) => (pinIds.length === 0 ? [] : findByIds({ pinIds: JSON.stringify(pinIds) })),
    countOpen: async (accountId, at) => {
      const rows = await readByPages((after) => countOfPage({ accountId, at, ...after }));
      const open = rows
        .filter(({ codes }) => codes > 0)
        .map(({ device_id, timezone, codes }) => ({ deviceId: device_id, timezone, codes }));
      return open.sort((one, other) => (one.deviceId < other.deviceId ? -1 : 1));
    },
    purge: (endedBefore, atMost) => purge({ dueBy: endedBefore - 1, atMost }),
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

interface DeviceCount extends DeviceOrder {
  readonly timezone: string | null;
  readonly codes: number;
}

/** Counts the open codes of each device of a page. */
function prepareCount(database: Database) {
  return prepareQuery<DeviceOrder & { accountId: string; at: number }, DeviceCount>(
    database,
    ({ accountId, at, name_sort, device_id }) =>
      database
        .selectFrom('device')
        .select(['device.name_sort', 'device.device_id'])
        .select(({ selectFrom }) => [
          selectFrom('device_property as first')
            .innerJoin('property', 'property.id', 'first.property_id')
            .select('property.timezone')
            .whereRef('first.device_id', '=', 'device.device_id')
            .where('first.position', '=', sql.lit(0))
            .as('timezone'),
          selectFrom('access_code')
            .select(({ fn }) => fn.countAll<number>().as('codes'))
            .whereRef('access_code.device_id', '=', 'device.device_id')
            .whereRef('access_code.generation', '=', 'device.pairing_generation')
            .where(({ eb, or }) => or([eb('access_code.ends_at', 'is', null), eb('access_code.ends_at', '>', at)]))
            .as('codes'),
        ])
        .$narrowType<{ codes: NotNull }>()
        .where('device.account_id', '=', accountId)
        .where(({ eb, refTuple, tuple }) => eb(refTuple('name_sort', 'device_id'), '>', tuple(name_sort, device_id)))
        .orderBy('device.name_sort')
        .orderBy('device.device_id')
        .limit(sql.lit(rowsPerRead)),
  );
}
