/** Rows per statement: with 13 columns each, they stay far below SQLite's 32,766 parameters. */
const rowsPerStatement = 500;

export function* takeBatches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) yield rows.slice(start, start + rowsPerStatement);
}
