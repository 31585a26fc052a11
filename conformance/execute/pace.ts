import { setTimeout as sleep } from 'node:timers/promises';

/** Lets requests pass one by one at a rate; without a rate at once. */
export type Pace = () => Promise<void>;

export function createPace(perSecond: number | undefined, signal: AbortSignal): Pace {
  let next = 0;
  return async () => {
    if (perSecond === undefined) return;
    const now = performance.now();
    const at = Math.max(now, next);
    next = at + 1000 / perSecond;
    if (at > now) await sleep(at - now, undefined, { signal }).catch(() => undefined);
  };
}
