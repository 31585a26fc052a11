// Credentials: none, wrong ones, too few scopes, and a second account on the objects of the first.
import { accessCheck, mayInclude, ownParent, withOption } from '../checks/access.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { scopesOf, takesToken } from '../execute/tokens.ts';
import { seenOf } from '../execute/write-request.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import { type Permissions, scopesOfValues } from '../plan/permissions.ts';
import { listShapeOf } from '../resources/list-shape.ts';
import { slotsOf } from '../resources/slots.ts';
import { type About, askAs, askWithControl, closedOf, type Means, open, probeOf, type Row } from './access-probe.ts';
import { fewValuesOf, optionalOf } from './list-requests.ts';
import { missingProbes } from './missing-credentials.ts';
import {
  askForForeign,
  askUnderOwnParent,
  askUnderUnknownParent,
  askWithOption,
  changeForeign,
  createUnderForeign,
} from './other-account.ts';
import { type Bench, mayCallOften, mayProbe, type OperationProbes, type Probe } from './probe.ts';
import { changedProbes, secretProbes } from './wrong-credentials.ts';

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

function authProbes(about: About): readonly Probe[] {
  const { operation, isCalledOften } = about;
  const closed = closedOf(operation);
  const secrets = secretProbes(about);
  if (closed.length === 0) return secrets;
  // Credentials that are optional are never missing, and a wrong one may be ignored.
  const isOpen = closed.length < operation.security.length;
  const own = isOpen ? [] : [...missingProbes(about), ...changedProbes(about), ...scopeProbes(about)];
  const more = isCalledOften ? [...alternativeProbes(about), ...otherAccountProbes(about)] : [];
  return [...own, ...secrets, ...more];
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

/** Values of one parameter that the second account sends. */
const mostValues = 4;

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
  if (slots.length === 0 && listShapeOf(contract, operation) !== undefined)
    for (const parameter of optionalOf(operation))
      for (const value of fewValuesOf(contract, parameter).slice(0, mostValues))
        add({
          ...{ name: `${withOption} ${parameter.name}=${value}`, worth: 0.9, mostRequests: 5 },
          ask: askWithOption(parameter, value),
        });
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
