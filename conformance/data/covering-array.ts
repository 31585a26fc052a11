// Rows of a covering array (NIST SP 800-142): every class of every factor once, then pairs of them. The caller leaves out what a server
// rejects, row by row. So npm's generators, which compute all rows from fixed factors, do not fit.

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
  /** Leaves out a class from now on. */
  readonly drop: (cell: Cell) => void;
  /** Whether a class is open, apart from pairs. */
  readonly hasOpen: () => boolean;
}

/**
 * @param sizes number of classes of each factor
 * @param mayMeet whether two factors can differ in the same row
 */
export function createCoveringArray(
  sizes: readonly number[],
  mayMeet: (a: number, b: number) => boolean = () => true,
): CoveringArray {
  const sumOf = (some: readonly number[]): number => some.reduce((sum, size) => sum + size, 0);
  const starts = sizes.map((_, factor) => sumOf(sizes.slice(0, factor)));
  const count = sumOf(sizes);
  // Numbers: a row compares tens of thousands of pairs.
  const coveredPairs = new Set<number>();
  const covered = new Set<number>();
  const dropped = new Set<number>();
  const idOf = ({ factor, index }: Cell): number => (starts[factor] ?? 0) + index;
  const pairOf = (a: Cell, b: Cell): number =>
    a.factor < b.factor ? idOf(a) * count + idOf(b) : idOf(b) * count + idOf(a);
  const isUsed = (cell: Cell): boolean => !dropped.has(idOf(cell));
  const isOpen = (cell: Cell): boolean => isUsed(cell) && !covered.has(idOf(cell));
  const cells = sizes.map((size, factor) => Array.from({ length: size }, (_, index): Cell => ({ factor, index })));
  const isOpenPair = (a: Cell, b: Cell): boolean => !coveredPairs.has(pairOf(a, b));
  const findOpenPair = (): readonly Cell[] => {
    const usable = cells.map((own) => own.filter(isUsed));
    for (const [factor, own] of usable.entries())
      for (const cell of own)
        for (const [next, others] of usable.slice(factor + 1).entries()) {
          if (!mayMeet(factor, factor + 1 + next)) continue;
          const other = others.find((one) => isOpenPair(cell, one));
          if (other !== undefined) return [cell, other];
        }
    return [];
  };
  return {
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
          (isOpen(cell) ? sizes.length : 0) + row.filter((other) => isOpenPair(cell, other)).length;
        const usable = cells[factor]?.filter(isUsed) ?? [];
        const [best] = usable.map((cell) => ({ cell, gain: gainOf(cell) })).sort((a, b) => b.gain - a.gain);
        if (best !== undefined && best.gain > 0) row.push(best.cell);
      }
      return isStarted || row.some(isOpen) ? row.sort((a, b) => a.factor - b.factor) : [];
    },
    cover: (row) => {
      for (const [at, cell] of row.entries()) {
        covered.add(idOf(cell));
        for (const other of row.slice(at + 1)) coveredPairs.add(pairOf(cell, other));
      }
    },
    drop: (cell) => {
      dropped.add(idOf(cell));
    },
  };
}
