// The requests of a recorded chain: whether they may be sent, and with which objects and times.
import { day, type Instant } from '@lockstep/values/instant';
import type { RunContext } from '../checks/check.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { isObject } from '../contract/document.ts';
import { textsOf } from '../data/time.ts';
import { type Draft, type Exchange, headerOf, isAccepted, nameIdentity, type Trace } from '../execute/exchange.ts';
import { runQueue } from '../execute/queue.ts';
import type { Scenario, Turn } from '../execute/scenario.ts';
import type { Engine, Session } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import {
  type Chain,
  fillSymbols,
  type RecordedEdits,
  type RecordedRequest,
  symbolsIn,
} from '../failures/failure-file.ts';
import { createdReader } from '../ledger/record-writes.ts';
import { isSafe, kindOf } from '../plan/operation-kinds.ts';
import { mayRepeat, refuseValues } from '../plan/permissions.ts';
import { selectOperations } from '../plan/plan.ts';
import { locationBeneath, pathValues } from '../resources/addresses.ts';
import { listShapeOf } from '../resources/list-shape.ts';
import type { Scalar } from '../resources/read-items.ts';
import { readNext } from '../resources/read-page.ts';
import { plainPath, slotsOf } from '../resources/slots.ts';
import type { Judge } from '../schema/create-judge.ts';
import { refuseToSend } from './prepare-run.ts';
import type { RunOptions } from './run.ts';

/** Whether a request names an object that an earlier request of the chain creates. */
function isOwnObject({ path }: Operation, { parameters }: RecordedRequest, { symbols }: Chain): boolean {
  const last = slotsOf(path).at(-1)?.parameter;
  const value = parameters.find((one) => one.in === 'path' && one.name === last)?.value;
  return symbolsIn(value).some((name) => Object.hasOwn(symbols, name));
}

export function operationOf({ operations }: Contract, { operation }: RecordedRequest): Operation | undefined {
  return operations.find(({ id }) => id === operation);
}

/** @returns why the options or the contract do not allow these requests */
export function refuseChain(chain: Chain, contract: Contract, options: RunOptions): string | undefined {
  const { selected: allowed } = selectOperations(contract.operations, { ...options.selection, only: [] });
  const { permissions } = options;
  for (const recorded of chain.requests) {
    const operation = operationOf(contract, recorded);
    if (operation === undefined) return `the contract has no operation ${recorded.operation} any more`;
    const refuse = (reason: string): string => `${operation.id}: ${reason}`;
    if (!allowed.includes(operation)) return refuse('it is excluded');
    const draft = readDraft(operation, recorded, new Map());
    if (typeof draft === 'string') return draft;
    const { method = operation.method.toUpperCase() } = recorded.edits ?? {};
    const isWrite = !['GET', 'HEAD', 'OPTIONS'].includes(method);
    if (isWrite && permissions.readOnly) return refuse('the request writes, and --read-only was given');
    const reason = refuseToSend(contract, operation, options) ?? refuseValues(operation, seenOf(draft), permissions);
    if (reason !== undefined) return refuse(reason);
    const kind = kindOf(contract, operation);
    const isForeign =
      (kind === 'change' || kind === 'remove') &&
      !isOwnObject(operation, recorded, chain) &&
      !(recorded.answered === 201 && operation.method === 'put');
    if (isForeign && permissions.writes !== 'all')
      return refuse('the run did not create the object that the request changes: pass --writes all to send it');
  }
  return undefined;
}

/** Whether the requests may be sent several times: each is idempotent, creates an object, or changes one of the chain. */
export function mayRepeatChain(chain: Chain, contract: Contract): boolean {
  return chain.requests.every((recorded) => {
    const operation = operationOf(contract, recorded);
    if (operation === undefined) return false;
    const { method = operation.method } = recorded.edits ?? {};
    const { effect } = operation.extensions;
    const hasEffect = effect !== undefined && effect !== 'none';
    const isCreate = kindOf(contract, operation) === 'create' || isOwnObject(operation, recorded, chain);
    return isSafe(operation) || (!hasEffect && (isCreate || mayRepeat(operation, method)));
  });
}

