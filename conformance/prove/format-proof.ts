import { counted, printable, printableParts } from '../contract/printable.ts';
import { type Cell, type CellState, families, type Proof } from './proof.ts';

/** Cells of the table by their state. */
const marks: Readonly<Record<CellState, string>> = { caught: 'ok', missed: 'MISS', 'not applicable': '-' };

/** Share of cells that are not applicable, beyond which each is explained: a table of dashes proves little. */
const mostUnexplained = 0.2;

/** Numbers of cells by their state. */
export function countCells({ operations }: Proof): Readonly<Record<CellState | 'all', number>> {
  const cells = operations.flatMap((one) => one.cells);
  const count = (state: CellState): number => cells.filter((cell) => cell.state === state).length;
  const [caught, missed, none] = [count('caught'), count('missed'), count('not applicable')];
  return { all: cells.length, caught, missed, 'not applicable': none };
}

/** The table for people: operations by kinds of fault, what was missed with its fix, and what does not apply with its reason. */
export function formatProof(given: Proof): string {
  const proof = printableParts(given);
  const counts = countCells(proof);
  const sections = [
    formatTable(proof),
    'ok: a run reports this fault   MISS: a run does not report it   -: the contract has no such fault',
    formatMissed(proof),
    formatPassThrough(proof),
    formatUnused(proof, counts['not applicable'] > mostUnexplained * counts.all),
    `Caught ${counts.caught} of ${counts.caught + counts.missed} injected faults; ${counts['not applicable']} of ${counted(counts.all, 'cell')} do not apply.`,
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function formatTable({ operations }: Proof): string {
  const names = families.map(({ name }) => name);
  const totals = names.map((name) => {
    const own = operations.flatMap(({ cells }) => cells.filter(({ family }) => family === name));
    const caught = own.filter(({ state }) => state === 'caught').length;
    return `${caught}/${own.filter(({ state }) => state !== 'not applicable').length}`;
  });
  const rows = [
    ['', ...names],
    ...operations.map(({ operation, cells }) => [operation, ...cells.map(({ state }) => marks[state])]),
    ['caught', ...totals],
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf({ operations }: Proof, state: CellState): readonly (Cell & { readonly operation: string })[] {
  return operations.flatMap(({ operation, cells }) =>
    cells.filter((cell) => cell.state === state).map((cell) => ({ ...cell, operation })),
  );
}

function formatMissed(proof: Proof): string {
  const missed = cellsOf(proof, 'missed');
  if (missed.length === 0) return '';
  const about = new Map(families.map((family) => [family.name, family.about]));
  const parts = missed.map(({ operation, family, check, injected, reason = '', fix = '' }) =>
    [
      `${operation}   ${family}: ${about.get(family)}   (${check})`,
      ...(injected === undefined ? [] : [`  injected   ${injected}`]),
      `  missed    ${reason}`,
      `  fix       ${fix}`,
    ].join('\n'),
  );
  return `Missed: ${missed.length}. A deployment with such a fault passes.\n\n${parts.join('\n')}`;
}

function formatPassThrough({ passThrough }: Proof): string {
  if (passThrough.length === 0) return '';
  const lines = passThrough.map((text) => `  ${printable(text)}`);
  return `Reported without a change, so that injected faults prove nothing there:\n${lines.join('\n')}`;
}

/** The reasons row by row, or each reason once. */
function formatUnused(proof: Proof, isEach: boolean): string {
  const unused = cellsOf(proof, 'not applicable');
  if (unused.length === 0) return '';
  const groups = isEach
    ? Map.groupBy(unused, ({ operation, reason }) => `${operation}\n${reason}`)
    : Map.groupBy(unused, ({ reason }) => `\n${reason}`);
  const rows = [...groups].map(([key, own]) => {
    const [operation = '', reason = ''] = key.split('\n');
    const kinds = [...new Set(own.map(({ family }) => family))].join(', ');
    return { head: isEach ? operation : counted(own.length, 'cell'), text: `${kinds}: ${reason}` };
  });
  const width = Math.max(...rows.map(({ head }) => head.length));
  return `Does not apply:\n${rows.map(({ head, text }) => `  ${head.padEnd(width)}  ${text}`).join('\n')}`;
}
