/*
 * Judges recorded traffic as a run judges its own: each recorded exchange is one turn. Checks of one answer need nothing more. Of the checks
 * that compare, those are judged whose comparison the recording holds:
 *
 * - an invalid request that was accepted, next to an accepted valid request of the operation;
 * - a request without credentials, next to an accepted one with them: a recorder that removes credentials removes all.
 *
 * All other comparisons need requests that only a run sends.
 */

import { accessCheck } from '../checks/access.ts';
import type { TraceCheck } from '../checks/check.ts';
import { inputCheck } from '../checks/invalid-input.ts';
import { noAnswer, serverError } from '../checks/server-failure.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { joinPointer, type Pointer, parseJson } from '../contract/document.ts';
import { counted, nameSome } from '../contract/printable.ts';
import { validityOf } from '../data/wire-validity.ts';
import { type Draft, type Exchange, headerOf, type Intent, isAccepted } from '../execute/exchange.ts';
import { completeSeen } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import { closedOf } from '../phases/access-probe.ts';
import { addressOf } from '../plan/plan.ts';
import { concludeRun } from '../run/conclude-run.ts';
import { hasCredential } from '../run/contract-coverage.ts';
import { prepareRun, type Run } from '../run/prepare-run.ts';
import type { RunEvents, RunOptions, RunResult } from '../run/run.ts';
import { createMatcher, draftOf, type Matched } from './match-operation.ts';
import { isHidden, type Recorded } from './read-har.ts';

/** A recorded exchange of an operation. */
interface Read {
  readonly exchange: Exchange;
  readonly isAuthorized: boolean;
}

/** Judges recorded exchanges, and reports them as a run. */
export async function checkRecording(
  contract: Contract,
  options: RunOptions,
  recorded: readonly Recorded[],
  events: RunEvents,
  signal: AbortSignal,
): Promise<RunResult> {
  const run = prepareRun(contract, options, events, signal);
  const match = createMatcher(contract.operations, options);
  const left: string[] = [];
  const startedAt = recorded[0]?.startedAt ?? Number.NaN;
  const all = recorded.flatMap((one): Read[] => {
    const matched = match(one);
    keepSecrets(run, contract, one);
    if (matched === undefined) left.push(`in no operation of the contract: ${one.method} ${pathOf(one.url)}`);
    else if (!run.selected.includes(matched.operation)) left.push(`excluded by the options: ${matched.operation.id}`);
    else if (typeof one.answer === 'string') left.push(`${one.answer}: ${matched.operation.id}`);
    else return [readExchange(run, contract, one, matched, startedAt)];
    return [];
  });
  for (const { exchange } of all.map((one) => compare(run, one, all))) {
    if (signal.aborted) break;
    run.fold({ operation: exchange.operation, phase: 'baseline' }, { exchanges: [exchange], reasons: [] });
  }
  const used = new Set(all.map(({ exchange }) => exchange.operation));
  for (const operation of run.selected)
    if (!used.has(operation)) run.statistics.explain(operation, ['the recording has no request of it']);
  leaveComparisons(run, [...used]);
  await run.close();
  const cut = signal.aborted ? 'interrupted' : undefined;
  const result = concludeRun(run, { cut, lost: undefined, failure: undefined, leftBehind: [] });
  const isEmpty = result.verdict === 'nothing-tested';
  return {
    ...result,
    ...(isEmpty && { fix: 'Record requests that the deployment accepts.' }),
    notTested: [...describeLeft(left), ...result.notTested],
  };
}

function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? url;
}

/** Secrets of the recording, which no report may print. */
function keepSecrets({ redactor }: Run, { schemes }: Contract, { headers, url, answer }: Recorded): void {
  const keys = Object.values(schemes).flatMap(({ key }) => key ?? []);
  const ofHeaders = headers.flatMap(([name, value]) => {
    if (name === 'cookie') return value.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1));
    const isKey = keys.some((key) => key.in === 'header' && key.name.toLowerCase() === name);
    return isKey || /^(proxy-)?authorization$/.test(name) ? [value.replace(/^[A-Za-z]+ +/, '')] : [];
  });
  const query = URL.parse(url)?.searchParams;
  const ofQuery = keys.flatMap((key) => (key.in === 'query' ? (query?.getAll(key.name) ?? []) : []));
  const set = typeof answer === 'string' ? [] : answer.headers.filter(([name]) => name === 'set-cookie');
  const ofAnswer = set.map(([, value]) => /=([^;]*)/.exec(value)?.[1] ?? '');
  for (const text of [...ofHeaders, ...ofQuery, ...ofAnswer])
    if (text !== '' && !isHidden(text)) redactor.keep(text, 'TOKEN', 'a credential of the recording');
}

function readExchange(
  { context: { judge } }: Run,
  contract: Contract,
  recorded: Recorded,
  matched: Matched,
  startedAt: number,
): Read {
  const { operation, base, path, segments } = matched;
  const { number, method, headers, body, answer } = recorded;
  const draft = draftOf(judge, matched, recorded);
  const request = { method, base, path, headers, body: body === 'lost' ? undefined : body };
  const outcome =
    typeof answer === 'string' ? ({ kind: 'none', reason: 'unsent', message: answer, durationMs: 0 } as const) : answer;
  const seen =
    draft === undefined
      ? {
          path: segments,
          query: Object.fromEntries(new URLSearchParams(path.split('?')[1] ?? '')),
          requestHeaders: Object.fromEntries(headers),
          requestBody: parseJson(request.body?.toString() ?? ''),
        }
      : seenOf(draft);
  // A header that the recording lacks may have been sent.
  const isWhole = operation.parameters.every(
    ({ required, in: where, name }) =>
      !required || where === 'path' || where === 'query' || headerOf({ headers }, name) !== undefined,
  );
  const polarity = draft === undefined || !isWhole ? 'grey' : validityOf(judge, draft, contract);
  const isIn = isAccepted({ operation, outcome });
  const intent: Intent = {
    ...{ phase: 'baseline', label: `recorded ${number}`, place: undefined, identity: 'own', step: 0 },
    // An answer of success is judged whether or not the request could be read.
    polarity: polarity === 'grey' && isIn ? 'valid' : polarity,
    obligation: addressOf(operation.id, 'baseline', 'recorded'),
    case: `recorded ${number}`,
  };
  const exchange: Exchange = {
    ...{ operation, intent, request, outcome, isPause: false, seen: completeSeen(seen, outcome) },
    ...(draft !== undefined && isWhole && { draft }),
    atMs: Math.max(0, recorded.startedAt - startedAt) || 0,
  };
  const isAuthorized = closedOf(operation).some((alternative) =>
    Object.keys(alternative).every((name) => hasCredential(request, contract.schemes[name])),
  );
  return { exchange, isAuthorized };
}

