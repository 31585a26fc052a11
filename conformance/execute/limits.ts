import { setTimeout as sleep } from 'node:timers/promises';

/** Where a run ends. Undefined: when the deterministic part is done. */
export interface Budget {
  readonly requests: number | undefined;
  readonly milliseconds: number | undefined;
}

/**
 * Reads `300req`, `30s`, `2m`, or both separated by a comma or space.
 *
 * @throws RangeError for anything else
 */
export function readBudget(text: string): Budget {
  const parts = text.trim().split(/[\s,]+/);
  const found = parts.map((part) => /^(\d+)\s*(req|ms|s|m)$/.exec(part));
  if (found.includes(null)) throw new RangeError(`"${text}" is no budget: write 300req, 30s, or 300req,30s.`);
  const read = (units: Readonly<Record<string, number>>): number | undefined => {
    const match = found.find((part) => Object.hasOwn(units, part?.[2] ?? ''));
    return match === undefined ? undefined : Number(match?.[1]) * (units[match?.[2] ?? ''] ?? 1);
  };
  return { requests: read({ req: 1 }), milliseconds: read({ ms: 1, s: 1_000, m: 60_000 }) };
}

/** Reads `5/s`, `300/m`: requests per second. @throws RangeError for anything else */
export function readRate(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\/(s|m|h)$/.exec(text.trim());
  const rate = match === null ? 0 : Number(match[1]) / { s: 1, m: 60, h: 3600 }[match[2] as 's' | 'm' | 'h'];
  if (rate <= 0) throw new RangeError(`"${text}" is no rate: write 5/s or 300/m.`);
  return rate;
}

/** Lets requests pass one by one at a rate; without a rate at once. */
export type Pace = () => Promise<void> | undefined;

export function createPace(perSecond: number | undefined, signal: AbortSignal): Pace {
  if (perSecond === undefined) return () => undefined;
  let next = 0;
  return async () => {
    const now = performance.now();
    const at = Math.max(now, next);
    next = at + 1000 / perSecond;
    if (at > now) await sleep(at - now, undefined, { signal }).catch(() => undefined);
  };
}
