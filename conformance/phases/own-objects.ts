// Objects that the run creates for its probes, and removes again.
import type { RunContext } from '../checks/check.ts';
import type { Operation } from '../contract/contract.ts';
import { isObject, memberOf } from '../contract/document.ts';
import type { DataTools } from '../data/value-candidates.ts';
import { type Draft, type Exchange, isRejectedByState, type PhaseName } from '../execute/exchange.ts';
import { type Session, toolsFor } from '../execute/session.ts';
import type { Address } from '../ledger/ledger.ts';
import { createdReader, isGuess } from '../ledger/record-writes.ts';
import { kindOf, type OperationKind } from '../plan/operation-kinds.ts';
import { pathValues } from '../resources/addresses.ts';
import { idsAmong } from '../resources/collections.ts';
import { namesItemAt, operationAt, plainPath, slotsOf } from '../resources/slots.ts';
import { freshOf } from '../search/apply-constraints.ts';
import { namesOther, renameObjects } from '../search/build-request.ts';
import { withOtherReferences } from './request-objects.ts';

/** The deletion of the object that a request has created; undefined if its address is not certain. */
export function deletionOf(
  { contract, resources }: RunContext,
  { operation, seen, outcome }: Exchange,
): Draft | undefined {
  if (outcome.kind !== 'answer' || kindOf(contract, operation) !== 'create') return undefined;
  const write = { key: plainPath(operation.path), values: pathValues(operation, seen), method: operation.method };
  const [created, ...others] = createdReader(contract)(write, seen, outcome) ?? [];
  const [[member = '@given.', id] = []] = created?.ids ?? [];
  const remove = operationAt(contract, 'delete', created?.key);
  if (created === undefined || others.length > 0 || remove === undefined) return undefined;
  if (member.startsWith('@given.') || isGuess(member, created.slot)) return undefined;
  // A create with an id of the client, or of an object that was listed before, may have replaced an object of others.
  const slot = slotsOf(remove.path).at(-1);
  const before = resources.collections.get(slot?.collection ?? '')?.items.filter(({ owned }) => !owned) ?? [];
  const known = before.flatMap(({ scalars }) => [...idsAmong(scalars, slot).values()].map(String));
  if (known.includes(String(id)) || String(memberOf(seen.requestBody, 'id')) === String(id)) return undefined;
  const values = [...created.parents, id];
  const inPath = new Map(slotsOf(remove.path).map(({ parameter }, index) => [parameter, values[index]]));
  const parameters = remove.parameters.flatMap((parameter) => {
    const value = inPath.get(parameter.name);
    return parameter.in !== 'path' || value === undefined ? [] : [{ parameter, value }];
  });
  const isWhole = remove.parameters.every(
    (one) => !one.required || parameters.some(({ parameter }) => parameter === one),
  );
  return isWhole ? { operation: remove, parameters, body: undefined, label: '' } : undefined;
}

/** The address of the object that an accepted create has created; undefined if its answer has no certain id. */
export function addressOfCreated(
  { contract, resources }: RunContext,
  { operation, seen, outcome }: Exchange,
): Address | undefined {
  if (outcome.kind === 'none') return undefined;
  const write = { method: 'post', key: plainPath(operation.path), values: pathValues(operation, seen) };
  const [created] = createdReader(contract)(write, seen, outcome) ?? [];
  if (created === undefined) return undefined;
  const { key, parents, ids, shown, slot } = created;
  const link = ids.find(([member]) => member === '@link')?.[1];
  const isShown = [...shown.values()].some((value) => String(value) === String(link));
  // An answer with one id in its Location and another in its content does not name the object.
  if (link !== undefined && !isShown && idsAmong(shown, slot).size > 0) return undefined;
  const pairings = resources.slots.get(key)?.pairings;
  const isProven = ([member]: readonly [string, unknown]): boolean => (pairings?.get(member)?.yes ?? 0) > 0;
  const [, id] = ids.find(isProven) ?? ids.find(([member]) => !isGuess(member, slot)) ?? [];
  return id === undefined ? undefined : { key, values: [...parents, id] };
}

