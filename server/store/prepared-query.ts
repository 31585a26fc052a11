import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Runs the query with its arguments, in the transaction if one is given. */
export type PreparedQuery<Arguments, Row> = (
  argument: Arguments,
  within?: Database | DatabaseTransaction,
) => Promise<readonly Row[]>;

/** The same for a statement that changes rows. @returns their number */
export type PreparedWrite<Arguments> = (
  argument: Arguments,
  within?: Database | DatabaseTransaction,
) => Promise<number>;

/**
 * Compiles a query once, at its first run; each run only fills in its arguments. Building the query again would take several times as long
 * as SQLite's answer to a read by key, and building all queries as long as the rest of opening a store.
 *
 * @param build gets a placeholder for every argument. It may pass placeholders on as values, but never read them.
 */
export function prepareQuery<Arguments extends object, Row>(
  database: Database,
  build: (argument: Arguments) => Compilable<Row>,
): PreparedQuery<Arguments, Row> {
  const run = prepare(database, build);
  return async (argument, within) => (await run(argument, within)).rows;
}

export function prepareWrite<Arguments extends object>(
  database: Database,
  build: (argument: Arguments) => Compilable,
): PreparedWrite<Arguments> {
  const run = prepare(database, build);
  return async (argument, within) => Number((await run(argument, within)).numAffectedRows ?? 0n);
}

function prepare<Arguments extends object, Row>(
  database: Database,
  build: (argument: Arguments) => Compilable<Row>,
): (argument: Arguments, within?: Database | DatabaseTransaction) => Promise<QueryResult<Row>> {
  let compiled: CompiledQuery<Row> | undefined;
  const compile = (): CompiledQuery<Row> => {
    const standIns = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) });
    return build(standIns as Arguments).compile();
  };
  return async (argument, within) => {
    compiled ??= compile();
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? (argument as Readonly<Record<string, unknown>>)[parameter.name] : parameter,
    );
    const query: CompiledQuery<Row> = { ...compiled, parameters };
    return (within ?? database).executeQuery(query);
  };
}
