import BetterSqlite3 from 'better-sqlite3';
import { type CompiledQuery, Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { migrate } from '../migrations/migrate.ts';
import type { Tables } from '../schema.ts';
import { ImmediateDialect } from '../sqlite/immediate-dialect.ts';
import { sqliteSpelling } from '../sqlite/sqlite-spelling.ts';
import { prepareDeviceList } from './device-list.ts';
import type { DeviceQuery } from './device-store.ts';

// If this fails, each page reads and sorts all devices of an account.

const indexes = { deviceName: 'device_by_name', pairedAt: 'device_by_pairing' };

test('each shape of a list begins at its position in an index, reads in its order, and sorts nothing', async () => {
  const connection = new BetterSqlite3(':memory:');
  let sent: CompiledQuery | undefined;
  const database = new Kysely<Tables>({
    dialect: new ImmediateDialect(connection),
    log: ({ query }) => {
      sent = query;
    },
  });
  await migrate(database, sqliteSpelling, () => 0);
  const list = prepareDeviceList(database, sqliteSpelling);
  const texts = new Set<string>();
  const shapes = makeShapes();
  for (const query of shapes) {
    await list(query);
    const { sql = '', parameters = [] } = sent ?? {};
    texts.add(sql);
    const plan = connection.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[];
    const place = query.after === undefined ? '' : ' AND .*[<>]';
    const first = new RegExp(`^SEARCH device USING INDEX ${indexes[query.sort.by]} \\(account_id=\\?${place}`);
    expect(plan[0]?.detail, sql).toMatch(first);
    expect(plan.map(({ detail }) => detail).join('\n'), sql).not.toMatch(/TEMP B-TREE|SCAN/);
  }
  expect(texts.size).toBe(shapes.length);
  await database.destroy();
});

function makeShapes(): DeviceQuery[] {
  const flags = [false, true];
  const places = { deviceName: { value: 'a', deviceId: 'b' }, pairedAt: { value: 1, deviceId: 'b' } };
  return (['deviceName', 'pairedAt'] as const).flatMap((by) =>
    flags.flatMap((descending) =>
      flags.flatMap((algoPinOnly) =>
        [undefined, 'Lock' as const].flatMap((type) =>
          [undefined, 'front'].flatMap((search) =>
            [undefined, places[by]].map((after) => ({
              accountId: 'account-a',
              sort: { by, descending },
              algoPinOnly,
              type,
              search,
              after,
              limit: 10,
            })),
          ),
        ),
      ),
    ),
  );
}
