// Questions about access: the accepted request with other credentials, and the valid ones as a control.
import { accessCheck } from '../checks/access.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { joinPointer, readPointer } from '../contract/document.ts';
import { type Draft, type Identity, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import type { Probe } from './probe.ts';
import { withPresentValues } from './request-objects.ts';

/** The accounts and tokens that the user gave. */
export interface Means {
  readonly hasSecond: boolean;
  readonly hasExpired: boolean;
  /** Whether HTTP Basic carries the id and secret of a client, and not the password of a user. */
  readonly hasClient: boolean;
}

export interface About {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly means: Means;
  /** Index of the operation: others get another change of the credentials. */
  readonly index: number;
  readonly isCheapRead: (scheme: string) => boolean;
  readonly isCalledOften: boolean;
}

export type Alternative = Operation['security'][number];

/** The alternatives of `security` that need credentials. */
export function closedOf({ security }: Operation): readonly Alternative[] {
  return security.filter((alternative) => Object.keys(alternative).length > 0);
}

export type Row = Pick<Probe, 'name' | 'worth' | 'mostRequests' | 'ask'>;

export function probeOf({ contract, operation }: About, check: string, row: Row): Probe {
  const declared = joinPointer(operation.pointer, 'security');
  const pointer = readPointer(contract.root, declared) === undefined ? '#/security' : declared;
  // A change writes the values that the object has: with other credentials of the user it does no more. A deletion does.
  const kind = kindOf(contract, operation);
  const needsOwn = check === accessCheck.tenant || kind === 'remove';
  const own = kind === 'change' ? { ask: onPresentValues(row.ask), mostRequests: row.mostRequests + 1 } : {};
  return { ...row, ...own, checks: [check], pointer, keyword: 'security', needsOwn };
}

/** Asks about an object of others with the values that it has at present. */
function onPresentValues(ask: Probe['ask']): Probe['ask'] {
  return async (bench) => {
    const { context, operation, draft, isOwn, send } = bench;
    if (isOwn || draft.body === undefined || context.permissions.writes === 'all') return await ask(bench);
    const read = (asked: Draft) => send(asked, 'read of the present values');
    const present = await withPresentValues(context, toolsFor(context, operation, 'auth', 0), draft, read);
    return typeof present === 'string' ? present : await ask({ ...bench, draft: present });
  };
}

/** Sends the request with another identity, and repeats it if it is accepted and changes nothing. */
export function askAs(identity: Identity, missing: string, skipIf?: string): Probe['ask'] {
  return async ({ operation, draft, send, facts }) => {
    const of = typeof identity === 'object' && 'of' in identity ? identity.of : undefined;
    if (skipIf !== undefined && facts.has(skipIf)) return 'the operation accepts requests without credentials';
    if (of !== undefined && facts.has(of)) return 'the operation accepts any such credential';
    const sent = await send({ ...draft, identity }, 'case');
    if (sent === undefined) return missing;
    if (identity === 'anonymous') facts.add(isAccepted(sent) ? open : closed);
    if (!isAccepted(sent)) return undefined;
    if (of !== undefined) facts.add(of);
    if (isSafe(operation)) await send({ ...draft, identity }, 'repeat');
    return undefined;
  };
}

/** Left by a probe for later ones: a wrong credential proves nothing where none is needed. */
export const [open, closed] = ['open', 'closed'];

/** Sends a valid variation of the credentials; if it is rejected, the usual ones as control, and the variation again. */
export function askWithControl(identity: Identity, missing: string): Probe['ask'] {
  return async ({ draft, send }) => {
    const sent = await send({ ...draft, identity }, 'case');
    if (sent === undefined) return missing;
    if (isAccepted(sent)) return undefined;
    await send(draft, 'control');
    await send({ ...draft, identity }, 'repeat');
    return undefined;
  };
}
