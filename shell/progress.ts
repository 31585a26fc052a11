/** Shorter work is not reported. */
const silentMs = 2000;

/** The part of an error stream that the progress needs. */
export interface ProgressStream {
  write(text: string): unknown;
}

export interface Progress {
  /** Begins a step such as `Reading openapi.yaml`, and finishes the previous one. */
  readonly step: (text: string) => void;
  readonly end: () => void;
}

/**
 * Prints the steps of long work, a line each: the current step after two seconds, then all later steps. A step that blocks timers is
 * printed before it begins, or not at all.
 */
export function createProgress(stream: ProgressStream, now: () => number = () => performance.now()): Progress {
  const began = now();
  let timer: NodeJS.Timeout | undefined;
  return {
    step: (text) => {
      clearTimeout(timer);
      const print = (): void => void stream.write(`${text}\n`);
      const left = began + silentMs - now();
      if (left <= 0) print();
      else timer = setTimeout(print, left).unref();
    },
    end: () => clearTimeout(timer),
  };
}
