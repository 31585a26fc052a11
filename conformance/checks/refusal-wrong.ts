// Rejections that the contract describes by extensions: their status, their order and their codes.
import { contentFor } from '../contract/contract.ts';
import { joinPointer } from '../contract/document.ts';
import { readPrecedence } from '../contract/extensions.ts';
import { headerOf, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { errorCodesIn } from '../schema/annotated-values.ts';
import { declaredAnswerOf } from './answered.ts';
import type { LawDescription, RunContext, TraceCheck, TraceVerdict } from './check.ts';
import { readParts, statusOf } from './parts.ts';

interface Law extends LawDescription {
  readonly judge: (trace: Trace, context: RunContext) => readonly TraceVerdict[];
}

export const refusalCheck = 'refusal-wrong';

/** Statuses that reject a value. Any other one may be about the caller, the object or the address. */
const ofValues: ReadonlySet<number> = new Set([400, 422]);

/** The obligation of an invalid value. */
const placeOfStatus = (name: string): string => `invalid value of ${name}`;

export const refusalLaws = {
  'invalid-status': {
    about: 'an invalid value of a parameter gets another status than the parameter declares',
    clause: 'the contract, x-invalid-status',
    example: { sent: 'GET /orders/x; x-invalid-status of the id is 422', answered: '400' },
    fix: 'Answer with the status of x-invalid-status.',
    judge: (trace, context) => trace.flatMap((exchange) => judgeStatus(exchange, context)),
  },
  precedence: {
    about: 'a request with two faults gets the status that x-precedence lists later',
    clause: 'the contract, x-precedence',
    example: {
      sent: 'POST /orders without credentials, with an invalid body',
      answered: '400; 401 is first in x-precedence',
    },
    fix: 'Check in the order of x-precedence.',
    judge: judgeOrder,
  },
  'error-code': {
    about: 'the code of an error is none of those that its response lists',
    clause: 'the contract, x-error-codes',
    example: { sent: 'GET /orders/7', answered: '404 {"code":"gone"}; the response lists order_not_found' },
    fix: 'Answer with a listed code, or list this one.',
    judge: (trace, context) => trace.flatMap((exchange) => judgeCode(exchange, context)),
  },
} as const satisfies Readonly<Record<string, Law>>;

function judgeStatus(exchange: NumberedExchange, { judge }: RunContext): readonly TraceVerdict[] {
  const { intent, draft, isPause } = exchange;
  if (intent.polarity !== 'invalid' || draft === undefined || draft.edits !== undefined || isPause) return [];
  const isInvalid = (schema: string | undefined, value: unknown): boolean =>
    schema !== undefined && !judge.accepts(schema, 'request', value);
  const wrong = draft.parameters.filter(({ parameter, value }) => isInvalid(parameter.schema, value));
  const [{ parameter } = { parameter: undefined }] = wrong;
  const declared = parameter?.invalidStatus;
  const isOther = wrong.length > 1 || isInvalid(draft.body?.content.schema, draft.body?.value);
  if (parameter === undefined || declared === undefined || isOther) return [];
  const status = statusOf(exchange);
  const place = placeOfStatus(parameter.name);
  if (status === declared) return [{ place, failures: [], exchange }];
  if (!ofValues.has(status)) return [];
  const pointer = joinPointer(parameter.pointer, 'x-invalid-status');
  const message = `an invalid value of ${parameter.name} was answered ${status}; the contract declares ${declared}`;
  return [
    { place, failures: [failureOf('invalid-status', exchange, { pointer, message, cause: [pointer] })], exchange },
  ];
}

function judgeCode(exchange: NumberedExchange, { contract }: RunContext): readonly TraceVerdict[] {
  const { answer, response } = (exchange.isPause ? undefined : declaredAnswerOf(exchange)) ?? {};
  if (answer === undefined || response === undefined || response.errorCodes.length === 0) return [];
  const { schema } = contentFor(response.contents, headerOf(answer, 'content-type') ?? '') ?? {};
  const codes =
    schema === undefined
      ? []
      : [...errorCodesIn(contract.root, schema, exchange.seen.responseBody)].map(({ value }) => value);
  if (codes.length === 0) return [];
  const place = `code of response ${response.status}`;
  const [code] = codes;
  if (codes.some((one) => response.errorCodes.includes(String(one)))) return [{ place, failures: [], exchange }];
  const pointer = joinPointer(response.pointer, 'x-error-codes');
  const message = `the code ${JSON.stringify(code)} is none of ${response.errorCodes.join(', ')}`;
  const cause = [pointer, String(code)];
  return [{ place, failures: [failureOf('error-code', exchange, { pointer, message, cause })], exchange }];
}

/** The case has two faults; the requests `first` and `second` have one of them each. */
function judgeOrder(trace: Trace, { contract }: RunContext): readonly TraceVerdict[] {
  const parts = readParts(trace, refusalCheck);
  const alone = ['first', 'second'].map((role) => parts?.of(role));
  const order = readPrecedence(contract.root);
  const [earlier, later] = alone
    .map((one) => order.indexOf(one === undefined ? 0 : statusOf(one)))
    .sort((a, b) => a - b)
    .map((index) => order[index]);
  if (parts === undefined || earlier === undefined || later === undefined || earlier === later) return [];
  const { name: place, case: sent, of } = parts;
  const status = statusOf(sent);
  if (status === earlier) return [{ place, failures: [], exchange: sent }];
  const repeat = of('repeat');
  if (status !== later || repeat === undefined || statusOf(repeat) !== status) return [];
  const message = `${place} together were answered ${later}; alone, one is answered ${earlier}, which is first in x-precedence`;
  const found = { pointer: '#/x-precedence', message, cause: [later] };
  return [{ place, failures: [failureOf('precedence', sent, found)], exchange: sent }];
}

function failureOf(
  law: keyof typeof refusalLaws,
  exchange: NumberedExchange,
  { pointer, message, cause }: Pick<Failure, 'pointer' | 'message'> & { readonly cause: Failure['causes'][number] },
): Failure {
  return {
    ...{ check: refusalCheck, severity: 'defect', keyword: law, pointer, message },
    ...{ place: `response ${statusOf(exchange)}`, clause: refusalLaws[law].clause, causes: [[law, ...cause]] },
  };
}

export const refusalWrong: TraceCheck = {
  kind: 'trace',
  name: refusalCheck,
  about: 'a rejection has another status or code than extensions of the contract declare',
  effect: 'Clients that choose what to do by status and code do the wrong thing.',
  clauses: ['the contract, x-invalid-status', 'the contract, x-precedence', 'the contract, x-error-codes'],
  example: refusalLaws['error-code'].example,
  fix: 'Correct the rejection: the law is the keyword of the finding.',
  allow: 'Correct the extension, or remove it.',
  laws: refusalLaws,
  // The codes of an error are an obligation as soon as one comes.
  plan: ({ parameters }) =>
    parameters
      .filter(({ invalidStatus }) => invalidStatus !== undefined)
      .map(({ name, pointer }) => ({ place: placeOfStatus(name), pointer, keyword: 'x-invalid-status' })),
  needs: (place) => `conclusive answer to the probe "${place}"`,
  judge: (trace, context) => Object.values(refusalLaws).flatMap(({ judge }) => judge(trace, context)),
};
