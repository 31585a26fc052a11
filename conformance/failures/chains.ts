// Records for each failure the requests that show it: the creates of the objects that it names, and the requests of its own turn.
import { isUtf8 } from 'node:buffer';
import type { Contract } from '../contract/contract.ts';
import { isObject } from '../contract/document.ts';
import { type Exchange, headerOf, isAccepted, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import { type CreatedObject, createdReader } from '../ledger/record-writes.ts';
import { kindOf } from '../plan/operation-kinds.ts';
import { isSameParents, locationBeneath, pathValues } from '../resources/addresses.ts';
import { listShapeOf } from '../resources/list-shape.ts';
import { isScalar, readScalars, type Scalar } from '../resources/read-items.ts';
import { readNext } from '../resources/read-page.ts';
import { plainPath, rankName, slotsOf } from '../resources/slots.ts';
import { causeKey, type Failure, fingerprintOf, hashOf, isBetterShown, recordKey, type Weight } from './failure.ts';
import {
  type Chain,
  type FoundFailures,
  type RecordedEdits,
  type RecordedFailure,
  type RecordedRequest,
  type Source,
  spellSymbol,
} from './failure-file.ts';
import type { Collected } from './finding.ts';
import { neededSteps } from './needed-steps.ts';
import { turnOf } from './shown-exchange.ts';

/** An accepted create, with the symbols that its own request needs. */
interface Create {
  readonly number: number;
  readonly request: RecordedRequest;
  readonly uses: Uses;
  /** The texts of its ids. */
  readonly values: readonly string[];
}

/** A value by which requests may name an object. */
interface KnownId {
  readonly create: Create;
  readonly object: CreatedObject;
  readonly member: string;
  readonly value: Scalar;
  /** Whether the server chose it. */
  readonly isIssued: boolean;
}

/** A failure with the parts that only the run itself needs. */
export interface Recorded extends Weight {
  readonly failure: RecordedFailure;
  /** Indexes of the requests of its chain without which the check would not find it in the same answers. */
  readonly needed: ReadonlySet<number>;
}

/** By the names of symbols: the exchange of the source, with the create if it is one of an earlier turn. */
type Uses = Map<string, { readonly number: number; readonly create?: Create; readonly member: string }>;

const most = { creates: 1_000, failures: 1_000 } as const;

/** Members that are worse ids than this are names, which other objects may have too. */
const worstRank = 8;

/** A shorter text may be equal by chance where the name of its member does not ask for an id. */
const leastDistinctive = 12;

/** Why the file has no requests for a failure of these checks. */
const notRecorded: Readonly<Record<string, string>> = {
  'sensitive-leak': 'the check compares the answer with secrets of earlier answers, and no file keeps secrets',
};

export type Chains = ReturnType<typeof collectChains>;

export function collectChains(contract: Contract) {
  const readCreated = createdReader(contract);
  const creates: Create[] = [];
  const ids = new Map<string, KnownId[]>();
  const recorded = new Map<string, Recorded>();

  const forget = (create: Create): void => {
    for (const value of create.values) {
      const kept = (ids.get(value) ?? []).filter((one) => one.create !== create);
      if (kept.length === 0) ids.delete(value);
      else ids.set(value, kept);
    }
  };

  const observeCreate = (exchange: NumberedExchange): void => {
    const { operation, request, outcome, seen, number } = exchange;
    if (outcome.kind === 'none' || exchange.draft === undefined || !isAccepted(exchange)) return;
    const method = request.method.toLowerCase();
    const isCreate = method === operation.method && kindOf(contract, operation) === 'create';
    if (!isCreate && outcome.status !== 201) return;
    const values = pathValues(operation, seen);
    const objects = readCreated({ method, key: plainPath(operation.path), values }, seen, outcome) ?? [];
    if (objects.length === 0) return;
    const own = objects.flatMap((object) => object.ids.map(([, value]) => String(value)));
    const create: Create = { number, ...recordRequest(exchange, []), values: own };
    const sent = new Set([...readScalars(seen.requestBody).values(), ...values].map(String));
    for (const object of objects) {
      for (const [member, value] of object.ids) {
        const isIssued = !member.startsWith('@given.') && !sent.has(String(value));
        const known = ids.get(String(value)) ?? [];
        ids.set(String(value), [...known, { create, object, member, value, isIssued }]);
      }
    }
    creates.push(create);
    const oldest = creates.length > most.creates ? creates.shift() : undefined;
    if (oldest !== undefined) forget(oldest);
  };

  /** @param earlier exchanges of the same turn, whose headers and cursors the request may repeat */
  const recordRequest = (
    exchange: NumberedExchange,
    earlier: readonly NumberedExchange[],
  ): { readonly request: RecordedRequest; readonly uses: Uses } => {
    const { operation, draft, intent, outcome, seen, number } = exchange;
    const uses: Uses = new Map();
    const knownAs = (value: unknown): readonly KnownId[] =>
      isScalar(value) ? (ids.get(String(value)) ?? []).filter(({ create }) => create.number < number) : [];
    const use = ({ create, object, member }: KnownId): string => {
      const noun = slotsOf(object.key).at(-1)?.noun ?? '';
      const name = `${noun === '' ? 'object' : noun}#${create.number}.${member.replaceAll(/[^\w.@[\]-]/g, '_')}`;
      uses.set(name, { number: create.number, create, member });
      return spellSymbol(name);
    };
    const useAnswer = (source: NumberedExchange, member: string): string => {
      const name = `${member}#${source.number}`;
      uses.set(name, { number: source.number, member });
      return spellSymbol(name);
    };
    const ofName = (name: string, value: unknown): KnownId | undefined =>
      knownAs(value).findLast(({ isIssued, object: { slot } }) => {
        if (!isIssued || slot === undefined) return false;
        return rankName(name, slot) < worstRank || (typeof value === 'string' && value.length >= leastDistinctive);
      });
    const replaceIn = (value: unknown, name: string): unknown => {
      if (Array.isArray(value)) return value.map((item) => replaceIn(item, name));
      if (isObject(value))
        return Object.fromEntries(Object.entries(value).map(([member, part]) => [member, replaceIn(part, member)]));
      const known = ofName(name, value);
      return known === undefined ? value : use(known);
    };
    const address = pathValues(operation, seen);
    const ofPath = (name: string, value: unknown): KnownId | undefined => {
      const index = slotsOf(operation.path).findIndex(({ parameter }) => parameter === name);
      const key = slotsOf(operation.path)[index]?.key;
      const isThere = ({ object }: KnownId): boolean =>
        object.key === key && isSameParents(object.parents, address.slice(0, index));
      return knownAs(value).findLast(isThere) ?? ofName(name, value);
    };
    const shape = listShapeOf(contract, operation);
    /** The answer that led to this page by a cursor or an address. */
    const pageBefore = (value: unknown): NumberedExchange | undefined =>
      shape && earlier.findLast((one) => one.operation === operation && readNext(shape, one).next === value);
    const cursor = shape?.step?.kind === 'cursor' ? shape.step.send : undefined;
    const parameters = (draft?.parameters ?? []).map(({ parameter, value }) => {
      const { in: where, name } = parameter;
      const known = where === 'path' ? ofPath(name, value) : undefined;
      const before = parameter === cursor ? pageBefore(value) : undefined;
      if (before !== undefined) return { in: where, name, value: useAnswer(before, 'next') };
      return { in: where, name, value: known === undefined ? replaceIn(value, name) : use(known) };
    });
    const body = draft?.body && {
      mediaType: draft.body.content.mediaType,
      value: replaceIn(draft.body.value, ''),
    };
    const editsOf = (): RecordedEdits | undefined => {
      const { method, headers, path, body: edit } = draft?.edits ?? {};
      if (draft?.edits === undefined) return undefined;
      const spelt = Object.entries(headers ?? {}).map(([name, value]): [string, string | null] => {
        const source = /^if-(none-)?match$/.test(name)
          ? earlier.findLast((one) => headerIn(one, 'etag') === value)
          : undefined;
        return [name, source === undefined ? (value ?? null) : useAnswer(source, 'etag')];
      });
      const located = earlier.findLast((one) => {
        const location = headerIn(one, 'location');
        return location !== undefined && locationBeneath(one.request, location) === path;
      });
      const before = path === undefined ? undefined : pageBefore(path);
      const symbol = located ? useAnswer(located, 'location') : before && useAnswer(before, 'next');
      return {
        ...(method !== undefined && { method }),
        ...(headers !== undefined && { headers: Object.fromEntries(spelt) }),
        ...(path !== undefined && { path: symbol ?? path }),
        ...(edit !== undefined && { content: recordContent(exchange.request.body, uses, knownAs, use) }),
      };
    };
    const { case: _, step: __, ...purpose } = intent;
    return {
      request: {
        operation: operation.id,
        parameters,
        ...(body && { body }),
        edits: editsOf(),
        ...(draft?.timing && { timing: draft.timing }),
        intent: purpose,
        answered: outcome.kind === 'answer' ? outcome.status : 0,
      },
      uses,
    };
  };

  const buildChain = (turn: readonly NumberedExchange[]): Chain => {
    const own = turn.map((exchange, index) => recordRequest(exchange, turn.slice(0, index)));
    const numbers = new Set(turn.map(({ number }) => number));
    const needed = new Set<Create>();
    const gather = (uses: Uses): void => {
      for (const { create } of uses.values()) {
        if (create === undefined || numbers.has(create.number) || needed.has(create)) continue;
        needed.add(create);
        gather(create.uses);
      }
    };
    for (const { uses } of own) gather(uses);
    const before = [...needed].sort((a, b) => a.number - b.number);
    const indexes = new Map([...before, ...turn].map(({ number }, index) => [number, index]));
    const symbols = [...before, ...own].flatMap(({ uses }) =>
      [...uses].map(([name, { number, member }]): [string, Source] => [
        name,
        { request: indexes.get(number) ?? 0, member },
      ]),
    );
    // Without its probe, a create that another probe sent is no part of the judged one.
    const creating = before.map(({ request }) => ({ ...request, intent: { ...request.intent, probe: undefined } }));
    return {
      requests: [...creating, ...own.map(({ request }) => request)],
      judged: before.length,
      symbols: Object.fromEntries(symbols),
    };
  };

  return {
    onExchange: observeCreate,
    /**
     * Records the chain of the exchange that a finding would show of this failure: the first of those that are surest and clearest.
     *
     * @param place place of the obligation
     * @param trace the whole turn, for a check that judges it; otherwise undefined
     * @param isFoundIn whether the check finds the failure in a part of the turn
     */
    add: (
      failure: Failure,
      place: string,
      exchange: NumberedExchange,
      trace: Trace | undefined,
      isFoundIn: (part: Trace) => boolean = () => false,
    ): void => {
      const operation = exchange.operation.id;
      const key = recordKey(failure, operation);
      const known = recorded.get(key);
      const weight = { severity: failure.severity, polarity: exchange.intent.polarity };
      const isNew = known === undefined ? recorded.size < most.failures : isBetterShown(weight, known);
      if (failure.severity === 'warning' || !isNew) return;
      const { check, message, causes } = failure;
      const unable = notRecorded[check];
      const turn = turnOf(check, exchange, trace);
      const chain = unable === undefined ? buildChain(turn) : undefined;
      const needed = neededSteps(turn, exchange, (part) =>
        isFoundIn((trace ?? turn).filter((one) => !turn.includes(one) || part.has(one))),
      );
      recorded.set(key, {
        ...weight,
        failure: {
          ...{ fingerprint: fingerprintOf(failure, operation), check, place, message, operation, unable },
          causes: causes.map((cause) => hashOf(causeKey(failure, cause))),
          ...(chain && { chain }),
        },
        needed: new Set(turn.flatMap((one, index) => (needed.has(one) ? index + (chain?.judged ?? 0) : []))),
      });
    },
    /** The failure that a finding shows, with its secrets. */
    shownBy: ({ shownKey }: Pick<Collected, 'shownKey'>): Recorded | undefined => recorded.get(shownKey),
    /** Replaces the chain of a finding by a smaller one. */
    replace: ({ shownKey }: Pick<Collected, 'shownKey'>, chain: Chain, message: string): void => {
      const known = recorded.get(shownKey);
      if (known !== undefined) recorded.set(shownKey, { ...known, failure: { ...known.failure, chain, message } });
    },
    /** The recorded failures of each finding, without secrets. */
    of: (causes: readonly Collected[], redact: (text: string) => string): readonly FoundFailures[] =>
      causes.map(({ finding, ids: own, shownKey }) => {
        const others = [...recorded.values()].filter(({ failure }) => failure.causes.some((cause) => own.has(cause)));
        const shown = recorded.get(shownKey);
        // A replay sends the first of each operation.
        const failures = [...new Set([...(shown === undefined ? [] : [shown]), ...others])];
        const [some] = finding.occurrences;
        const unable =
          finding.operation === ''
            ? 'the contract itself shows it, without a request'
            : `only the first ${most.failures} failures are recorded`;
        const unrecorded: RecordedFailure = {
          ...{ fingerprint: some?.fingerprint ?? '', causes: [...own], check: finding.check },
          ...{ operation: finding.operation, place: finding.place, message: finding.message, unable },
        };
        return {
          id: finding.id,
          failures: failures.length === 0 ? [unrecorded] : failures.map(({ failure }) => hideSecrets(failure, redact)),
        };
      }),
  };
}

function headerIn({ outcome }: Exchange, name: string): string | undefined {
  return outcome.kind === 'answer' ? headerOf(outcome, name) : undefined;
}

/** Content that no typed value describes; the ids of objects that the request names elsewhere become symbols. */
function recordContent(
  content: Buffer | undefined,
  uses: Uses,
  knownAs: (value: unknown) => readonly KnownId[],
  use: (known: KnownId) => string,
): RecordedEdits['content'] {
  if (content !== undefined && !isUtf8(content)) return { base64: content.toString('base64') };
  const isNamed = ({ create, isIssued }: KnownId): boolean =>
    isIssued && [...uses.values()].some((one) => one.create === create);
  const text = (content?.toString() ?? '').replaceAll(/"([^"\\]{2,})"/g, (quoted, value: string) => {
    const known = knownAs(value).findLast(isNamed);
    return known === undefined ? quoted : `"${use(known)}"`;
  });
  return { text };
}

const hidden = '***';

/** Replaces secrets in the values of a chain. A chain that needs one cannot be sent again. */
function hideSecrets(failure: RecordedFailure, redact: (text: string) => string): RecordedFailure {
  const message = redact(failure.message);
  if (failure.chain === undefined) return { ...failure, message };
  let isSecretNeeded = false;
  const hide = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => hide(item, name));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([member, part]) => [member, hide(part, member)]));
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    // A short secret is known only by the name of its member.
    const text = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    if (redact(text) === text && redact(String(value)) === String(value)) return value;
    isSecretNeeded = true;
    return hidden;
  };
  const requests = failure.chain.requests.map((request): RecordedRequest => {
    const { parameters, body, edits } = request;
    return {
      ...request,
      parameters: parameters.map((one) => ({ ...one, value: hide(one.value, one.name) })),
      ...(body && { body: { ...body, value: hide(body.value, '') } }),
      ...(edits && { edits: hide(edits, '') as RecordedEdits }),
    };
  });
  const chain = { ...failure.chain, requests };
  const unable = isSecretNeeded
    ? 'its requests contain a secret of an earlier answer, and no file keeps secrets'
    : undefined;
  return { ...failure, message, chain, ...(unable && { unable }) };
}
