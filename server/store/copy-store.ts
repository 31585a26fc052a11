import { adaptRow, formatRow, type Key, keyOf } from './copy-rows.ts';
import { type DatabaseAddress, describeDatabase } from './database-address.ts';
import type { CopyTarget } from './postgres/copy-target.ts';
import type { CopySource, SourceTable } from './sqlite/copy-source.ts';
import { isLostConnection, StoreUnavailable } from './store.ts';
import { StoreUnusable } from './store-unusable.ts';

export interface CopyRun {
  /** Stops the copy between two batches with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called after each batch. */
  readonly onProgress: (step: 'copying' | 'comparing', table: string, done: number, total: number) => void;
}

export interface CopiedStore {
  /** The number of rows of each table, in the order of copying. */
  readonly tables: Readonly<Record<string, number>>;
  /** The number of rows in which NUL became U+FFFD. */
  readonly changedRows: number;
  /** Whether an earlier run had begun the copy. */
  readonly isResumed: boolean;
}

/** The connection was lost at the end, and nobody knows whether the copy is complete. */
export class UnsureCopy extends StoreUnavailable {
  override readonly name = 'UnsureCopy';

  constructor(database: string, cause: StoreUnavailable) {
    super(
      `All rows are copied and equal, but the connection was lost at the end: ${cause.message}. Run the same command again: ` +
        `it completes the copy, or it reports that ${database} is not empty. In that case the copy is complete: serve from it.`,
      { cause, reason: cause.reason },
    );
  }
}

type AddressOf<Kind> = Extract<DatabaseAddress, { kind: Kind }>;

/**
 * Copies a SQLite database into an empty PostgreSQL database, and then reads each row there and compares it. If it is interrupted in any way,
 * another call goes on after the last batch. Until all is done, no server starts on the copy.
 *
 * @throws StoreUnusable as `openCopySource` and `withCopyTarget`, StoreUnavailable when the connection is lost, UnsureCopy when it is lost at the
 *   end, the reason of the signal
 */
export async function copyStore(
  from: AddressOf<'sqlite'>,
  to: AddressOf<'postgres'>,
  run: CopyRun,
): Promise<CopiedStore> {
  const [{ openCopySource }, { withCopyTarget }] = await Promise.all([
    import('./sqlite/copy-source.ts'),
    import('./postgres/copy-target.ts'),
  ]);
  const source = await openCopySource(from.file);
  const name = describeDatabase(to);
  try {
    return await withCopyTarget(to.url, name, { source: from.file, state: source.state }, async (target) => {
      for (const table of source.tables) await copyTable(source, target, table, run);
      let changedRows = 0;
      for (const table of source.tables) changedRows += await compareTable(source, target, table, run);
      await target.finish(source.tables).catch((error) => {
        throw isLostConnection(error) ? new UnsureCopy(name, error) : error;
      });
      const tables = Object.fromEntries(source.tables.map((table) => [table.name, table.rows]));
      return { tables, changedRows, isResumed: target.isResumed };
    });
  } finally {
    source.close();
  }
}

async function copyTable(
  source: CopySource,
  target: CopyTarget,
  table: SourceTable,
  { signal, onProgress }: CopyRun,
): Promise<void> {
  const last = await target.findLast(table);
  let done = last === undefined ? 0 : await target.count(table);
  for (const rows of source.readBatches(table, last)) {
    signal.throwIfAborted();
    await target.insert(
      table,
      rows.map((row) => formatRow(table, adaptRow(table, row))),
    );
    done += rows.length;
    onProgress('copying', table.name, done, table.rows);
  }
}

/** @returns the number of rows that differ by NUL alone */
async function compareTable(
  source: CopySource,
  target: CopyTarget,
  table: SourceTable,
  { signal, onProgress }: CopyRun,
): Promise<number> {
  const count = await target.count(table);
  if (count !== table.rows) throw differ(`${count} of ${table.rows} rows of the table ${table.name}`);
  let done = 0;
  let changed = 0;
  let before: Key | undefined;
  for (const rows of source.readBatches(table, undefined)) {
    signal.throwIfAborted();
    const last = keyOf(table, rows.at(-1) ?? {});
    const copies = await target.readRange(table, before, last);
    for (const [place, row] of rows.entries()) {
      const adapted = adaptRow(table, row);
      if (adapted !== row) changed += 1;
      if (formatRow(table, adapted) !== formatRow(table, copies[place] ?? {}))
        throw differ(`another row at ${keyOf(table, row).join(', ')} of the table ${table.name}`);
    }
    before = last;
    done += rows.length;
    onProgress('comparing', table.name, done, table.rows);
  }
  return changed;
}

/** Somebody else has written to the copy, or changed its schema. */
function differ(found: string): StoreUnusable {
  return new StoreUnusable('corrupt', `The copy has ${found}. Copy again, into another empty database.`);
}
