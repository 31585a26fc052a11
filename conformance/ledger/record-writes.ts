import type { RunContext } from '../checks/check.ts';
import { writableIn } from '../checks/compare-objects.ts';
import { type Contract, isJson, type Operation } from '../contract/contract.ts';
import { isObject, isSame, memberOf, type Seen } from '../contract/document.ts';
import { readJson } from '../execute/content.ts';
import {
  type Answer,
  headerOf,
  type Identity,
  isSuccess,
  type NoAnswer,
  type OutgoingRequest,
} from '../execute/exchange.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import { addressKey, pathValues, readAddress } from '../resources/addresses.ts';
import { idsAmong, madeIdOf } from '../resources/collections.ts';
import { isScalar, readItems, readScalars, type Scalar, type Scalars, showsAnother } from '../resources/read-items.ts';
import { normal, nounOf, plainPath, rankName, type Slot, slotsOf, worstRank } from '../resources/slots.ts';
import { isOfRun } from '../search/apply-constraints.ts';
import type { Address, Ledger, Listing, Outcome, Write, WriteKind } from './ledger.ts';

/** A request as it is about to leave. */
export interface Leaving {
  readonly operation: Operation;
  readonly request: OutgoingRequest;
  readonly identity: Identity;
  readonly seen: Seen;
}

type Received = Answer | NoAnswer | undefined;

/** Sends a request. A write is recorded first, and its outcome afterwards. */
export type RecordWrites = (leaving: Leaving, send: () => Promise<Received>) => Promise<Received>;

interface Given extends Pick<RunContext, 'contract' | 'judge' | 'tag' | 'now'> {
  readonly ledger: Ledger;
  readonly redact: (text: string) => string;
}

/** The last item of each path, by its collection. */
export function slotsByCollection({ operations }: Contract): ReadonlyMap<string, Slot> {
  return new Map(
    operations.flatMap(({ path }) => {
      const last = slotsOf(path).at(-1);
      return last !== undefined && plainPath(path) === last.key ? [[last.collection, last] as const] : [];
    }),
  );
}

/** Lists that are kept, and the last reads of objects, of at most so many octets. */
const most = { listings: 1_000, reads: 200, readBytes: 20_000 } as const;

/** Replaces a secret in a path. */
export const hidden = '***';

/** An object that an accepted write created. */
export interface CreatedObject {
  /** Its path without names: `/books/{}`. */
  readonly key: string;
  /** Undefined for an object that a PUT created at an address of the client. */
  readonly slot: Slot | undefined;
  readonly parents: readonly Scalar[];
  /** Members that may be its id in the path, the likeliest first; `@given.` marks one that was sent and not answered. */
  readonly ids: readonly (readonly [member: string, value: Scalar])[];
  /** Its scalars in the answer. */
  readonly shown: Scalars;
}

type CreatedReader = (
  write: Address & { readonly method: string },
  seen: Pick<Seen, 'requestBody'>,
  answer: Answer,
) => readonly CreatedObject[] | undefined;

/** Reads the objects that a write created from its answer; undefined if the answer reports none. */
export function createdReader(contract: Contract): CreatedReader {
  const items = slotsByCollection(contract);
  const templates = [...items.values()].sort((a, b) => b.key.length - a.key.length);
  const ofPut = ({ key, values }: Address): readonly CreatedObject[] => [
    { key, slot: undefined, parents: values.slice(0, -1), ids: [['@sent', values.at(-1) ?? '']], shown: new Map() },
  ];
  return (write, { requestBody }, answer) => {
    if (!isSuccess(answer)) return undefined;
    const location = headerOf(answer, 'location');
    const found = location === undefined ? undefined : readAddress(location, templates);
    // Any other redirect is as likely to lead to a log-in.
    if (answer.status >= 300 && found === undefined) return undefined;
    if (write.method !== 'post') return ofPut(write);
    const body = bodyOf(answer);
    const slot = found?.slot ?? items.get(write.key);
    if (slot === undefined) return [];
    const sent = readScalars(requestBody);
    const { list, whole } = readItems(body, slot.noun);
    const objects = Array.isArray(body)
      ? list.filter((one) => list.length === 1 || isLike(one, sent))
      : [whole ?? new Map<string, Scalar>()];
    if (objects.length === 1 && showsAnother(answer.status, sent, objects[0] ?? sent)) return [];
    return objects.map((shown): CreatedObject => {
      const given = [...sent].flatMap(([name, value]) => (shown.has(name) ? [] : [[`@given.${name}`, value] as const]));
      const last = objects.length === 1 ? found?.values.at(-1) : undefined;
      const parents = found?.values.slice(0, -1) ?? write.values;
      const made = madeIdOf({ shown, sent, parents, slot });
      const all = new Map<string, Scalar>([
        ...(last === undefined ? [] : [['@link', last] as const]),
        ...shown,
        ...given,
      ]);
      const ids = [...rankIds(all, slot), ...(made === undefined ? [] : [made])];
      return { key: slot.key, slot, parents, ids, shown };
    });
  };
}

