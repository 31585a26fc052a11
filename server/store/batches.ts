/** Rows per statement: with 13 columns each, they stay far below SQLite's 32,766 parameters. */
const rowsPerStatement = 500;

/** Rows that one statement reads, or texts that it looks for: some milliseconds, so that it finishes in time and blocks no other for long. */
export const rowsPerRead = 5000;

export function* takeBatches<Row>(rows: readonly Row[], size: number = rowsPerStatement): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

/** The order in which the devices of an account are read by pages. No id is empty. */
export interface DeviceOrder {
  readonly name_sort: string;
  readonly device_id: string;
}

/**
 * Reads rows of all devices of an account, page after page. A device that is renamed meanwhile may be missed.
 *
 * @param readPage reads the first `rowsPerRead` rows after the place
 */
export async function readByPages<Row extends DeviceOrder>(
  readPage: (after: DeviceOrder) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const pages: (readonly Row[])[] = [];
  let last: Row | undefined;
  do {
    const page = await readPage(last ?? { name_sort: '', device_id: '' });
    pages.push(page);
    last = page[rowsPerRead - 1];
  } while (last !== undefined);
  return pages.flat();
}
