// Credentials: none, wrong ones, too few scopes, and a second account on the objects of the first.
import { accessCheck, mayInclude, ownParent } from '../checks/access.ts';
import type { Contract, Operation, SecurityScheme } from '../contract/contract.ts';
import { joinPointer, readPointer } from '../contract/document.ts';
import { type CredentialChange, type Draft, type Identity, isAccepted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { scopesOf, takesToken } from '../execute/tokens.ts';
import { seenOf } from '../execute/write-request.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import { type Permissions, scopesOfValues } from '../plan/permissions.ts';
import { slotsOf } from '../resources/slots.ts';
import {
  aroundDeletion,
  askForForeign,
  askUnderOwnParent,
  askUnderUnknownParent,
  changeForeign,
  createUnderForeign,
} from './other-account.ts';
import { type Bench, mayCallOften, mayProbe, type OperationProbes, type Probe } from './probe.ts';
import { withPresentValues, withUnknownId } from './request-objects.ts';

/** The accounts and tokens that the user gave. */
export interface Means {
  readonly hasSecond: boolean;
  readonly hasExpired: boolean;
}

export function planAuth(
  contract: Contract,
  operations: readonly Operation[],
  means: Means,
  permissions: Permissions,
): readonly OperationProbes[] {
  // Browsers send a preflight request without credentials (Fetch, CORS protocol).
  const tested = operations.filter((one) => one.method !== 'options' && mayProbe(contract, one));
  const cheap = cheapReads(contract, tested);
  return tested.map((operation, index) => {
    return {
      operation,
      probes: authProbes({
        contract,
        operation,
        means,
        index,
        isCheapRead: (name) => cheap.get(name) === operation,
        isCalledOften: mayCallOften(contract, operation, permissions),
      }),
    };
  });
}

/** By the name of a security scheme, the read that costs least to repeat: the one with the fewest path parameters. */
function cheapReads({ schemes }: Contract, operations: readonly Operation[]): ReadonlyMap<string, Operation> {
  const reads = operations.filter(isSafe).sort((a, b) => slotsOf(a.path).length - slotsOf(b.path).length);
  return new Map(
    Object.keys(schemes).flatMap((name) => {
      const read = reads.find((one) => closedOf(one).length === 1 && closedOf(one).some((other) => name in other));
      return read === undefined ? [] : [[name, read] as const];
    }),
  );
}

interface About {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly means: Means;
  /** Index of the operation: others get another change of the credentials. */
  readonly index: number;
  readonly isCheapRead: (scheme: string) => boolean;
  readonly isCalledOften: boolean;
}

type Alternative = Operation['security'][number];

/** The alternatives of `security` that need credentials. */
export function closedOf({ security }: Operation): readonly Alternative[] {
  return security.filter((alternative) => Object.keys(alternative).length > 0);
}

function authProbes(about: About): readonly Probe[] {
  const { operation, isCalledOften } = about;
  const closed = closedOf(operation);
  if (closed.length === 0) return [];
  // Credentials that are optional are never missing, and a wrong one may be ignored.
  const isOpen = closed.length < operation.security.length;
  const own = isOpen ? [] : [...missingProbes(about), ...changedProbes(about), ...scopeProbes(about)];
  const more = isCalledOften ? [...alternativeProbes(about), ...otherAccountProbes(about)] : [];
  return [...own, ...more];
}

type Row = Pick<Probe, 'name' | 'worth' | 'mostRequests' | 'ask'>;

function probeOf({ contract, operation }: About, check: string, row: Row): Probe {
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
function askAs(identity: Identity, missing: string, skipIf?: string): Probe['ask'] {
  return async ({ operation, draft, send, facts }) => {
    const of = typeof identity === 'object' && 'of' in identity ? identity.of : undefined;
    if (skipIf !== undefined && facts.has(skipIf)) return 'the operation accepts requests without credentials';
    if (of !== undefined && facts.has(of)) return 'the operation accepts any such credential';
    const sent = await send({ ...draft, identity }, 'case');
    if (sent === undefined) return missing;
    if (!isAccepted(sent)) return undefined;
    if (identity === 'anonymous') facts.add(open);
    if (of !== undefined) facts.add(of);
    if (isSafe(operation)) await send({ ...draft, identity }, 'repeat');
    return undefined;
  };
}

/** Left by a probe for later ones: a wrong credential proves nothing where none is needed. */
const open = 'open';

function missingProbes(about: About): Probe[] {
  const { contract, operation } = about;
  const probes = [
    ...(operation.method === 'get' && slotsOf(operation.path).length > 0
      ? [probeOf(about, accessCheck.existence, { name: 'unknown id', worth: 3, mostRequests: 3, ask: askExistence })]
      : []),
    probeOf(about, accessCheck.missing, {
      ...{ name: 'no credentials', worth: 10, mostRequests: 3 },
      ask: (bench) =>
        aroundDeletion(bench, () => askAs('anonymous', 'a client certificate identifies every request')(bench)),
    }),
  ];
  const joint = closedOf(operation).find((alternative) => Object.keys(alternative).length > 1);
  const names = closedOf(operation).length === 1 && joint !== undefined ? Object.keys(joint) : [];
  for (const name of names.filter((one) => contract.schemes[one]?.type !== 'mutualTLS')) {
    const ask = askAs({ lacking: name }, `the credential of ${name} cannot be left out alone`, open);
    probes.push(probeOf(about, accessCheck.missing, { name: `without ${name}`, worth: 5, mostRequests: 2, ask }));
  }
  return probes;
}

/** Asks without credentials for an object, and for one that exists nowhere: the answers have to be the same. */
async function askExistence({ context, draft, send }: Bench): Promise<string | undefined> {
  const unknown = withUnknownId(context, draft);
  if (unknown === undefined) return 'no id that exists nowhere could be made';
  const sent = await send({ ...unknown, identity: 'anonymous' }, 'case');
  if (sent === undefined) return 'a client certificate identifies every request';
  if (sent.outcome.kind !== 'answer' || ![404, 410].includes(sent.outcome.status)) return undefined;
  await send({ ...draft, identity: 'anonymous' }, 'known id');
  await send({ ...unknown, identity: 'anonymous' }, 'repeat');
  return undefined;
}

const changes: Readonly<Record<'token' | 'basic' | 'key', readonly CredentialChange[]>> = {
  token: ['nonsense', 'altered end', 'expired', 'altered payload', 'alg none', 'other scheme', 'empty'],
  basic: ['nonsense', 'other scheme', 'empty'],
  key: ['nonsense', 'altered end', 'empty'],
};

/** Changes that only a JSON Web Token allows: one try shows whether they apply. */
const ofJwt: ReadonlySet<CredentialChange> = new Set(['altered payload', 'alg none']);

function changesOf(scheme: SecurityScheme, { hasExpired }: Means): readonly CredentialChange[] {
  if (scheme.type === 'mutualTLS') return [];
  const kind =
    scheme.key !== undefined ? 'key' : scheme.scheme === 'basic' ? 'basic' : takesToken(scheme) ? 'token' : 'key';
  return changes[kind].filter((change) => change !== 'expired' || hasExpired);
}

/** Operations that get a wrong credential: more could lock out the address of the run. */
const mostWrong = 100;

/** All changes of a credential on one read, and one of them on each other operation. */
function changedProbes(about: About): Probe[] {
  const { contract, operation, means, index, isCheapRead } = about;
  const [alternative = {}, ...others] = closedOf(operation);
  // With several alternatives, another one may accept the request.
  const names = others.length > 0 ? [] : Object.keys(alternative);
  return names.flatMap((name) => {
    const scheme = contract.schemes[name];
    if (scheme === undefined) return [];
    const all = changesOf(scheme, means);
    const common = all.filter((change) => !ofJwt.has(change));
    const chosen = isCheapRead(name) ? all : common.slice(index % common.length).slice(0, 1);
    const probes = chosen.map((change) =>
      probeOf(about, accessCheck.invalid, {
        ...{ name: `${change}, ${name}`, worth: isCheapRead(name) ? 6 : 4.3, mostRequests: 2 },
        ask:
          index < mostWrong
            ? askAs({ changed: change, of: name }, 'the credential has another form', open)
            : async () => 'the limit of wrong credentials was reached',
      }),
    );
    if (!isCheapRead(name) || scheme.key !== undefined) return probes;
    const ask = askWithControl(
      { changed: 'scheme in lower case', of: name },
      'the name of the scheme is in lower case',
    );
    return [
      ...probes,
      probeOf(about, accessCheck.refused, { name: 'scheme in lower case', worth: 3, mostRequests: 3, ask }),
    ];
  });
}

/** Sends a valid variation of the credentials; if it is rejected, the usual ones as control, and the variation again. */
function askWithControl(identity: Identity, missing: string): Probe['ask'] {
  return async ({ draft, send }) => {
    const sent = await send({ ...draft, identity }, 'case');
    if (sent === undefined) return missing;
    if (isAccepted(sent)) return undefined;
    await send(draft, 'control');
    await send({ ...draft, identity }, 'repeat');
    return undefined;
  };
}

function scopeProbes(about: About): Probe[] {
  const { contract, operation } = about;
  const [alternative = {}, ...others] = closedOf(operation);
  if (others.length > 0) return [];
  const ofScheme = Object.entries(alternative).flatMap(([name, scopes]) =>
    takesToken(contract.schemes[name]) ? scopes : [],
  );
  const missing = 'no token without the needed scopes could be had';
  const without = async (needed: readonly string[], ask: Bench): Promise<string | undefined> => {
    const broader = scopesOf(contract).filter((scope) => !needed.includes(scope) && mayInclude(scope, needed));
    const strict = await askAs({ without: [...needed, ...broader] }, missing, open)(ask);
    return strict === missing && broader.length > 0 ? askAs({ without: needed }, missing, open)(ask) : strict;
  };
  const probes = ofScheme.map((scope) =>
    probeOf(about, accessCheck.scope, {
      ...{ name: `without scope ${scope}`, worth: 7, mostRequests: 2 },
      ask: (bench) => without([scope], bench),
    }),
  );
  if (operation.extensions.byValue.some(({ cases }) => cases.some(({ scopes }) => scopes.length > 0))) {
    probes.push(
      probeOf(about, accessCheck.scope, {
        ...{ name: 'without the scopes of a value', worth: 7, mostRequests: 2 },
        ask: async (bench) => {
          const needed = scopesOfValues(operation, seenOf(bench.draft)).filter((scope) => !ofScheme.includes(scope));
          return needed.length === 0 ? 'no accepted value needs a scope of its own' : without(needed, bench);
        },
      }),
    );
  }
  if (ofScheme.length > 0 && isSafe(operation)) {
    const ask: Probe['ask'] = (bench) => {
      const needed = [...new Set([...ofScheme, ...scopesOfValues(operation, seenOf(bench.draft))])];
      return askWithControl({ exactly: needed }, 'no token with exactly the needed scopes could be had')(bench);
    };
    probes.push(
      probeOf(about, accessCheck.refused, { name: 'exactly the needed scopes', worth: 2, mostRequests: 3, ask }),
    );
  }
  return probes;
}

/** Each alternative of `security` has to suffice alone. */
function alternativeProbes(about: About): Probe[] {
  const closed = closedOf(about.operation);
  if (closed.length < 2 || !isSafe(about.operation)) return [];
  return closed.map((alternative) => {
    const names = Object.keys(alternative);
    const ask = askWithControl({ by: names }, `no credentials of ${names.join(' and ')} were given`);
    return probeOf(about, accessCheck.refused, {
      name: `${names.join(' and ')} alone`,
      worth: 3,
      mostRequests: 3,
      ask,
    });
  });
}

function otherAccountProbes(about: About): Probe[] {
  const { contract, operation, means } = about;
  const slots = slotsOf(operation.path);
  const kind = kindOf(contract, operation);
  if (operation.extensions.isShared) return [];
  const probes: Probe[] = [];
  const add = (row: Row): unknown => probes.push(probeOf(about, accessCheck.tenant, row));
  if (kind === 'read' && slots.length > 1)
    add({ name: 'unknown parent', worth: 3, mostRequests: 3, ask: askUnderUnknownParent });
  if (!means.hasSecond) return probes;
  if (slots.length > 0 && kind === 'read')
    add({ name: 'object of another account', worth: 8, mostRequests: 6, ask: askForForeign });
  if (slots.length > 0 && kind === 'create')
    add({
      name: 'create by another account',
      worth: 7,
      mostRequests: 3,
      ask: createUnderForeign,
    });
  if (slots.length > 0 && (kind === 'change' || kind === 'remove' || kind === 'action'))
    add({ name: `${kind} by another account`, worth: 7, mostRequests: 5, ask: changeForeign });
  if (kind === 'read' && slots.length > 1)
    add({
      name: ownParent,
      worth: 4,
      mostRequests: 4,
      ask: askUnderOwnParent,
    });
  return probes;
}