/** Records the writes of a run, with the objects and lists as it last read them before it wrote to them. */
export function recordWrites({ contract, judge, ledger, tag, now, redact }: Given): RecordWrites {
  const items = slotsByCollection(contract);
  const readCreated = createdReader(contract);
  const listings = new Map<string, Listing | undefined>();
  const written = new Set<string>();
  const reads = new Map<string, Answer>();

  const plain = ([, value]: readonly [string, unknown]): boolean => redact(String(value)) === String(value);

  const remember = ({ operation, seen, identity }: Leaving, outcome: Received): void => {
    const key = plainPath(operation.path);
    const name = `${key} ${addressKey(pathValues(operation, seen))}`;
    if (outcome?.kind !== 'answer' || outcome.status !== 200) return;
    if (identity === 'own' && outcome.body.length <= most.readBytes) {
      reads.delete(name);
      reads.set(name, outcome);
      if (reads.size > most.reads) reads.delete(reads.keys().next().value ?? '');
    }
    if (!items.has(key) || listings.has(name) || written.has(name) || listings.size >= most.listings) return;
    const { list, isList } = readItems(bodyOf(outcome), nounOf(key));
    const ids = list.flatMap((scalars) => [...idsAmong(scalars, items.get(key)).values()].map(String));
    const query = Object.fromEntries(Object.entries(seen.query).filter(plain));
    listings.set(name, isList ? { query, ids } : undefined);
  };

  const describe = ({ operation, identity, seen }: Leaving, method: string, kind: WriteKind): Write => {
    const values = pathValues(operation, seen).map((value) => (plain(['', value]) ? value : hidden));
    const address: Address = { key: plainPath(operation.path), values };
    const name = `${address.key} ${addressKey(address.values)}`;
    const isTagged = method === 'put' && normal(String(address.values.at(-1))).includes(normal(tag));
    const listed = kind === 'create' ? listings.get(name) : undefined;
    written.add(name);
    return {
      write: ledger.nextNumber(),
      kind: isTagged && !ledger.isOwn(address) ? 'create' : kind,
      operation: operation.id,
      method,
      ...address,
      account: identity === 'second' ? 'second' : 'own',
      sent: Object.fromEntries(
        [...readScalars(seen.requestBody)].filter((one) => !one[0].startsWith('@') && plain(one)),
      ),
      ...(listed && { listed }),
      ...(kind === 'change' && {
        before: ledger.isOwn(address) ? null : previousValue(operation, seen, reads.get(name)),
      }),
    };
  };

  /** The members that a change may set, as they were last read; null if they are the same, undefined if they are not known. */
  const previousValue = (operation: Operation, { requestBody }: Seen, shown: Answer | undefined): unknown => {
    const read = shown && bodyOf(shown);
    if (!isObject(read) || !isObject(requestBody)) return undefined;
    const [only] = Object.values(read);
    const whole = Object.keys(read).length === 1 && isObject(only) ? only : read;
    const sent = Object.keys(requestBody);
    if (!sent.every((name) => Object.hasOwn(whole, name))) return undefined;
    // A PUT may also remove the members that it leaves out.
    const declared = operation.method === 'put' ? [...writableIn({ judge }, operation)] : [];
    const isLost = ([name, pointer]: readonly [string, string]): boolean =>
      !sent.includes(name) && Object.hasOwn(whole, name) && judge.accepts(pointer, 'request', whole[name]);
    const names = [...sent, ...declared.filter(isLost).map(([name]) => name)];
    // A number of an answer may be sent as a text.
    const isEqual = (name: string): boolean =>
      isSame(requestBody[name], whole[name]) || (isScalar(whole[name]) && requestBody[name] === String(whole[name]));
    if (names.every(isEqual)) return null;
    const before = Object.fromEntries(names.map((name) => [name, whole[name]]));
    return redact(JSON.stringify(before)) === JSON.stringify(before) ? before : undefined;
  };

  /** An own object under another id, if the answer to a change shows one together with a text of the run. */
  const renamedBy = (write: Write, received: Answer): readonly CreatedObject[] | undefined => {
    const { whole } = readItems(bodyOf(received), nounOf(write.key));
    if (write.kind !== 'change' || !isSuccess(received) || whole === undefined) return undefined;
    const [member] = ledger.idMembersOf(write).filter((name) => whole.has(name));
    const id = member === undefined ? undefined : whole.get(member);
    const isShown = Object.entries(write.sent).some(
      ([name, value]) => isOfRun(value, { tag, now }) && whole.get(name) === value,
    );
    if (id === undefined || String(id) === String(write.values.at(-1)) || !isShown) return undefined;
    const parents = write.values.slice(0, -1);
    // A clean-up reads the object before it deletes it.
    return [{ key: write.key, slot: undefined, parents, ids: [[`@given.${member}`, id]], shown: new Map() }];
  };

  /** @returns undefined if it is unknown whether the server executed the request */
  const outcomeOf = (write: Write, { seen }: Leaving, received: Received): Outcome | undefined => {
    const outcome = write.write;
    if (received === undefined) return undefined;
    if (received.kind === 'none') return neverReceived.has(received.reason) ? { outcome, status: 0 } : undefined;
    const { status } = received;
    // A server may answer 201 to each PUT: only a name of the run proves a new object.
    const isOfRun = write.method !== 'put' || normal(String(write.values.at(-1))).includes(normal(tag));
    const mayCreate = write.kind === 'create' || (status === 201 && write.kind !== 'remove' && isOfRun);
    const objects = mayCreate ? readCreated(write, seen, received) : renamedBy(write, received);
    if (objects === undefined) return { outcome, status };
    // The answer to a create may be an object that existed before.
    const isListed = ({ shown, slot }: CreatedObject): boolean =>
      [...idsAmong(shown, slot).values()].some((id) => write.listed?.ids.includes(String(id)));
    const created = objects
      .filter((one) => !isListed(one))
      .map(({ key, parents, ids }) => ({ key, parents, ids: ids.filter(plain) }));
    return { outcome, status, created };
  };

  return async (leaving, send) => {
    const method = leaving.request.method.toLowerCase() as Operation['method'];
    if (method === 'get') {
      const received = await send();
      remember(leaving, received);
      return received;
    }
    const operation = withMethod(leaving.operation, method);
    const kind = isSafe(operation) ? 'read' : kindOf(contract, operation);
    if (kind === 'read') return send();
    const write = describe(leaving, method, kind);
    ledger.append(write);
    const received = await send();
    const outcome = outcomeOf(write, leaving, received);
    if (outcome !== undefined) ledger.append(outcome);
    return received;
  };
}

