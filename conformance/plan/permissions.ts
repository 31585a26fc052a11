import type { Contract, Operation } from '../contract/contract.ts';
import { evaluate, type Seen } from '../contract/document.ts';
import { isSafe, kindOf, type OperationKind } from './operation-kinds.ts';

/** What the user allows. */
export interface Permissions {
  readonly effects: readonly string[];
  readonly readOnly: boolean;
  readonly writes: WriteMode;
}

/** `owned`: only what this run made; `restore`: besides, writes that put back what was read; `all`: anything. */
export type WriteMode = 'owned' | 'restore' | 'all';

/** Methods of which a request may be sent twice for the effect of one (RFC 9110, 9.2.2). */
export const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * Whether a request may be sent a second time for no other reason than that the first told too little: no answer, a 5xx, a
 * gateway's 502. A POST may have opened a door before the connection broke, and opens it once more. So only what the method
 * (RFC 9110, 9.2.2) or the contract (`x-idempotency`) promises to be the same when repeated is repeated, whatever writes are
 * allowed: `--writes all` says what a run may touch, not how often. What else it has to establish about a POST it finds out from
 * the next case of its own, with other data, or not at all.
 */
export function mayRepeat({ extensions }: Operation, method: string): boolean {
  return idempotent.has(method.toUpperCase()) || extensions.isIdempotent;
}

/**
 * Whether the same request may be sent again after a complete answer that says that nothing was done: 503, locked. A create that was
 * done all the same leaves one object more; an action or a declared effect might open a door twice.
 */
export function mayCreateAgain(operation: Operation, kind: OperationKind): boolean {
  return (kind === 'create' && operation.extensions.effect === undefined) || mayRepeat(operation, operation.method);
}

/** @returns why an operation must not be called at all, with the option that would allow it; undefined if it may */
export function refuseOperation(
  contract: Contract,
  operation: Operation,
  permissions: Permissions,
): string | undefined {
  if (operation.method === 'trace') return 'TRACE is not sent';
  if (permissions.readOnly && !isSafe(operation)) return 'it writes, and --read-only was given';
  const { effect, isIdempotent } = operation.extensions;
  const refusal = refuseEffect(effect, permissions);
  if (refusal !== undefined) return refusal;
  const isAllowed = permissions.writes === 'all' || isIdempotent || effect !== undefined;
  if (isAllowed || kindOf(contract, operation) !== 'action') return undefined;
  return 'it is an action, a POST that makes nothing of its own: pass --writes all to try it';
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
  if (effect === undefined || effect === 'none' || effects.includes(effect)) return undefined;
  return `its effect is ${effect}: pass --allow-effects ${effect}`;
}
