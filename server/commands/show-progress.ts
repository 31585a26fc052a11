/** Shorter runs print no progress. */
const silentMs = 2000;
const betweenLinesMs = { terminal: 100, plain: 2000 };

/** The part of `process.stderr` that shows the progress. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** The number of objects or rows that are done, by their kind. */
type Progress = Readonly<Record<string, { readonly done: number; readonly total: number }>>;

/**
 * Shows the progress of a command: on a terminal in one line, otherwise in a new line every two seconds.
 *
 * @param elapsed milliseconds since the start of the command
 * @returns `show` for each step, with the name of the work, `end` to call before other output
 */
export function createProgress(stream: ProgressStream, elapsed: () => number) {
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show: (what: string, progress: Progress): void => {
      const at = elapsed();
      const pause = stream.isTTY ? betweenLinesMs.terminal : betweenLinesMs.plain;
      if (at < silentMs || at - shownAt < pause) return;
      shownAt = at;
      const text = describe(what, progress);
      stream.write(stream.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
    },
    end: (): void => {
      if (stream.isTTY && shownAt >= 0) stream.write('\r\u001b[K');
    },
  };
}

function describe(what: string, progress: Progress): string {
  const parts = Object.entries(progress).filter(([, { total }]) => total > 0);
  return `${what}: ${parts.map(([name, { done, total }]) => `${name} ${done} of ${total}`).join(', ')}`;
}

/**
 * Prints the progress of a copy in a new line every two seconds.
 *
 * @param time milliseconds since any fixed instant
 */
export function createCopyProgress(
  what: string,
  { time, write }: { readonly time: () => number; readonly write: (line: string) => void },
): (written: number, pages: number) => void {
  let printedAt = time();
  return (written, pages) => {
    if (time() - printedAt < silentMs) return;
    printedAt = time();
    write(`${what}: ${Math.floor((100 * written) / pages)} % of ${pages} pages\n`);
  };
}