/** The server did not receive a request with one of these outcomes. */
const neverReceived = new Set<NoAnswer['reason']>(['unsent', 'refused', 'unresolved']);

/** The members of an object that may be its id in a path, the likeliest first. */
export function rankIds(scalars: Scalars, slot: Slot): readonly (readonly [member: string, value: Scalar])[] {
  const ranked = [...scalars].map(([member, value]) => ({ member, value, rank: rankName(member, slot) }));
  const values = new Set<string>();
  return ranked
    .filter(({ rank }) => rank < worstRank)
    .sort((a, b) => a.rank - b.rank)
    .filter(({ value }) => !values.has(String(value)) && values.add(String(value)))
    .map(({ member, value }) => [member, value] as const);
}

/** Whether a member is a guess at the id of an object, which a read has to prove. */
export function isGuess(member: string, slot: Slot | undefined): boolean {
  return slot !== undefined && rankName(member, slot) >= worstRank;
}

/** Whether an object has what was sent: each member that it has has the same value, and there is one. */
export function isLike(scalars: Scalars, sent: ReadonlyMap<string, Scalar>): boolean {
  const shared = [...sent].filter(([member]) => scalars.has(member));
  return shared.length > 0 && shared.every(([member, value]) => String(scalars.get(member)) === String(value));
}

function withMethod(operation: Operation, method: Operation['method']): Operation {
  return operation.method === method ? operation : { ...operation, method };
}

function bodyOf(answer: Answer): unknown {
  const read = isJson(headerOf(answer, 'content-type') ?? '') ? readJson(answer.body) : undefined;
  return memberOf(read, 'value');
}
