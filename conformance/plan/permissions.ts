import type { Contract, Operation } from '../contract/contract.ts';
import { evaluate, type Seen } from '../contract/document.ts';
import { isSafe, kindOf, type OperationKind } from './operation-kinds.ts';

/** Operations and effects that the user allows. */
export interface Permissions {
  readonly effects: readonly string[];
  readonly readOnly: boolean;
  readonly writes: WriteMode;
}

/** `owned`: only objects that this run created; `restore`: also writes of values just read; `all`: any write. */
export type WriteMode = 'owned' | 'restore' | 'all';

/** Idempotent methods (RFC 9110, 9.2.2). */
export const idempotent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * Whether a request may be sent again after an answer that proved too little: none, a 5xx, a gateway's 502. A POST may have
 * opened a door before the connection broke, and would open it again. So a request is repeated only if its method (RFC 9110, 9.2.2)
 * or the contract (`x-idempotency`) makes it idempotent, even with `--writes all`: that option allows objects, not repetitions. Any
 * other POST is tried again only as a new request with other data.
 */
export function mayRepeat({ extensions }: Operation, method: string): boolean {
  return idempotent.has(method.toUpperCase()) || extensions.isIdempotent;
}

/**
 * Whether the same request may be sent again after a complete answer that denies any effect: 503, 423. A create that was carried
 * out after all leaves one object more; an action or a declared effect might open a door twice.
 */
export function mayCreateAgain(operation: Operation, kind: OperationKind): boolean {
  return (kind === 'create' && operation.extensions.effect === undefined) || mayRepeat(operation, operation.method);
}

/** @returns why an operation must not be called, with the option that would allow it; undefined if it may be called */
export function refuseOperation(
  contract: Contract,
  operation: Operation,
  permissions: Permissions,
): string | undefined {
  if (operation.method === 'trace') return 'the runner never sends TRACE';
  if (permissions.readOnly && !isSafe(operation)) return 'the operation writes, and --read-only was given';
  const { effect, isIdempotent } = operation.extensions;
  const refusal = refuseEffect(effect, permissions);
  if (refusal !== undefined) return refusal;
  const isAllowed = permissions.writes === 'all' || isIdempotent || effect !== undefined;
  if (isAllowed || kindOf(contract, operation) !== 'action') return undefined;
  return 'the operation is an action, a POST that creates no item: pass --writes all to send it';
}

/** @returns why this request must not be sent: the effect of one of its values, listed by a case or not */
export function refuseValues(operation: Operation, seen: Seen, permissions: Permissions): string | undefined {
  for (const { at, cases } of operation.extensions.byValue) {
    const value = evaluate(at, seen);
    if (value === undefined) continue;
    const match = cases.find(({ values }) => values.includes(String(value)));
    // A lax server may read an unknown value as any of the cases.
    for (const { effect } of match === undefined ? cases : [match]) {
      const refusal = refuseEffect(effect, permissions);
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

/** Scopes that the values of a request require, in addition to those of the operation. */
export function scopesOfValues(operation: Operation, seen: Seen): readonly string[] {
  return operation.extensions.byValue.flatMap(({ at, cases }) => {
    const value = evaluate(at, seen);
    return cases.find(({ values }) => values.includes(String(value)))?.scopes ?? [];
  });
}

function refuseEffect(effect: string | undefined, { effects }: Permissions): string | undefined {
  if (effect === undefined || effect === 'none' || effects.includes(effect)) return undefined;
  return `the effect of the operation is ${effect}: pass --allow-effects ${effect}`;
}
