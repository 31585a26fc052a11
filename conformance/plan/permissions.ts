import type { Operation } from '../contract/contract.ts';
import { evaluate, type Seen } from '../contract/runtime-expression.ts';

/** What the user allows. */
export interface Permissions {
  readonly effects: readonly string[];
  readonly readOnly: boolean;
  readonly writes: WriteMode;
}

/** `owned`: only what this run made; `restore`: besides, writes that put back what was read; `all`: anything. */
export type WriteMode = 'owned' | 'restore' | 'all';

const safe = new Set(['get', 'head', 'options']);

export function isSafe({ method }: Operation): boolean {
  return safe.has(method);
}

/** @returns why an operation must not be called at all, with the option that would allow it; undefined if it may */
export function refuseOperation(operation: Operation, permissions: Permissions): string | undefined {
  if (operation.method === 'trace') return 'TRACE is not sent';
  if (permissions.readOnly && !isSafe(operation)) return 'it writes, and --read-only was given';
  return refuseEffect(operation.extensions.effect, permissions);
}

/** @returns why this request must not be sent: the effect of a value in it, also of one that no case lists */
export function refuseValues(operation: Operation, seen: Seen, permissions: Permissions): string | undefined {
  for (const { at, cases } of operation.extensions.byValue) {
    const value = evaluate(at, seen);
    if (value === undefined) continue;
    const match = cases.find(({ values }) => values.includes(String(value)));
    // A server that reads an unknown value laxly may take it for any of the cases.
    for (const { effect } of match === undefined ? cases : [match]) {
      const refusal = refuseEffect(effect, permissions);
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

/** Scopes that the values of a request ask for, beside those of the operation. */
export function scopesOfValues(operation: Operation, seen: Seen): readonly string[] {
  return operation.extensions.byValue.flatMap(({ at, cases }) => {
    const value = evaluate(at, seen);
    return cases.find(({ values }) => values.includes(String(value)))?.scopes ?? [];
  });
}

function refuseEffect(effect: string | undefined, { effects }: Permissions): string | undefined {
  if (effect === undefined || effects.includes(effect)) return undefined;
  return `its effect is ${effect}: pass --allow-effects ${effect}`;
}
