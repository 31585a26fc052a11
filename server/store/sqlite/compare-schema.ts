import { escapeControls } from '@lockstep/json/escape-controls';
import { cut } from '@lockstep/runtime/validation/sentence';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely } from 'kysely';
import { migrate } from '../migrations/migrate.ts';
import { migrations } from '../migrations/migrations.ts';
import type { Tables } from '../schema.ts';
import { ImmediateDialect } from './immediate-dialect.ts';
import { sqliteSpelling } from './sqlite-spelling.ts';

/** A table, index, trigger or view. */
interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** Null for an index that belongs to a key. */
  readonly sql: string | null;
}

/** @returns a sentence for each object that differs from the migrations; none for a schema newer than this code */
export type CompareSchema = (database: BetterSqlite3.Database) => readonly string[];

/**
 * Creates the schema of each version in memory, and compares a file with the schema of its version. A file from elsewhere may contain a
 * trigger that copies passwords into a column that answers show, a view instead of a table, or a table without its constraints. All of
 * these would act inside the server.
 */
export async function createSchemaComparison(): Promise<CompareSchema> {
  const schemas = await makeSchemas();
  return (database) => {
    const version = database.prepare<[], number | null>('select max(version) from schema_version').pluck().get() ?? 0;
    if (version > migrations.length) return [];
    const want = schemas[version - 1] ?? new Map<string, SchemaObject>();
    const found = readSchema(database);
    const encoding = database.pragma('encoding', { simple: true });
    return [
      ...[...found]
        .filter(([key]) => !want.has(key))
        .map(([, object]) => `${describe(object)} is not part of the schema`),
      ...[...want].filter(([key]) => !found.has(key)).map(([, object]) => `${describe(object)} is missing`),
      ...[...found]
        .filter(([key, { sql }]) => want.has(key) && want.get(key)?.sql !== sql)
        .map(([, object]) => `${describe(object)} differs`),
      // Queries compare and sort text by its bytes.
      ...(encoding === 'UTF-8' ? [] : [`its encoding is ${encoding}`]),
    ];
  };
}

/** The schemas of all versions, from version 1 on. */
async function makeSchemas(): Promise<readonly ReadonlyMap<string, SchemaObject>[]> {
  const connection = new BetterSqlite3(':memory:');
  const database = new Kysely<Tables>({ dialect: new ImmediateDialect(connection) });
  const schemas: ReadonlyMap<string, SchemaObject>[] = [];
  try {
    for (const { version } of migrations) {
      await migrate(database, sqliteSpelling, () => 0, migrations.slice(0, version));
      schemas.push(readSchema(connection));
    }
  } finally {
    await database.destroy();
  }
  return schemas;
}

function readSchema(database: BetterSqlite3.Database): Map<string, SchemaObject> {
  const objects = database.prepare<[], SchemaObject>('select type, name, sql from sqlite_schema').all();
  return new Map(objects.map((object) => [`${object.type} ${object.name}`, object]));
}

function describe({ type, name }: SchemaObject): string {
  return `${type} ${escapeControls(JSON.stringify(cut(name)))}`;
}
