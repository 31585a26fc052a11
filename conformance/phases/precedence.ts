// Two faults in one request: `x-precedence` of the contract decides which of them the server reports.
import { mayInclude } from '../checks/access.ts';
import { statusOf } from '../checks/parts.ts';
import { refusalCheck } from '../checks/refusal-wrong.ts';
import { type Contract, isJson, type Operation } from '../contract/contract.ts';
import { readPrecedence } from '../contract/extensions.ts';
import type { Wire } from '../data/break-scalar.ts';
import { violationsOf } from '../data/violations.ts';
import type { Draft, Identity, Polarity } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { scopesOf, takesToken } from '../execute/tokens.ts';
import { kindOf } from '../plan/operation-kinds.ts';
import type { Permissions } from '../plan/permissions.ts';
import { slotsOf } from '../resources/slots.ts';
import { closedOf } from './access-probe.ts';
import { type Bench, mayCallOften, mayProbe, type OperationProbes, type Probe } from './probe.ts';
import { unlistedTypeOf } from './protocol.ts';
import { withUnknownId } from './request-objects.ts';

/** A way to make a request wrong. */
interface Fault {
  readonly name: string;
  /** The part of the request that it changes: two faults of one part cannot be combined. */
  readonly part: string;
  /** Statuses of a server that reports it. */
  readonly statuses: readonly number[];
  /** `grey` if other probes judge the answer to this fault alone. */
  readonly polarity: Polarity;
  /** @returns undefined if the request cannot have it */
  readonly apply: (bench: Bench, draft: Draft) => Draft | undefined;
}

type Pair = readonly [Fault, Fault];

/** Each pair of statuses on one operation, and at least one pair on each operation that can have one. */
export function planPrecedence(
  contract: Contract,
  operations: readonly Operation[],
  permissions: Permissions,
): readonly OperationProbes[] {
  const order = readPrecedence(contract.root);
  const tested = operations.filter((one) => mayProbe(contract, one) && mayCallOften(contract, one, permissions));
  const possible = (order.length === 0 ? [] : tested).map((operation) => ({
    operation,
    pairs: pairsOf(faultsOf(contract, operation).filter((fault) => fault.statuses.some((one) => order.includes(one)))),
    chosen: [] as Pair[],
  }));
  const byStatuses = Map.groupBy(
    possible.flatMap((holder) => holder.pairs.map((pair) => ({ holder, pair }))),
    ({ pair }) => pair.map(({ statuses }) => statuses).join(' '),
  );
  for (const uses of byStatuses.values()) {
    const least = uses.reduce((a, b) => (b.holder.chosen.length < a.holder.chosen.length ? b : a));
    least.holder.chosen.push(least.pair);
  }
  return possible.flatMap(({ operation, pairs, chosen }) => {
    const probes = (chosen.length > 0 ? chosen : pairs.slice(0, 1)).map(
      (pair): Probe => ({
        ...{ name: pair.map(({ name }) => name).join(' and '), checks: [refusalCheck], needsOwn: true },
        ...{ pointer: '#/x-precedence', keyword: 'precedence', worth: 2, mostRequests: 4 },
        ask: (bench) => askPair(bench, order, pair),
      }),
    );
    return probes.length === 0 ? [] : [{ operation, probes }];
  });
}

function pairsOf(faults: readonly Fault[]): readonly Pair[] {
  return faults
    .flatMap((first, index) => faults.slice(index + 1).map((second): Pair => [first, second]))
    .filter(([first, second]) => first.part !== second.part && !isExistence(first, second));
}

/** `existence-leak` judges these two. */
function isExistence(...pair: readonly Fault[]): boolean {
  return pair.every(({ name }) => name === anonymous || name === unknown);
}

