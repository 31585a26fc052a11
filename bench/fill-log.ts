import Database from 'better-sqlite3';

/** Seconds between two entries of the log. */
export const secondsApart = 3;
/** 2026-01-01T00:00:00Z, the first entry. */
export const firstEntryAt = Date.UTC(2026, 0, 1);

/**
 * Fills a lock's log behind the server's back: as many entries as asked for, 10 million of which would take a quarter of an hour through
 * HTTP. Ids are spread over all values, as hashes are.
 */
export function fillLog(path: string, deviceId: string, count: number, progress: (done: number) => void): void {
  const database = new Database(path);
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -1000000');
  const fill = database.prepare(`
    with recursive number(value) as (select @from union all select value + 1 from number where value < @to - 1)
    insert into activity (device_id, at, id, received_at, type, method, raw_type, first_use, pin_id, access_name, details)
    select @deviceId, @start + value * @apart, lower(hex(randomblob(12))), @start + value * @apart + 1000, 'UNLOCK', 'pin', 18, null,
      lower(hex(randomblob(12))), 'Guest ' || (value % 1000), '{}'
    from number`);
  const step = 100_000;
  for (let from = 0; from < count; from += step) {
    const to = Math.min(from + step, count);
    fill.run({ from, to, deviceId, start: firstEntryAt, apart: secondsApart * 1000 });
    progress(to);
  }
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Stores batches of 100 such rows in a table of the same keys, each batch synced: what SQLite itself takes. @returns milliseconds */
export function insertBare(path: string, batches: number, round: number): number {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(`create table if not exists activity (device_id text not null, at integer not null, id text not null,
    received_at integer not null, type text not null, method text not null, raw_type integer, first_use integer, pin_id text,
    access_name text, details text not null, primary key (device_id, at, id)) without rowid, strict;
    create unique index if not exists activity_once on activity (device_id, id);
    create index if not exists activity_by_arrival on activity (received_at)`);
  const insert = database.prepare(`insert or ignore into activity
    select @deviceId, @at, lower(hex(randomblob(12))), @at, 'LOCK', 'key', 51, null, null, null, '{}'`);
  const store = database.transaction((batch: number) => {
    for (let index = 0; index < 100; index += 1)
      insert.run({ deviceId: 'LK2A00000001', at: (round * batches + batch) * 100 + index });
  });
  const start = performance.now();
  for (let batch = 0; batch < batches; batch += 1) store.immediate(batch);
  const time = performance.now() - start;
  database.close();
  return time;
}
