import { createHash } from 'node:crypto';
import type { NumberedExchange } from '../execute/exchange.ts';
import { headerOf } from '../execute/exchange.ts';
import { curlLine } from './curl-line.ts';
import type { Failure } from './failure.ts';
import type { Redactor } from './redact.ts';

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
  /** Shell variables that the line reads, with what belongs into each. */
  readonly curlNeeds: Readonly<Record<string, string>>;
}

export interface FindingTools extends Pick<Redactor, 'redact' | 'pieces' | 'headerVariable' | 'meaningOf'> {
  readonly lineOf: (pointer: string) => number;
}

export interface Findings {
  /** @returns the finding, when it is a new one */
  readonly add: (failure: Failure, exchange: NumberedExchange) => Finding | undefined;
  /** In the order in which they were found. */
  readonly all: () => readonly Finding[];
}

/** One finding per cause, with the number of times and the operations at which it showed. */
export function collectFindings(tools: FindingTools): Findings {
  const found = new Map<string, Finding>();
  return {
    all: () => [...found.values()],
    add: (failure, exchange) => {
      const id = fingerprintOf(failure, exchange);
      const known = found.get(id);
      if (known === undefined) {
        const finding = describeFinding(failure, exchange, tools);
        found.set(id, finding);
        return finding;
      }
      const operations = [...new Set([...known.operations, exchange.operation.id])];
      found.set(id, { ...known, operations, count: known.count + 1 });
      return undefined;
    },
  };
}

/** Most of a body that a report shows; the rest is one request away. */
const mostShown = 300;

/** What makes two failures one: check, sentence and status, and the operation unless the cause may be shared. */
function fingerprintOf(failure: Failure, { operation }: NumberedExchange): string {
  const { check, keyword, pattern, isShared } = failure;
  const parts = [check, keyword, pattern, isShared ? '' : operation.id];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8);
}

function describeFinding(failure: Failure, exchange: NumberedExchange, tools: FindingTools): Finding {
  const { operation, request, outcome, intent, number, atMs } = exchange;
  const { redact, lineOf } = tools;
  const { line: curl, needs: curlNeeds } = curlLine(request, operation.target, tools);
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
    curl,
    curlNeeds,
  };
}

function excerpt(body: Buffer, redact: (text: string) => string): string {
  // Redacted before it is cut: half a secret would not be recognised.
  const text = redact(body.toString()).replaceAll(/\s+/g, ' ').trim();
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}…`;
}

/** The message of a finding: what, where, which sentence, what was sent and answered, and how to send it again. */
export function formatFinding(finding: Finding): string {
  const { check, severity, operations, operation, place, pointer, line, keyword, clause, says, count } = finding;
  const also = operations.filter((other) => other !== operation);
  const more =
    also.length === 0
      ? ''
      : `  (and ${also.length} more: ${also.slice(0, 6).join(', ')}${also.length > 6 ? ', …' : ''})`;
  const times = count === 1 ? '' : `, seen ${count} times`;
  const lines = [
    `${severity === 'suspect' ? 'suspect: ' : ''}${check}   ${operation}   ${place}   ${keyword}${clause === undefined ? '' : `   ${clause}`}${more}`,
    `  ${says}`,
    `  contract  ${pointer}  line ${line}`,
    `  sent      ${finding.sent}`,
    `  answered  ${finding.answered}`,
    `  request ${finding.detectedAtRequest}, ${(finding.detectedAtMs / 1000).toFixed(2)} s (${finding.label})${times}   ${finding.id}`,
    `  ${finding.curl}`,
  ];
  return lines.join('\n');
}