/** The content without an id of its own, if that is optional: a server may replace the object that has it. */
function withoutId({ judge }: DataTools, { content, value }: NonNullable<Draft['body']>): unknown {
  if (!isObject(value) || !Object.hasOwn(value, 'id') || content.schema === undefined) return value;
  const { id: _, ...others } = value;
  return judge.accepts(content.schema, 'request', others) ? others : value;
}

/** Objects that are created for the probes of one operation. */
const mostObjects = 4;

/** Above the numbers of other requests of one create, so that each operation of a collection gets names of its own. */
const firstNumber = 36 ** 3;

export type Supply = (session: Session, context: RunContext) => Promise<readonly Exchange[]>;

/**
 * Creates an object for a change or a deletion: earlier probes may have deleted every object of the run. Later rounds find it.
 *
 * @param isSent whether an operation may be sent
 * @returns a function that sends nothing if no create of the collection was accepted, or if it has sent enough
 */
export function createSupply(
  operation: Operation,
  kind: OperationKind,
  phase: PhaseName,
  isSent: (operation: Operation) => boolean,
): Supply {
  let objects = 0;
  return async (session, context) => {
    const draft =
      kind === 'read' || kind === 'create'
        ? undefined
        : creationAt(context, slotsOf(operation.path).at(-1)?.collection);
    if (draft === undefined || objects >= mostObjects || !isSent(draft.operation)) return [];
    objects += 1;
    const { operations } = context.contract;
    const number = firstNumber + mostObjects * operations.indexOf(operation) + objects;
    const tools = toolsFor(context, draft.operation, phase, 0);
    const named = withNewNames(tools, draft, number);
    const label = `an object for probes of ${operation.id}`;
    const exchanges = [...(await session.send({ ...named, label }))];
    // The object that the content names may be taken by now: the copy of a book is lent once.
    for (const [index, other] of withOtherReferences(context, named).entries()) {
      const last = exchanges.at(-1);
      if (last === undefined || !isRejectedByState(last)) break;
      const fresh = withNewKey(tools, other, number + (index + 1) * mostObjects * operations.length);
      exchanges.push(...(await session.send({ ...fresh, label })));
    }
    return exchanges;
  };
}

/** The accepted create of a collection, unless it has an effect. */
export function creationAt({ contract, accepted }: RunContext, collection: string | undefined): Draft | undefined {
  const create = contract.operations.find(
    (one) => accepted.has(one) && plainPath(one.path) === collection && kindOf(contract, one) === 'create',
  );
  const { effect = 'none' } = create?.extensions ?? {};
  return create && effect === 'none' ? accepted.get(create)?.draft : undefined;
}

/**
 * The request with names that no earlier one has: a server that rejects a second object of a name shows nothing else.
 *
 * @param count number of the request
 */
export function withNewNames(tools: DataTools, given: Draft, count: number): Draft {
  const draft = withNewKey(tools, given, count);
  const { body, operation } = draft;
  if (body === undefined) return draft;
  const keeps = (member: string): boolean => namesOther(operation, member) || namesItemAt(operation.path, member);
  const own = kindOf(tools.contract, operation) === 'create' ? withoutId(tools, body) : body.value;
  return { ...draft, body: { ...body, value: renameObjects(tools, body.content, own, count, keeps) } };
}

/** The request with another value of the header that marks repetitions: a server answers a known key with the object that it created. */
export function withNewKey(tools: DataTools, draft: Draft, count: number): Draft {
  const name = draft.operation.extensions.idempotencyKey?.toLowerCase();
  const parameters = draft.parameters.map((one) => {
    const { parameter, value } = one;
    if (parameter.in !== 'header' || parameter.name.toLowerCase() !== name || typeof value !== 'string') return one;
    const ending = Buffer.from(freshOf(tools, count)).toString('hex').slice(-8);
    // A key may have the form of a UUID.
    const spelled = [value.slice(0, -8) + ending, `${value}-${ending}`, ending];
    const { schema } = parameter;
    const other = spelled.find((text) => schema === undefined || tools.judge.accepts(schema, 'request', text));
    return { parameter, value: other ?? value };
  });
  return { ...draft, parameters };
}
