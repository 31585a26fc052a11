import type { ImportProgress } from './import-apply.ts';

/** What is over in less needs no word. */
const silentMs = 2000;
const betweenLinesMs = { terminal: 100, plain: 2000 };

/** The part of `process.stderr` that it is shown on. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Shows how far an import is: on a terminal in one line, else in a new one each two seconds.
 *
 * @param elapsed milliseconds since the command was given
 * @returns `show` for each step, `end` before anything else is printed
 */
export function createImportProgress(stream: ProgressStream, elapsed: () => number) {
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show: (progress: ImportProgress): void => {
      const at = elapsed();
      const pause = stream.isTTY ? betweenLinesMs.terminal : betweenLinesMs.plain;
      if (at < silentMs || at - shownAt < pause) return;
      shownAt = at;
      const text = describe(progress);
      stream.write(stream.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
    },
    end: (): void => {
      if (stream.isTTY && shownAt >= 0) stream.write('\r\u001b[K');
    },
  };
}

function describe(progress: ImportProgress): string {
  const parts = Object.entries(progress).filter(([, { total }]) => total > 0);
  return `importing: ${parts.map(([name, { done, total }]) => `${name} ${done} of ${total}`).join(', ')}`;
}

/**
 * Says how far a copy is: in a new line each two seconds.
 *
 * @param time milliseconds, counted from anywhere
 */
export function tellProgress(
  what: string,
  { time, write }: { readonly time: () => number; readonly write: (line: string) => void },
): (written: number, pages: number) => void {
  let said = time();
  return (written, pages) => {
    if (time() - said < silentMs) return;
    said = time();
    write(`${what}: ${Math.floor((100 * written) / pages)} % of ${pages} pages\n`);
  };
}
