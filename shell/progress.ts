/** What is over in less needs no word. */
const silentMs = 2000;

/** The part of a stream for errors that it is shown on. */
export interface ProgressStream {
  write(text: string): unknown;
}

export interface Progress {
  /** Begins a step: `Reading openapi.yaml`. What was begun before is over. */
  readonly step: (text: string) => void;
  readonly end: () => void;
}

/**
 * Tells the steps of something long, one line each: of those that are under way after two seconds, and of all that begin later. Work that
 * lets no timer run is told of before it begins, or not at all.
 */
export function createProgress(stream: ProgressStream, now: () => number = () => performance.now()): Progress {
  const began = now();
  let timer: NodeJS.Timeout | undefined;
  return {
    step: (text) => {
      clearTimeout(timer);
      const tell = (): void => void stream.write(`${text}\n`);
      const left = began + silentMs - now();
      if (left <= 0) tell();
      else timer = setTimeout(tell, left).unref();
    },
    end: () => clearTimeout(timer),
  };
}