/** @returns why the draft cannot be built from the contract */
export function readDraft(
  operation: Operation,
  recorded: RecordedRequest,
  symbols: ReadonlyMap<string, Scalar>,
  move: (value: unknown, schema: string | undefined) => unknown = (value) => value,
): Draft | string {
  const parameters = recorded.parameters.flatMap(({ in: where, name, value }) => {
    const parameter = operation.parameters.find((one) => one.in === where && one.name === name);
    return parameter === undefined ? [] : [{ parameter, value: move(fillSymbols(value, symbols), parameter.schema) }];
  });
  if (parameters.length < recorded.parameters.length)
    return `${operation.id}: the contract no longer has all parameters of the request`;
  const { body, edits, intent, timing } = recorded;
  const content = operation.body?.contents.find(({ mediaType }) => mediaType === body?.mediaType);
  if (body !== undefined && content === undefined)
    return `${operation.id}: the contract no longer has the media type ${body.mediaType}`;
  return {
    ...{ operation, parameters, label: intent.label, identity: intent.identity },
    body: body && content && { content, value: move(fillSymbols(body.value, symbols), content.schema) },
    ...(edits && { edits: readEdits(edits, symbols) }),
    ...(timing && { timing }),
  };
}

function readEdits({ method, headers, path, content }: RecordedEdits, symbols: ReadonlyMap<string, Scalar>) {
  const inJson = (value: Scalar): string => JSON.stringify(String(value)).slice(1, -1);
  const given =
    content === undefined || 'base64' in content ? content : { text: fillSymbols(content.text, symbols, inJson) };
  const bytes = given && ('base64' in given ? Buffer.from(given.base64, 'base64') : Buffer.from(given.text));
  const named = Object.entries(headers ?? {}).map(([name, value]) => [name, fillSymbols(value, symbols) ?? undefined]);
  return {
    ...(method !== undefined && { method }),
    ...(headers !== undefined && { headers: Object.fromEntries(named) }),
    ...(path !== undefined && { path: String(fillSymbols(path, symbols)) }),
    ...(bytes !== undefined && { body: () => bytes }),
  };
}

interface Sending {
  readonly contract: Contract;
  readonly session: Session;
  readonly move: (value: unknown, schema: string | undefined) => unknown;
  readonly sent: Exchange[];
  /** Receives the values of symbols. */
  readonly values: Map<string, Scalar>;
  /** Called before the first request that the check judges. */
  readonly onJudged: (count: number) => unknown;
}

/** @returns why the chain is broken; undefined if all its requests were sent */
async function sendChain(
  { requests, judged, symbols }: Chain,
  { contract, session, move, sent, values, onJudged }: Sending,
): Promise<string | undefined> {
  const readCreated = createdReader(contract);
  const aimOf = ({ intent: { polarity, place, probe, obligation } }: RecordedRequest) => ({
    ...{ polarity, place, probe, obligation },
  });
  /** The next request, if it is in flight already. */
  let early: Promise<readonly Exchange[]> | undefined;
  for (const [index, recorded] of requests.entries()) {
    if (index === judged) onJudged(sent.length);
    const missing = symbolsIn(recorded).find((name) => Object.hasOwn(symbols, name) && !values.has(name));
    // The walk through a list is over earlier than it was.
    if (missing !== undefined && symbols[missing]?.member === 'next') continue;
    if (missing !== undefined) return `no answer has ${missing} for the request of ${recorded.operation}`;
    const operation = operationOf(contract, recorded);
    if (operation === undefined) return `the contract has no operation ${recorded.operation} any more`;
    const draft = readDraft(operation, recorded, values, move);
    if (typeof draft !== 'object') return draft;
    const sending = early ?? session.send(draft, aimOf(recorded));
    const next = requests[index + 1];
    const together = next?.timing?.isWithLast === true ? readDraft(operation, next, values, move) : undefined;
    early = next === undefined || typeof together !== 'object' ? undefined : session.send(together, aimOf(next));
    const came = await sending;
    sent.push(...came);
    const last = came.at(-1);
    if (last === undefined)
      return `${operation.id}: there are no credentials for the identity ${nameIdentity(recorded.intent.identity)}`;
    const { outcome, seen, request } = last;
    const isRejected = index < judged && !isAccepted(last);
    if (isRejected && outcome.kind === 'answer')
      return `the server answered ${outcome.status} to ${request.method} ${request.path}, which creates an object for the next requests`;
    if (outcome.kind === 'none') {
      if (index < judged || unreceived.has(outcome.reason)) return outcome.message;
      continue;
    }
    const method = request.method.toLowerCase();
    const address = { method, key: plainPath(operation.path), values: pathValues(operation, seen) };
    const ids = readCreated(address, seen, outcome)?.flatMap((object) => object.ids) ?? [];
    const shape = listShapeOf(contract, operation);
    for (const [name, { request: from, member }] of Object.entries(symbols)) {
      if (from !== index) continue;
      const location = headerOf(outcome, 'location');
      const value: Readonly<Record<string, Scalar | undefined>> = {
        etag: headerOf(outcome, 'etag'),
        location: location === undefined ? undefined : locationBeneath(request, location),
        next: shape && readNext(shape, last).next,
      };
      const found = ids.find(([own]) => own === member)?.[1] ?? value[member];
      if (found !== undefined) values.set(name, found);
    }
  }
  return undefined;
}

