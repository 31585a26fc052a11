import type { Operation } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { headerOf, type Intent, type NumberedExchange } from '../execute/exchange.ts';
import type { Cause } from '../failures/failure.ts';
import { type Answered, declaredAnswerOf } from './answered.ts';
import { type ExchangeCheck, wholeAnswer } from './check.ts';

/** Statuses that need no line in the contract: any server or proxy in between may send them. */
const implied = new Set([413, 414, 429, 431]);

/** What HTTP itself answers to a method or media type that is not the declared one. */
const impliedByProbes = new Set([405, 406, 415]);

export const statusUndocumented: ExchangeCheck = {
  name: 'status-undocumented',
  about: 'a status that the operation does not list, by itself, as a range or as default',
  plan: () => [wholeAnswer],
  judge: (exchange) => {
    const answered = declaredAnswerOf(exchange);
    if (answered === undefined || exchange.isPause) return [];
    const { operation, intent } = exchange;
    const { status } = answered.answer;
    if (answered.response !== undefined || isImplied(operation, status, intent))
      return [{ place: wholeAnswer, failures: [] }];
    return [
      {
        place: wholeAnswer,
        failures: [
          {
            check: 'status-undocumented',
            severity: 'defect',
            place: `response ${status}`,
            pointer: joinPointer(operation.pointer, 'responses'),
            keyword: 'responses',
            says: describe(exchange, answered),
            causes: [causeOf(operation, status)],
          },
        ],
      },
    ];
  },
};

/** A refusal that nobody wrote down is one omission; of successes it tells them apart what was promised instead. */
function causeOf({ responses }: Operation, status: number): Cause {
  if (status >= 300) return [status];
  return [status, ...responses.map((response) => response.status).filter((listed) => /^2/.test(listed))];
}

function describe({ operation, request }: NumberedExchange, { answer }: Answered): string {
  const listed = operation.responses.map((response) => response.status).join(', ') || 'none';
  const says = `${answer.status} is not documented; listed: ${listed}`;
  const location = answer.status >= 300 && answer.status < 400 ? headerOf(answer, 'location') : undefined;
  if (location === undefined) return says;
  const target = URL.parse(location, `http://host.invalid${request.path}`);
  const [asked = ''] = request.path.split('?');
  const isSlash = target?.pathname.replace(/\/$/, '').endsWith(asked.replace(/\/$/, ''));
  const where = /log-?in|sign-?in|auth|sso/i.test(location) ? 'what looks like a login' : 'elsewhere';
  const hint = isSlash ? 'to the same path in another spelling' : `${where}, so nothing was accepted`;
  return `${says}; it leads ${hint}: ${location}`;
}

function isImplied(operation: Operation, status: number, { phase }: Intent): boolean {
  if (implied.has(status)) return true;
  if (impliedByProbes.has(status) && phase === 'protocol') return true;
  // 5xx is the business of `server-error`; an operation without any 4xx gets one warning instead of one finding each.
  if (status >= 500) return true;
  const documentsRefusals = operation.responses.some((response) => /^(4|default)/i.test(response.status));
  if (status >= 400 && !documentsRefusals) return true;
  return (
    (status === 401 || status === 403) && operation.security.some((alternative) => Object.keys(alternative).length > 0)
  );
}
