/** Rows of one statement: 13 columns each stay far below the 32,766 parameters of SQLite. */
const rowsPerStatement = 500;

/** The rows in turn, as many at once as one statement takes. */
export function* takeBatches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += rowsPerStatement) yield rows.slice(start, start + rowsPerStatement);
}
