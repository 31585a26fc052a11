// Whether invalid input is rejected: verdicts on the probes of the phases `negative` and `random`.
import { coversMediaType } from '../contract/contract.ts';
import { type Exchange, headerOf, isAccepted, type NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { clauseOf } from '../schema/clauses.ts';
import type { RunContext, TraceCheck } from './check.ts';
import { type Parts, readParts, statesFailure, statusOf } from './parts.ts';

/** Names of the checks, as the probes refer to them. */
export const inputCheck = { invalid: 'invalid-accepted', required: 'required-ignored' } as const;

/** Statuses of a server that has read the request and rejects its format or content. */
const rejections = new Set([400, 405, 406, 411, 413, 414, 415, 422, 428, 431]);

/** An invalid value in a path names no resource. */
const ofPath = new Set([404, 410]);

function judgeInvalid({ name, case: sent, of }: Parts): 'met' | 'unjudged' | Pick<Failure, 'severity' | 'message'> {
  const status = statusOf(sent);
  if (rejections.has(status) || (name.startsWith('path ') && ofPath.has(status)) || redirectsWithError(sent))
    return 'met';
  // Access, the state of the object, or a rule that the server checks first.
  if (!isAccepted(sent)) return 'unjudged';
  // Many servers answer a page of their own to a GET of any path.
  if (name.startsWith('path ') && isPage(sent)) return 'unjudged';
  const repeat = of('repeat');
  const isSame = repeat !== undefined && isAccepted(repeat);
  // A 202 may be rejected later, and an answer may state a failure in its content.
  const isSure = isSame && status !== 202 && !statesFailure(sent);
  const other = repeat === undefined ? '; it was not repeated' : `, and ${statusOf(repeat)} when it was sent again`;
  const again = isSame ? '' : other;
  return { message: `${name}: answered ${status}${again}`, severity: isSure ? 'defect' : 'suspect' };
}

/** Whether an answer is HTML, which the operation does not list. */
function isPage({ operation, outcome }: NumberedExchange): boolean {
  const type = outcome.kind === 'answer' ? (headerOf(outcome, 'content-type') ?? '') : '';
  const listed = operation.responses.flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType));
  return /^text\/html/i.test(type) && !listed.some((one) => coversMediaType(one, 'text/html'));
}

/** Whether a redirect reports an error to the client (RFC 6749, 4.1.2.1). */
export function redirectsWithError({ outcome }: Pick<Exchange, 'outcome'>): boolean {
  return outcome.kind === 'answer' && /[?&#]error=/.test(headerOf(outcome, 'location') ?? '');
}

function checkOfInput(described: Omit<TraceCheck, 'kind' | 'plan' | 'needs' | 'judge'>): TraceCheck {
  const { name } = described;
  return {
    ...described,
    kind: 'trace',
    plan: () => [],
    needs: (place) => `conclusive answer to the probe "${place}"`,
    judge: (trace, { contract }: RunContext) => {
      const parts = readParts(trace, name);
      if (parts === undefined) return [];
      const judged = judgeInvalid(parts);
      if (judged === 'unjudged') return [];
      const exchange = parts.case;
      const place = parts.name;
      if (judged === 'met') return [{ place, failures: [], exchange }];
      const broken = exchange.intent.place ?? { pointer: exchange.operation.pointer, keyword: '' };
      const { keyword } = broken;
      // By itself, a format is an annotation (JSON Schema 2020-12, validation, 7.2.1).
      const severity = keyword === 'format' ? 'suspect' : judged.severity;
      const failure: Failure = {
        ...{ check: name, ...judged, severity, ...broken, place: place.split(':')[0] ?? place },
        clause: clauseOf(contract.root.openapi, keyword),
        causes: causesOf(exchange, broken, place),
      };
      return [{ place, failures: [failure], exchange }];
    },
  };
}

/**
 * One cause have: a component; a way to break a keyword, in parameters of one kind or in the body of an operation, where types are converted
 * in every body alike; and a part of a request in which nothing is rejected.
 */
function causesOf(
  { intent, operation }: NumberedExchange,
  { pointer, keyword }: Broken,
  name: string,
): Failure['causes'] {
  const [part = '', how = ''] = name.split(': ');
  const isBody = part.startsWith('body');
  const isShared = ofParsers.has(keyword) || part === 'body';
  const scope = !isBody ? (part.split(' ')[0] ?? '') : isShared ? 'body' : operation.id;
  return [
    [pointer],
    [scope, keyword, how],
    [part, keyword, how],
    ...(intent.probe?.groups ?? []).map((group) => [operation.id, group]),
  ];
}

/** Keywords that one parser or validator for all operations converts or ignores. */
const ofParsers = new Set(['type', 'additionalProperties', 'unevaluatedProperties']);

type Broken = NonNullable<NumberedExchange['intent']['place']>;

export const invalidAccepted = checkOfInput({
  name: inputCheck.invalid,
  about: 'a value that breaks a keyword of the contract is accepted',
  effect: 'Wrong data is stored, and clients that read it by the contract fail later and elsewhere.',
  clauses: ['JSON Schema', 'OpenAPI'],
  example: { sent: 'GET /books?limit=101; the maximum is 100', answered: '200' },
  fix: 'Validate the request against the schema at the pointer of the finding, and answer 400 or 422.',
  allow: 'Remove or widen the keyword: the contract then allows the value.',
});

export const requiredIgnored = checkOfInput({
  name: inputCheck.required,
  about: 'a request without a required part is accepted',
  effect: 'Clients cannot tell which parts the server needs, and incomplete data is stored.',
  clauses: ['JSON Schema', 'OpenAPI'],
  example: { sent: 'POST /books {"pages":474}; title is required', answered: '201' },
  fix: 'Reject requests without the part, with 400 or 422.',
  allow: 'Remove the part from required.',
});
