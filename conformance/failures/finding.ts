import { isUtf8 } from 'node:buffer';
import type { Excerpt } from '../contract/contract.ts';
import { excerpt, nameSome, printableParts } from '../contract/printable.ts';
import { headerOf, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import {
  causeKey,
  type Failure,
  fingerprintOf,
  hashOf,
  isBetterShown,
  isSurer,
  recordKey,
  type Weight,
} from './failure.ts';
import type { Redactor } from './redact.ts';
import { type ShownExchange, showExchanges } from './shown-exchange.ts';

/** A cause with all operations and places that show it. All texts are redacted. */
export interface Finding {
  /** Equal in every run that finds this cause. */
  readonly id: string;
  readonly check: string;
  readonly severity: Failure['severity'];
  /**
   * The operation of the request that is shown, `''` if none shows the cause; the members below describe its exchange. It is the first
   * that the contract allows, then the first that is invalid.
   */
  readonly operation: string;
  /** All operations that showed the cause. */
  readonly operations: readonly string[];
  readonly count: number;
  readonly place: string;
  readonly pointer: string;
  readonly line: number;
  /** The contract at that line. */
  readonly excerpt: Excerpt;
  readonly keyword: string;
  readonly clause: string;
  readonly message: string;
  readonly sent: string;
  readonly answered: string;
  /** The request variant: `linked, example`. */
  readonly label: string;
  /** Number of the request that is shown. */
  readonly shownRequest: number;
  /** The first request that showed the cause with this severity. */
  readonly detectedAtRequest: number;
  readonly detectedAtMs: number;
  readonly curl: string;
  /** Shell variables that the line reads, with a description of their values. */
  readonly curlNeeds: Readonly<Record<string, string>>;
  /** The request that shows the failure and those that it is compared with, in the order sent. */
  readonly exchanges: readonly ShownExchange[];
  /** Each operation and place once, in the order found; at most `mostOccurrences`. */
  readonly occurrences: readonly Occurrence[];
  /** Entries that accepted the finding until a day that is over. */
  readonly expired?: readonly KnownFailure[];
}

/** An accepted failure, as the config file lists it. */
export interface KnownFailure {
  /** The id of a finding, or the fingerprint of one of its places. */
  readonly id: string;
  /** For readers, and to know whether a run had the check. */
  readonly check?: string;
  /** All operations if omitted. A failure of another operation is new, even if its cause is known. */
  readonly operations?: readonly string[];
  readonly reason: string;
  /** The last day on which it is accepted, in UTC: `2026-12-31`. */
  readonly until: string;
}

/** A finding, and its parts by operation. */
export interface Collected {
  readonly finding: Finding;
  /** Hashes of all its causes: the id of a finding is that of the cause that was found first. */
  readonly ids: ReadonlySet<string>;
  /** The key of the failure that is shown, as in `recordKey`. */
  readonly shownKey: string;
  /** The finding on some of its operations, with a request of the first. */
  readonly ofOperations: (operations: readonly string[]) => Finding;
}

/** A cause at one place of one operation. */
interface Occurrence {
  /** Equal in every run, whatever else belongs to the cause. */
  readonly fingerprint: string;
  readonly operation: string;
  readonly place: string;
  readonly pointer: string;
  readonly message: string;
  readonly count: number;
}

interface FindingTools extends Pick<Redactor, 'redact' | 'headerText' | 'pieces' | 'headerVariable' | 'meaningOf'> {
  readonly excerptAt: (pointer: string) => Excerpt;
  /** Whether a cause may be divided by operation, so that each needs a request of its own. */
  readonly isDivided?: boolean;
}

/** Occurrences listed of one cause; further ones are only counted. */
export const mostOccurrences = 100;

/** The description of a cause by one exchange. The highest severity counts, even if later failures weigh less. */
interface Shown extends Weight {
  readonly finding: Finding;
  /** The key of its failure, as in `recordKey`. */
  readonly key: string;
}

function chooseShown(known: Shown | undefined, weight: Omit<Shown, 'finding'>, describe: () => Finding): Shown {
  if (known === undefined || isSurer(weight, known)) return { ...weight, finding: describe() };
  if (!isBetterShown(weight, known)) return known;
  const { detectedAtRequest, detectedAtMs } = known.finding;
  return { ...weight, finding: { ...describe(), detectedAtRequest, detectedAtMs } };
}

interface CauseRecord {
  readonly id: string;
  shown: Shown;
  /** The description on each operation, if the findings are divided. */
  readonly byOperation: Map<string, Shown>;
  readonly keys: Set<string>;
  readonly operations: Set<string>;
  readonly occurrences: Map<string, Omit<Occurrence, 'count'> & { count: number }>;
  count: number;
}

export type Findings = ReturnType<typeof collectFindings>;

/** One finding per cause over the whole document, with the operations and places that show it. */
export function collectFindings(tools: FindingTools) {
  const found: CauseRecord[] = [];
  const byCause = new Map<string, CauseRecord>();
  const absorb = (into: CauseRecord, other: CauseRecord): void => {
    found.splice(found.indexOf(other), 1);
    for (const key of other.keys) {
      byCause.set(key, into);
      into.keys.add(key);
    }
    for (const [operation, shown] of other.byOperation)
      into.byOperation.set(
        operation,
        chooseShown(into.byOperation.get(operation), shown, () => shown.finding),
      );
    into.count += other.count;
    for (const operation of other.operations) into.operations.add(operation);
    for (const occurrence of other.occurrences.values()) addOccurrence(into, occurrence);
    into.shown = chooseShown(into.shown, other.shown, () => other.shown.finding);
  };
  const list = (isFact: boolean): readonly CauseRecord[] =>
    found.filter(({ shown }) => (shown.severity === 'warning') === isFact);
  return {
    /** Defects and inconclusive findings, in the order found. */
    all: () => list(false).map(summarise),
    /** The same, for a division by operation. */
    causes: () => list(false).map(collect),
    /** The number of those, computed without summaries: it is read after every turn. */
    count: () => list(false).length,
    /** Facts about the deployment. */
    facts: () => list(true).map(summarise),
    /**
     * Makes one finding of those that show, on these operations alone, that their request bodies are never read.
     *
     * @param unread operations that accepted every body
     */
    joinUnread: (unread: ReadonlySet<string>): void => {
      const [into, ...others] = found.filter(
        ({ shown, operations }) =>
          isAboutBody(shown.finding) && [...operations].every((operation) => unread.has(operation)),
      );
      if (into === undefined || others.length === 0) return;
      for (const other of others) absorb(into, other);
      const { finding } = into.shown;
      const message = `${finding.message}; no body was rejected: it is probably never read`;
      into.shown = { ...into.shown, finding: { ...finding, message } };
    },
    /** Shows a smaller request of the same failure. The number of the request that detected it stays. */
    replace: (id: string, failure: Failure, exchange: NumberedExchange, trace: Trace): Finding | undefined => {
      const cause = found.find((one) => one.id === id);
      if (cause === undefined) return undefined;
      const { detectedAtRequest, detectedAtMs } = cause.shown.finding;
      const described = describeFinding(id, failure, { exchange, trace }, tools);
      cause.shown = { ...cause.shown, finding: { ...described, detectedAtRequest, detectedAtMs } };
      const { place, message } = described;
      const occurrence = cause.occurrences.get(fingerprintOf(failure, exchange.operation.id));
      if (occurrence !== undefined) Object.assign(occurrence, { place, message });
      return summarise(cause);
    },
    /**
     * @param exchange undefined for a failure of the contract itself, which needs no request
     * @param trace the turn with the requests that it is compared with
     * @returns the finding if it is new or its severity has risen
     */
    add: (failure: Failure, exchange?: NumberedExchange, trace?: Trace): Finding | undefined => {
      const keys = failure.causes.map((cause) => causeKey(failure, cause));
      const [known, ...others] = new Set(keys.flatMap((key) => byCause.get(key) ?? []));
      const operation = exchange?.operation.id ?? '';
      const id = known?.id ?? hashOf(keys[0]);
      const weight = {
        ...{ severity: failure.severity, polarity: exchange?.intent.polarity },
        key: recordKey(failure, operation),
      };
      const describe = (): Finding => describeFinding(id, failure, exchange && { exchange, trace }, tools);
      const cause: CauseRecord = known ?? {
        ...{ operations: new Set(), occurrences: new Map(), byOperation: new Map(), keys: new Set(), count: 0 },
        ...{ id, shown: chooseShown(undefined, weight, describe) },
      };
      if (known === undefined) found.push(cause);
      // A failure with several causes may join findings that were separate.
      for (const other of others) absorb(cause, other);
      const hasRisen = isSurer(failure, cause.shown);
      cause.shown = chooseShown(cause.shown, weight, describe);
      for (const key of keys) {
        byCause.set(key, cause);
        cause.keys.add(key);
      }
      if (exchange !== undefined) cause.operations.add(operation);
      cause.count += 1;
      if (tools.isDivided)
        cause.byOperation.set(operation, chooseShown(cause.byOperation.get(operation), weight, describe));
      const { place, pointer } = failure;
      const message = tools.redact(failure.message);
      addOccurrence(cause, {
        fingerprint: fingerprintOf(failure, operation),
        operation,
        place,
        pointer,
        message,
        count: 1,
      });
      return known === undefined || hasRisen ? summarise(cause) : undefined;
    },
  };
}

/** Checks of request bodies, with the keyword or the place that is about a body. */
const ofBodies: Readonly<Record<string, RegExp>> = {
  'protocol-law': /^(malformed-json|unlisted-media-type)$/,
  'invalid-accepted': /^body\b/,
  'required-ignored': /^body\b/,
};

function isAboutBody({ check, keyword, place }: Pick<Finding, 'check' | 'keyword' | 'place'>): boolean {
  return ofBodies[check]?.test(check === 'protocol-law' ? keyword : place) === true;
}

function addOccurrence({ occurrences }: CauseRecord, occurrence: Occurrence): void {
  const known = occurrences.get(occurrence.fingerprint);
  if (known !== undefined) known.count += occurrence.count;
  else if (occurrences.size < mostOccurrences) occurrences.set(occurrence.fingerprint, { ...occurrence });
}

function summarise({ id, shown, operations, occurrences, count }: CauseRecord): Finding {
  return { ...shown.finding, id, operations: [...operations], count, occurrences: [...occurrences.values()] };
}

function collect(cause: CauseRecord): Collected {
  const finding = summarise(cause);
  return {
    finding,
    ids: new Set([...cause.keys].map(hashOf)),
    shownKey: cause.shown.key,
    ofOperations: (operations) => {
      const [first = ''] = operations;
      if (operations.length >= finding.operations.length) return finding;
      const occurrences = finding.occurrences.filter(({ operation }) => operations.includes(operation));
      const count = occurrences.reduce((sum, one) => sum + one.count, 0);
      const { id, severity } = finding;
      return { ...(cause.byOperation.get(first)?.finding ?? finding), id, severity, operations, occurrences, count };
    },
  };
}

/** Characters of a body that a report shows; the curl line reproduces the rest. */
const mostShown = 300;

function describeFinding(id: string, failure: Failure, evidence: Evidence | undefined, tools: FindingTools): Finding {
  const { check, severity, place, pointer, keyword, clause } = failure;
  const { redact, excerptAt } = tools;
  // A requirement of the whole document does not show which operation ignores it.
  const isOfAll = pointer === '#/security' && evidence !== undefined;
  const found = excerptAt(isOfAll ? evidence.exchange.operation.pointer : pointer);
  return {
    ...{ id, check, severity, count: 1, place, pointer, line: found.line, excerpt: found, keyword, clause },
    ...{ message: redact(failure.message), occurrences: [] },
    ...(evidence === undefined ? unsent : describeExchange(evidence, failure, tools)),
  };
}

interface Evidence {
  readonly exchange: NumberedExchange;
  readonly trace: Trace | undefined;
}

/** Members of a finding without an exchange. */
const unsent = {
  operation: '',
  operations: [],
  sent: '',
  answered: '',
  label: '',
  shownRequest: 0,
  detectedAtRequest: 0,
  detectedAtMs: 0,
  curl: '',
  curlNeeds: {},
  exchanges: [],
} as const;

function describeExchange({ exchange, trace }: Evidence, failure: Failure, tools: FindingTools) {
  const { operation, request, outcome, intent, number, atMs } = exchange;
  const { redact } = tools;
  const { exchanges, curl, curlNeeds } = showExchanges(exchange, trace, failure, tools);
  const body = request.body === undefined ? '' : ` ${showBody(request.body, redact)}`;
  const answered =
    outcome.kind === 'none'
      ? `no answer: ${outcome.message}`
      : `${outcome.status} ${headerOf(outcome, 'content-type') ?? ''} ${showBody(outcome.body, redact)}`;
  return {
    operation: operation.id,
    operations: [],
    sent: redact(`${request.method} ${request.path}${body}`),
    answered: redact(answered.trim().replaceAll(/ {2,}/g, ' ')),
    label: intent.label,
    shownRequest: number,
    detectedAtRequest: number,
    detectedAtMs: Math.round(atMs),
    curl,
    curlNeeds,
    exchanges,
  };
}

function showBody(body: Buffer, redact: (text: string) => string): string {
  if (!isUtf8(body)) return `(${body.length} bytes of binary content)`;
  // Redaction comes before the cut: a part of a secret would not be recognised.
  return excerpt(redact(body.toString()), mostShown);
}

/** Most names in one line. */
const mostNamed = 6;

/** The text of a finding: fault, place, requirement, request, answer, and a line to reproduce it. */
export function formatFinding(given: Finding): string {
  const finding = printableParts(given);
  const { check, severity, operations, operation, place, pointer, line, keyword, clause, message } = finding;
  const { count, expired = [] } = finding;
  const where = operations.length > 1 ? [`on ${operations.length} operations`] : operations;
  const sentence = `${keyword}   ${clause}`;
  const lines = [
    `${severity === 'suspect' ? 'inconclusive: ' : ''}${[check, ...where, place, sentence].join('   ')}`,
    `  ${message}`,
    ...(operations.length <= 1 ? [] : [`  on        ${nameSome(operations, mostNamed)}`]),
    ...formatPlaces(finding),
    `  contract  ${pointer}  line ${line}`,
    ...expired.map(({ until, reason }) => `  known     until ${until}, which is over: ${reason}`),
    ...(operation === '' ? [`  ${count === 1 ? '' : `at ${count} places   `}${finding.id}`] : formatExchange(finding)),
  ];
  return lines.join('\n');
}

function formatExchange(finding: Finding): string[] {
  const { count, label, shownRequest, detectedAtRequest, detectedAtMs } = finding;
  const times = count === 1 ? '' : `, seen ${count} times`;
  const detected = `request ${detectedAtRequest}, ${(detectedAtMs / 1000).toFixed(2)} s`;
  const shown =
    shownRequest === detectedAtRequest
      ? `${detected} (${label})${times}`
      : `request ${shownRequest} (${label})${times}, first at ${detected}`;
  return [
    `  sent      ${finding.sent}`,
    `  answered  ${finding.answered}`,
    `  ${shown}   ${finding.id}`,
    `  ${finding.curl}`,
  ];
}

/** Further places of the cause. */
function formatPlaces({ place, pointer, message, operation, occurrences }: Finding): string[] {
  // For a fault of the contract, the pointer is the place.
  const [own, placeOf] =
    operation === '' ? [pointer, (one: Occurrence) => one.pointer] : [place, (one: Occurrence) => one.place];
  // A place is listed with its message if that differs in more than the number of places.
  const general = (text: string): string => text.replace(/, also at \d+ more places?$/, '');
  const others = [
    ...new Set(
      occurrences
        .filter((one) => placeOf(one) !== own)
        .map(
          (one) => `${placeOf(one)}${general(one.message) === general(message) ? '' : ` (${general(one.message)})`}`,
        ),
    ),
  ];
  return others.length === 0 ? [] : [`  also at   ${nameSome(others, mostNamed)}`];
}