/** The exchange as the case of a comparison, if the recording has the other side. */
function compare({ context: { judge } }: Run, read: Read, all: readonly Read[]): Read {
  const { exchange, isAuthorized } = read;
  const { operation, request, draft } = exchange;
  const others = all.filter((one) => one.exchange.operation === operation && isAccepted(one.exchange));
  const asCase = (check: string, name: string, change: Partial<Intent>): Read => {
    const probe = { checks: [check], name, role: 'case', operation: operation.id };
    const obligation = addressOf(operation.id, check, name);
    return { ...read, exchange: { ...exchange, intent: { ...exchange.intent, ...change, probe, obligation } } };
  };
  const closed = closedOf(operation);
  const isClosed = closed.length > 0 && closed.length === operation.security.length;
  const hasNone = !isAuthorized && ['authorization', 'cookie'].every((name) => headerOf(request, name) === undefined);
  if (isClosed && hasNone && others.some((one) => one.isAuthorized))
    return asCase(accessCheck.missing, 'no credentials', { identity: 'anonymous' });
  const isControlled = others.some((one) => one.exchange.intent.polarity === 'valid');
  if (draft === undefined || exchange.intent.polarity !== 'invalid' || !isControlled) return read;
  const [fault, ...more] = faultsOf(judge, draft);
  // Two faults in one request mask each other.
  if (fault === undefined || more.length > 0) return read;
  const { part, pointer, keyword } = fault;
  const isMissing = keyword === 'required';
  const name = `${part}: ${isMissing ? 'left out' : `breaks ${keyword}`}`;
  return asCase(isMissing ? inputCheck.required : inputCheck.invalid, name, { place: { pointer, keyword } });
}

interface Fault {
  readonly part: string;
  readonly pointer: Pointer;
  readonly keyword: string;
}

/** The keywords that a request breaks. */
function faultsOf(judge: Run['context']['judge'], { operation, parameters, body }: Draft): readonly Fault[] {
  const broken = (part: string, schema: Pointer | undefined, value: unknown): readonly Fault[] =>
    (schema === undefined ? [] : (judge.judge(schema, 'request', value) ?? [])).map(({ at, pointer, keyword }) => ({
      ...{ part: `${part}${at && ` ${at}`}`, pointer, keyword },
    }));
  const omitted = (part: string, pointer: Pointer): Fault => {
    return { part, pointer: joinPointer(pointer, 'required'), keyword: 'required' };
  };
  const ofParameters = operation.parameters.flatMap((parameter) => {
    const part = `${parameter.in} ${parameter.name}`;
    const sent = parameters.find((one) => one.parameter === parameter);
    if (sent !== undefined) return broken(part, parameter.schema, sent.value);
    return parameter.required ? [omitted(part, parameter.pointer)] : [];
  });
  if (body !== undefined) return [...ofParameters, ...broken('body', body.content.schema, body.value)];
  return operation.body?.required === true ? [...ofParameters, omitted('body', operation.body.pointer)] : ofParameters;
}

/** Why a recording has nothing for a check that compares; any other check needs requests that only a run sends. */
const notRecorded: Readonly<Record<string, string>> = {
  [noAnswer.name]: 'a recording does not show why an answer is missing',
  [accessCheck.missing]: 'the recording has no request without credentials next to an accepted one with them',
  [inputCheck.invalid]: 'the recording has no request with one invalid value next to an accepted valid one',
  [inputCheck.required]: 'the recording has no request without one required part next to an accepted valid one',
};

/** Leaves the comparisons open that no exchange of the recording settles, each with its reason. */
function leaveComparisons({ checks, obligations }: Run, used: readonly Operation[]): void {
  const settled = new Set(
    obligations
      .close(() => undefined)
      .flatMap(({ operation, check, state }) => (state === 'not reached' ? [] : [`${operation} ${check}`])),
  );
  const compared = checks.filter((check): check is TraceCheck => check.kind === 'trace' && check !== serverError);
  for (const operation of used)
    for (const { name } of compared)
      if (!settled.has(`${operation.id} ${name}`))
        obligations.leave(
          operation,
          [name],
          'recorded traffic',
          notRecorded[name] ?? 'only a run sends the requests that it compares',
        );
}

/** Exchanges that were not judged, one line for each reason. */
function describeLeft(left: readonly string[]): readonly string[] {
  const byReason = Map.groupBy(left, (text) => text.slice(0, text.lastIndexOf(': ')));
  return [...byReason].map(([reason, own]) => {
    const names = [...new Set(own.map((text) => text.slice(text.lastIndexOf(': ') + 2)))];
    return `${counted(own.length, 'recorded exchange')} ${reason.startsWith('in ') ? '' : 'not judged: '}${reason}: ${nameSome(names)}`;
  });
}