interface Running {
  readonly contract: Contract;
  readonly context: RunContext;
  readonly engine: Engine;
  readonly needsProof: (exchange: Exchange) => boolean;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly move: Sending['move'];
  /** Sends requests after those of the chain, which no check judges. */
  readonly undo?: (session: Session, sent: readonly Exchange[]) => Promise<readonly Exchange[]>;
  /** @returns the exchanges of the turn with their numbers */
  readonly fold: (scenario: Scenario<RunContext>, turn: Turn) => Trace;
}

interface Ran {
  /** Every exchange, without repeats that were sent alone. */
  readonly sent: readonly Exchange[];
  /** The exchanges that the check judges. */
  readonly turn: Trace;
  readonly values: ReadonlyMap<string, Scalar>;
  /** Why the chain is broken. */
  readonly broken: string | undefined;
}

/** Sends a chain once, while no other request is in flight. */
export async function runChain(chain: Chain, id: string, running: Running): Promise<Ran> {
  const { contract, context, engine, needsProof, deadline, signal, move, undo, fold } = running;
  const sent: Exchange[] = [];
  const values = new Map<string, Scalar>();
  const last = chain.requests.at(-1) as RecordedRequest;
  let [isSent, first, end] = [false, 0, 0];
  let broken: string | undefined;
  let folded: Trace = [];
  const scenario: Scenario<RunContext> = {
    id,
    operation: operationOf(contract, last) as Operation,
    phase: last.intent.phase,
    domain: { path: '', kind: 'alone' },
    mostRequests: chain.requests.length,
    rank: () => (isSent ? undefined : [0]),
    run: async (session) => {
      isSent = true;
      const onJudged = (count: number): unknown => (first = count);
      broken = await sendChain(chain, { contract, session, move, sent, values, onJudged });
      end = sent.length;
      if (undo !== undefined) sent.push(...(await undo(session, sent)));
      return { exchanges: sent, reasons: [] };
    },
  };
  await runQueue({
    scenarios: [scenario],
    ...{ context, engine, needsProof },
    controls: { onRound: () => undefined, beginControls: () => (exchanges) => Promise.resolve(exchanges) },
    fold: (own, turn) => (folded = fold(own, turn)),
    options: { workers: 1, requests: undefined, deadline, signal },
  });
  // Repeats come last.
  const turn = folded.filter((_, index) => (index >= first && index < end) || index >= sent.length);
  return { sent, turn, values, broken };
}

/** The request never arrived. */
const unreceived: ReadonlySet<string> = new Set(['unsent', 'refused', 'unresolved']);

const hour = day / 24;
/** An instant or a day, with its zone. */
const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/;
/** Times of the run are near: further ones are constants of the contract. */
const furthest = 400 * day;

/**
 * Moves the instants and days that lay ahead of the run by one span for the whole chain, so that their order and distances remain: whole
 * days if one of them is a day or a midnight, otherwise whole hours. Numbers and content without typed values stay as they are, and so
 * does a value that its schema would no longer accept.
 */
export function moveTimes(chain: Chain, foundAt: Instant, now: Instant, judge: Judge): Sending['move'] {
  const isAhead = (text: string): boolean => {
    const instant = time.test(text) ? Date.parse(text) : Number.NaN;
    return instant >= foundAt && instant <= foundAt + furthest;
  };
  const all = chain.requests.flatMap(({ parameters, body }) => textsOf([parameters, body?.value])).filter(isAhead);
  const unit = all.some((text) => Date.parse(text) % day === 0) ? day : hour;
  const span = Math.ceil((now - foundAt) / unit) * unit;
  if (span === 0 || all.length === 0) return (value) => value;
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move);
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, move(part)]));
    return typeof value === 'string' && isAhead(value) ? moveText(value, span) : value;
  };
  return (value, schema) => {
    const moved = move(value);
    const isAccepted = (one: unknown): boolean => schema === undefined || judge.accepts(schema, 'request', one);
    return isAccepted(moved) || !isAccepted(value) ? moved : value;
  };
}

/** The text in the same spelling and zone. */
function moveText(text: string, span: number): string {
  const local = Date.parse(`${text.slice(0, 19)}${text.length > 10 ? 'Z' : ''}`);
  const moved = new Date(local + span).toISOString();
  return `${moved.slice(0, Math.min(19, text.length))}${text.slice(19)}`;
}
