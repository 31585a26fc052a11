import { createHash } from 'node:crypto';
import type { NumberedExchange } from '../execute/exchange.ts';
import { headerOf } from '../execute/exchange.ts';
import { curlLine } from './curl-line.ts';
import type { Failure } from './failure.ts';

/** One cause, however often and at however many operations it showed. All texts are free of secrets. */
export interface Finding {
  /** The same in every run that finds this cause. */
  readonly id: string;
  readonly check: string;
  readonly severity: Failure['severity'];
  readonly operation: string;
  /** All operations at which it showed, that one included. */
  readonly operations: readonly string[];
  readonly count: number;
  readonly place: string;
  readonly pointer: string;
  readonly line: number;
  readonly keyword: string;
  readonly clause: string | undefined;
  readonly says: string;
  readonly sent: string;
  readonly answered: string;
  /** How the request came about: `linked, example`. */
  readonly label: string;
  readonly detectedAtRequest: number;
  readonly detectedAtMs: number;
  readonly curl: string;
}

export interface FindingTools {
  readonly redact: (text: string) => string;
  readonly variables: () => ReadonlyMap<string, string>;
  readonly lineOf: (pointer: string) => number;
}

/** Most of a body that a report shows; the rest is one request away. */
const mostShown = 300;

/** What makes two failures one: check, sentence and status, and the operation unless the cause may be shared. */
export function fingerprintOf(failure: Failure, { operation }: NumberedExchange): string {
  const { check, keyword, pattern, isShared } = failure;
  const parts = [check, keyword, pattern, isShared ? '' : operation.id];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8);
}

export function describeFinding(
  failure: Failure,
  exchange: NumberedExchange,
  { redact, variables, lineOf }: FindingTools,
): Finding {
  const { operation, request, outcome, intent, number, atMs } = exchange;
  const answered =
    outcome.kind === 'none'
      ? `no answer: ${outcome.says}`
      : `${outcome.status} ${headerOf(outcome, 'content-type') ?? ''} ${excerpt(outcome.body, redact)}`;
  return {
    id: fingerprintOf(failure, exchange),
    check: failure.check,
    severity: failure.severity,
    operation: operation.id,
    operations: [operation.id],
    count: 1,
    place: failure.place,
    pointer: failure.pointer,
    line: lineOf(failure.pointer),
    keyword: failure.keyword,
    clause: failure.clause,
    says: redact(failure.says),
    sent: redact(
      `${request.method} ${request.path}${request.body === undefined ? '' : ` ${excerpt(request.body, redact)}`}`,
    ),
    answered: redact(answered.trim().replaceAll(/ {2,}/g, ' ')),
    label: intent.label,
    detectedAtRequest: number,
    detectedAtMs: Math.round(atMs),
    curl: redact(curlLine(request, operation.target, variables())),
  };
}

function excerpt(body: Buffer, redact: (text: string) => string): string {
  // Redacted before it is cut: half a secret would not be recognised.
  const text = redact(body.toString()).replaceAll(/\s+/g, ' ').trim();
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}…`;
}
