// Rows of a covering array (NIST SP 800-142): every class of every factor once, then pairs of them. The caller leaves out what a server
// rejects, row by row. So npm's generators, which compute all rows from fixed factors, do not fit.

/** A part of a request, with the classes of its values. */
export interface CoverFactor {
  readonly name: string;
  readonly classes: readonly string[];
}

/** A class in a row, by the indexes of its factor and of itself. */
export interface Cell {
  readonly factor: number;
  readonly index: number;
}

export interface CoveringArray {
  /**
   * The next row: factors without a cell keep their accepted value. Greedy: the factor with the most open classes chooses first.
   *
   * @returns no cell if nothing is open
   */
  readonly next: () => readonly Cell[];
  /** Counts cells, and each pair of them, as covered. */
  readonly cover: (cells: readonly Cell[]) => void;
  /** Leaves out a class, or a whole factor, from now on. */
  readonly drop: (factor: number, index?: number) => void;
  readonly hasOpen: () => boolean;
  /** Whether a class is open; pairs are open as long as both classes are in use. */
  readonly isOpen: (cell: Cell) => boolean;
}

/** @param mayMeet whether two factors can differ in the same row */
export function createCoveringArray(
  factors: readonly CoverFactor[],
  mayMeet: (a: number, b: number) => boolean = () => true,
): CoveringArray {
  const covered = new Set<string>();
  const dropped = new Set<string>();
  const keyOf = ({ factor, index }: Cell): string => `${factor}.${index}`;
  const pairOf = (a: Cell, b: Cell): string =>
    a.factor < b.factor ? `${keyOf(a)} ${keyOf(b)}` : `${keyOf(b)} ${keyOf(a)}`;
  const isUsed = (cell: Cell): boolean => !dropped.has(String(cell.factor)) && !dropped.has(keyOf(cell));
  const isOpen = (cell: Cell): boolean => isUsed(cell) && !covered.has(keyOf(cell));
  const cells = factors.map(({ classes }, factor) => classes.map((_, index): Cell => ({ factor, index })));
  const isOpenPair = (a: Cell, b: Cell): boolean => mayMeet(a.factor, b.factor) && !covered.has(pairOf(a, b));
  const findOpenPair = (): readonly Cell[] => {
    const usable = cells.map((own) => own.filter(isUsed));
    for (const [factor, own] of usable.entries())
      for (const cell of own)
        for (const others of usable.slice(factor + 1)) {
          const other = others.find((one) => isOpenPair(cell, one));
          if (other !== undefined) return [cell, other];
        }
    return [];
  };
  return {
    isOpen,
    hasOpen: () => cells.some((own) => own.some(isOpen)),
    next: () => {
      const countOpen = (factor: number): number => cells[factor]?.filter(isOpen).length ?? 0;
      const order = [...cells.keys()].sort((a, b) => countOpen(b) - countOpen(a) || a - b);
      const row = cells.some((own) => own.some(isOpen)) ? [] : [...findOpenPair()];
      const isStarted = row.length > 0;
      for (const factor of order) {
        if (row.some((other) => other.factor === factor || !mayMeet(factor, other.factor))) continue;
        // One open class is worth more than any number of pairs.
        const gainOf = (cell: Cell): number =>
          (isOpen(cell) ? factors.length : 0) + row.filter((other) => isOpenPair(cell, other)).length;
        const usable = cells[factor]?.filter(isUsed) ?? [];
        const [best] = usable.map((cell) => ({ cell, gain: gainOf(cell) })).sort((a, b) => b.gain - a.gain);
        if (best !== undefined && best.gain > 0) row.push(best.cell);
      }
      return isStarted || row.some(isOpen) ? row.sort((a, b) => a.factor - b.factor) : [];
    },
    cover: (row) => {
      for (const [at, cell] of row.entries()) {
        covered.add(keyOf(cell));
        for (const other of row.slice(at + 1)) covered.add(pairOf(cell, other));
      }
    },
    drop: (factor, index) => {
      dropped.add(index === undefined ? String(factor) : keyOf({ factor, index }));
    },
  };
}
