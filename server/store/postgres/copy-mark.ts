import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';
import { StoreUnusable } from '../store-unusable.ts';

/** The table of an unfinished copy. It exists from before the first table of the schema until all rows are there. */
const table = 'unfinished_copy';

/** The database that a copy comes from. */
export interface CopyOrigin {
  /** Its absolute path. */
  readonly source: string;
  /** The file at the beginning of the copy; another text after any change. */
  readonly state: string;
}

type Content = { readonly kind: 'own' | 'copy' | 'empty' } | { readonly kind: 'foreign'; readonly table: string };

/** Recognizes a database by its tables. */
export async function readContent(database: Kysely<Tables>): Promise<Content> {
  const { rows } = await sql<{ relation: string; columns: string }>`
    select relname as relation, string_agg(attname, ',' order by attnum) as columns
    from pg_class left join pg_attribute on attrelid = pg_class.oid and attnum > 0
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
    group by relname order by relname
  `.execute(database);
  const found = new Map(rows.map(({ relation, columns }) => [relation, columns]));
  if (found.get(table) === 'source,state') return { kind: 'copy' };
  if (found.get('schema_version') === 'version,name,applied_at' && found.has('device')) return { kind: 'own' };
  const [foreign] = found.keys();
  return foreign === undefined ? { kind: 'empty' } : { kind: 'foreign', table: foreign };
}

export async function writeMark(database: Kysely<Tables>, { source, state }: CopyOrigin): Promise<void> {
  await sql`create table ${sql.table(table)} (source text not null, state text not null)`.execute(database);
  await sql`insert into ${sql.table(table)} values (${source}, ${state})`.execute(database);
}

export async function readMark(database: Kysely<Tables>): Promise<CopyOrigin | undefined> {
  const { rows } = await sql<CopyOrigin>`select source, state from ${sql.table(table)}`.execute(database);
  return rows[0];
}

export async function removeMark(database: Kysely<Tables>): Promise<void> {
  await sql`drop table ${sql.table(table)}`.execute(database);
}

/** The error of a program that needs the whole data. */
export async function describeUnfinished(database: Kysely<Tables>, name: string): Promise<StoreUnusable> {
  const source = (await readMark(database))?.source ?? 'FILE';
  return new StoreUnusable('incomplete', `${name} has only a part of ${source}: the copy is unfinished.`, {
    fixes: [
      { message: 'Complete it', command: ['lockstep-server', 'copy', '--from', `sqlite:${source}`, '--to', name] },
    ],
  });
}
