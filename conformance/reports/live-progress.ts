import type { Progress } from '../run/run-conformance.ts';

interface Stream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const everyMs = { terminal: 100, other: 5_000 } as const;

/** One live line on a terminal, elsewhere a line every five seconds. */
export function createLiveProgress(stream: Stream): {
  readonly show: (progress: Progress) => void;
  readonly clear: () => void;
} {
  const isLive = stream.isTTY === true;
  let last = isLive ? 0 : performance.now();
  let isShown = false;
  return {
    show: (progress) => {
      const now = performance.now();
      if (now - last < (isLive ? everyMs.terminal : everyMs.other)) return;
      last = now;
      isShown = isLive;
      stream.write(isLive ? `\r\u001b[2K${formatProgress(progress)}` : `${formatProgress(progress)}\n`);
    },
    clear: () => {
      if (isShown) stream.write('\r\u001b[2K');
      isShown = false;
    },
  };
}

export function formatProgress({ phase, requests, met, obligations, findings, elapsedMs }: Progress): string {
  const rate = elapsedMs > 0 ? Math.round((requests * 1000) / elapsedMs) : 0;
  return `${phase}: ${requests} requests, ${rate}/s, ${met} of ${obligations} obligations met, ${findings} findings`;
}
