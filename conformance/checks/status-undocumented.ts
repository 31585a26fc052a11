import type { Operation } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { headerOf, type NumberedExchange } from '../execute/exchange.ts';
import { type Answered, declaredAnswerOf } from './answered.ts';
import { type ExchangeCheck, planWholeAnswer, wholeAnswer } from './check.ts';

/** Statuses that need no line in the contract: any server or proxy in between may send them. */
const implied = new Set([413, 414, 429, 431]);

/** What HTTP itself answers to a method or media type that is not the declared one. */
const impliedByProbes = new Set([405, 406, 415]);

export const statusUndocumented: ExchangeCheck = {
  name: 'status-undocumented',
  about: 'a status that the operation does not list, by itself, as a range or as default',
  plan: planWholeAnswer,
  judge: (exchange) => {
    const answered = declaredAnswerOf(exchange);
    if (answered === undefined || exchange.isPause) return [];
    const { operation } = exchange;
    const { status } = answered.answer;
    if (answered.response !== undefined || isImplied(exchange, status)) return [{ place: wholeAnswer, failures: [] }];
    return [
      {
        place: wholeAnswer,
        failures: [
          {
            check: 'status-undocumented',
            severity: isSure(exchange, status) ? 'defect' : 'suspect',
            place: `response ${status}`,
            pointer: joinPointer(operation.pointer, 'responses'),
            keyword: 'responses',
            says: describe(exchange, answered),
            causes: [[status]],
          },
        ],
      },
    ];
  },
};

function describe(exchange: NumberedExchange, { answer }: Answered): string {
  const { operation, request } = exchange;
  const listed = operation.responses.map((response) => response.status).join(', ') || 'none';
  const isThere = isAbsent(exchange, answer.status) ? '; is the operation there at all?' : '';
  const says = `${answer.status} is not documented; listed: ${listed}${isThere}`;
  const location = answer.status >= 300 && answer.status < 400 ? headerOf(answer, 'location') : undefined;
  if (location === undefined) return says;
  const target = URL.parse(location, `http://host.invalid${request.path}`);
  const [asked = ''] = request.path.split('?');
  const isSlash = target?.pathname.replace(/\/$/, '').endsWith(asked.replace(/\/$/, ''));
  const where = /log-?in|sign-?in|auth|sso/i.test(location) ? 'what looks like a login' : 'elsewhere';
  const hint = isSlash ? 'to the same path in another spelling' : `${where}, so nothing was accepted`;
  return `${says}; it leads ${hint}: ${location}`;
}

/** Whether the contract speaks of refusals at all: one that does not has left all of them out. */
function documentsRefusals({ responses }: Operation): boolean {
  return responses.some((response) => /^(4|default)/i.test(response.status));
}

/**
 * A declared operation that is answered as if it were not there, although nothing in its path could be unknown. A 405 says so
 * itself (RFC 9110, 15.5.6), a 404 may still mean that there is nothing to read yet.
 */
function isAbsent({ operation, intent }: NumberedExchange, status: number): boolean {
  if (intent.polarity !== 'valid' || intent.identity !== 'own') return false;
  return status === 405 || (status === 404 && !operation.path.includes('{'));
}

function isSure({ operation }: NumberedExchange, status: number): boolean {
  return status !== 404 || documentsRefusals(operation);
}

function isImplied(exchange: NumberedExchange, status: number): boolean {
  const { operation, intent } = exchange;
  if (implied.has(status)) return true;
  if (impliedByProbes.has(status) && intent.phase === 'protocol') return true;
  // 5xx is the business of `server-error`; an operation without any 4xx gets one warning instead of one finding each.
  if (status >= 500) return true;
  if (status >= 400 && !documentsRefusals(operation)) return !isAbsent(exchange, status);
  return (
    (status === 401 || status === 403) && operation.security.some((alternative) => Object.keys(alternative).length > 0)
  );
}
