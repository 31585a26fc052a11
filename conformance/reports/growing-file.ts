import { closeSync, openSync, writeSync } from 'node:fs';
import { memberOf } from '../contract/document.ts';
import { messageOf } from '../contract/printable.ts';

export interface GrowingFile {
  /** Appends text. After a fault it does nothing: a full disk or a reader that left must not stop the run. */
  readonly write: (text: string) => void;
  /** Closes the file. @returns why it is incomplete, if nobody chose so */
  readonly close: () => string | undefined;
}

/**
 * Opens a file that grows during a run. Writes are synchronous: no text waits in memory, and a crash of the process loses none.
 *
 * @throws the error of the system if the file cannot be opened
 */
export function openGrowingFile(path: string): GrowingFile {
  const file = openSync(path, 'w');
  let isOver = false;
  let fault: string | undefined;
  return {
    write: (text) => {
      if (isOver) return;
      try {
        // A system call may write only a part.
        for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(file, rest));
      } catch (error) {
        isOver = true;
        if (memberOf(error, 'code') !== 'EPIPE') fault = messageOf(error);
      }
    },
    close: () => {
      closeSync(file);
      return fault;
    },
  };
}
