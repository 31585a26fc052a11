import { StoreUnusable } from './store-unusable.ts';

/** A value of a row: SQLite and PostgreSQL give the same ones for all types of the schema. */
export type Value = string | number | Buffer | null;
export type Row = Readonly<Record<string, Value>>;
/** The values of a primary key, in the order of its columns. */
export type Key = readonly Value[];

/** A table of the schema. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[];
}

export function keyOf({ key }: CopiedTable, row: Row): Key {
  return key.map((column) => row[column] ?? null);
}

/** A row as JSON: equal rows have equal texts, and PostgreSQL reads it as a row. */
export function formatRow({ columns }: CopiedTable, row: Row): string {
  const values = columns.map((column) => {
    const value = row[column] ?? null;
    return [column, value instanceof Buffer ? `\\x${value.toString('hex')}` : value];
  });
  return JSON.stringify(Object.fromEntries(values));
}

/**
 * A row of SQLite as PostgreSQL stores it: without NUL in text, as the store writes it there.
 *
 * @returns the same object if it needs no change
 * @throws StoreUnusable `corrupt` for NUL in a key, or a number that is no exact one: the server writes neither
 */
export function adaptRow({ name, key }: CopiedTable, row: Row): Row {
  let adapted = row;
  for (const [column, value] of Object.entries(row)) {
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      throw new StoreUnusable('corrupt', `a row of the table ${name} has a number in ${column} beyond 2^53`);
    if (typeof value !== 'string' || !value.includes('\0')) continue;
    if (key.includes(column))
      throw new StoreUnusable(
        'corrupt',
        `a row of the table ${name} has NUL in its key ${column}, which PostgreSQL can't store: ${JSON.stringify(value)}`,
      );
    adapted = { ...adapted, [column]: value.replaceAll('\0', '\uFFFD') };
  }
  return adapted;
}