/** Sends each fault alone, as controls, and then both in one request. */
async function askPair(bench: Bench, order: readonly number[], [first, second]: Pair): Promise<string | undefined> {
  const { context, operation, draft, isOwn, send } = bench;
  const isForeign = ['change', 'remove'].includes(kindOf(context.contract, operation)) && !isOwn;
  if (isForeign && context.permissions.writes !== 'all') return 'the run has no object of its own there';
  const alone = [];
  for (const [role, fault] of [
    ['first', first],
    ['second', second],
  ] as const) {
    const wrong = fault.apply(bench, draft);
    const sent = wrong && (await send(wrong, role, { polarity: fault.polarity }));
    if (sent === undefined) return `the request cannot have ${fault.name}`;
    const status = statusOf(sent);
    if (!fault.statuses.includes(status)) return `${fault.name} alone was answered ${status}`;
    alone.push(status);
  }
  const [one = 0, other = 0] = alone;
  if (one === other || !order.includes(one) || !order.includes(other))
    return 'x-precedence does not order the two statuses';
  const wrong = first.apply(bench, draft);
  const both = wrong && second.apply(bench, wrong);
  if (both === undefined) return 'the request cannot have both';
  const sent = await send(both, 'case', { polarity: 'grey' });
  const isLater =
    sent !== undefined && order.indexOf(statusOf(sent)) === Math.max(order.indexOf(one), order.indexOf(other));
  if (isLater) await send(both, 'repeat', { polarity: 'grey' });
  return undefined;
}

const anonymous = 'no credentials';
const unknown = 'an unknown id';

/** The faults that requests of an operation can have. */
function faultsOf(contract: Contract, operation: Operation): readonly Fault[] {
  const { body, security } = operation;
  const closed = closedOf(operation);
  const faults: Fault[] = [];
  const add = (
    name: string,
    part: string,
    statuses: readonly number[],
    apply: Fault['apply'],
    polarity: Polarity = 'grey',
  ): unknown => faults.push({ name, part, statuses, polarity, apply });
  const isClosed = closed.length > 0 && closed.length === security.length;
  if (isClosed) add(anonymous, 'credentials', [401], (_, draft) => ({ ...draft, identity: 'anonymous' }));
  const identity = isClosed && closed.length === 1 ? narrowed(contract, closed[0] ?? {}) : undefined;
  if (identity !== undefined) add('too few scopes', 'credentials', [403], (_, draft) => ({ ...draft, identity }));
  const type = body && unlistedTypeOf(body);
  if (type !== undefined)
    add(
      'an unlisted media type',
      'media type',
      [415],
      (_, draft) => draft.body && { ...draft, edits: { headers: { 'content-type': type } } },
    );
  if (body?.contents.some(({ mediaType }) => isJson(mediaType)) === true)
    add('an invalid body', 'body', [400, 422], (bench, draft) => {
      const { content, value } = draft.body ?? {};
      if (content === undefined || !isJson(content.mediaType)) return undefined;
      const wrong = invalidValue(bench, content.schema, value, 'json');
      return wrong && { ...draft, body: { content, value: wrong.value } };
    });
  const parameter =
    operation.parameters.find((one) => one.in === 'query' || one.in === 'header') ??
    operation.parameters.findLast((one) => one.in === 'path');
  if (parameter !== undefined) {
    const { name, in: where, schema, invalidStatus } = parameter;
    const statuses = invalidStatus === undefined ? [400, 422] : [invalidStatus];
    add(
      `an invalid ${name}`,
      where === 'path' ? 'id' : 'parameter',
      statuses,
      (bench, draft) => {
        const known = draft.parameters.find((one) => one.parameter === parameter);
        const wrong = invalidValue(bench, schema, known?.value, 'text');
        const others = draft.parameters.filter((one) => one !== known);
        return wrong && { ...draft, parameters: [...others, { parameter, value: wrong.value }] };
      },
      invalidStatus === undefined ? 'grey' : 'invalid',
    );
  }
  if (slotsOf(operation.path).length > 0)
    add(unknown, 'id', [404], ({ context }, draft) => withUnknownId(context, draft), 'valid');
  return faults;
}

/** A token without the scopes that an alternative needs, and without those that may include them. */
function narrowed(contract: Contract, alternative: Operation['security'][number]): Identity | undefined {
  const needed = Object.entries(alternative).flatMap(([name, scopes]) =>
    takesToken(contract.schemes[name]) ? scopes : [],
  );
  const without = scopesOf(contract).filter((scope) => needed.includes(scope) || mayInclude(scope, needed));
  return needed.length === 0 ? undefined : { without };
}

function invalidValue({ context, operation }: Bench, schema: string | undefined, accepted: unknown, wire: Wire) {
  if (schema === undefined) return undefined;
  return violationsOf(toolsFor(context, operation, 'negative', 0), schema, accepted, wire).next().value;
}
