import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Runs with its arguments, in a transaction where one is given. */
export type PreparedQuery<Arguments, Row> = (
  argument: Arguments,
  within?: DatabaseTransaction,
) => Promise<readonly Row[]>;

/** The same for a statement that changes rows. @returns how many */
export type PreparedWrite<Arguments> = (argument: Arguments, within?: DatabaseTransaction) => Promise<number>;

/**
 * Compiles a query once, when it is first run; each run only fills in its arguments. Building it anew costs several times what SQLite
 * needs to answer a read by key, and building all of them as long as opening a store does without.
 *
 * @param build gets a stand-in for every argument. It may hand them on as values, never look at them.
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
): (argument: Arguments, within?: DatabaseTransaction) => Promise<QueryResult<Row>> {
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
