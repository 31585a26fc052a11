// Who may do what: verdicts on the probes of the phase `auth`.
import type { Contract } from '../contract/contract.ts';
import { joinPointer, readPointer } from '../contract/document.ts';
import { type CredentialChange, headerOf, isAccepted, type NumberedExchange, type Trace } from '../execute/exchange.ts';
import { scopesOf } from '../execute/tokens.ts';
import type { Failure } from '../failures/failure.ts';
import { isSafe } from '../plan/operation-kinds.ts';
import { readItems } from '../resources/read-items.ts';
import { slotsOf } from '../resources/slots.ts';
import type { RunContext, TraceCheck, TraceVerdict } from './check.ts';
import { type Parts, readParts, statesFailure, statusOf } from './parts.ts';

/** Names of the checks, as the probes refer to them. */
export const accessCheck = {
  missing: 'auth-missing',
  invalid: 'auth-invalid',
  refused: 'auth-valid-refused',
  scope: 'scope-ignored',
  tenant: 'tenant-leak',
  existence: 'existence-leak',
} as const;

/** Name of the probe that asks for an object of the first account beneath a parent of the second one. */
export const ownParent = 'parent of another account';

/** Names of the probes without credentials that follow if the accepted request is rejected without them. */
export const [headOnly, queryOnly] = ['HEAD without credentials', 'query parameter without credentials'] as const;

/** Beginning of the names of the probes that ask for the list of the second account with one parameter more. */
export const withOption = 'list of another account with';

type Judgement = Pick<Failure, 'severity' | 'message' | 'clause' | 'causes'> | 'met' | 'unjudged';

/** A check of the probes with its name; what is not judged stays open. */
function checkOfProbes(
  described: Omit<TraceCheck, 'kind' | 'plan' | 'needs' | 'judge'>,
  judge: (parts: Parts, context: RunContext) => Judgement,
): TraceCheck {
  const { name } = described;
  return {
    ...described,
    kind: 'trace',
    plan: () => [],
    needs: (place) => `conclusive answer to the probe "${place}"`,
    judge: (trace: Trace, context): readonly TraceVerdict[] => {
      const parts = readParts(trace, name);
      if (parts === undefined) return [];
      const judged = judge(parts, context);
      if (judged === 'unjudged') return [];
      const place = parts.name;
      const exchange = parts.shown;
      if (judged === 'met') return [{ place, failures: [], exchange }];
      const { operation } = exchange;
      const declared = joinPointer(operation.pointer, 'security');
      const pointer = readPointer(context.contract.root, declared) === undefined ? '#/security' : declared;
      const failure: Failure = {
        ...{ check: name, place: `response ${statusOf(exchange)}`, pointer, keyword: 'security' },
        ...judged,
      };
      return [{ place, failures: [failure], exchange }];
    },
  };
}

/** Whether an object that could be read before a deletion is gone after it; undefined if no such reads show it. */
function isDeleted({ of }: Parts): boolean | undefined {
  const after = of('read after');
  if (after === undefined || !isSuccessful(of('read before'))) return undefined;
  if ([404, 410].includes(statusOf(after))) return true;
  return isAccepted(after) ? false : undefined;
}

/** Statuses that answer a question of access, whether or not they admit that the object exists. */
const denials = new Set([401, 403, 404]);

const openApi = 'OpenAPI, Security Requirement Object';

export const authMissing = checkOfProbes(
  {
    name: accessCheck.missing,
    about: 'an operation that requires credentials accepts a request without them',
    effect: 'Anyone who knows the address can call the operation.',
    clauses: ['OpenAPI', 'RFC 9110 9.3.2'],
    example: { sent: 'DELETE /books/7 without credentials', answered: '204' },
    fix: 'Check the credentials before anything else, on every route, for HEAD as for GET, whatever the query is.',
    allow: 'Declare security: [] for the operation, or {} as an alternative, if it is open.',
  },
  (parts, context) => {
    const { name, case: sent, of } = parts;
    if (isAccepted(sent)) {
      const causes = [['open', name.split(' ')[0] ?? '']];
      const isVaried = name === headOnly || name === queryOnly;
      const message = isVaried ? `the request was accepted: ${name}` : `the request was accepted with ${name}`;
      const judged = accepted(parts, context, message, causes);
      if (name !== headOnly) return judged;
      return isSuccessful(of('control')) ? { ...judged, clause: 'RFC 9110 9.3.2' } : 'unjudged';
    }
    if (!denials.has(statusOf(sent))) return 'unjudged';
    return isDeleted(parts) === true ? effectBefore(sent, openApi) : 'met';
  },
);

/** A rejected deletion that was carried out. */
function effectBefore(sent: NumberedExchange, clause: string): Judgement {
  const message = `the deletion was answered ${statusOf(sent)}, but the object is gone`;
  return { severity: 'defect', clause, message, causes: [['effect before access']] };
}

export const existenceLeak = checkOfProbes(
  {
    name: accessCheck.existence,
    about: 'without credentials, an unknown id gets another answer than a known one',
    effect: 'Anyone can find out which objects exist.',
    clauses: ['the contract'],
    example: { sent: 'GET /books/404404 without credentials', answered: '404; GET /books/7 is answered 401' },
    fix: 'Check the credentials before the id is searched.',
    allow: 'Declare security: [] for the operation, or {} as an alternative, if it is open.',
  },
  ({ case: sent, of }) => {
    if (![404, 410].includes(statusOf(sent))) return statusOf(sent) === 401 ? 'met' : 'unjudged';
    const [known, repeat] = [of('known id'), of('repeat')];
    if (known === undefined || repeat === undefined || statusOf(repeat) !== statusOf(sent)) return 'unjudged';
    // A 404 for both hides which of them exists.
    if (statusOf(known) !== 401) return 'met';
    const isDocumented = sent.operation.responses.some(({ status }) => status === '401');
    return {
      severity: isDocumented ? 'defect' : 'suspect',
      clause: 'the contract, response 401',
      message: `without credentials, an unknown id is answered ${statusOf(sent)} and a known one 401`,
      causes: [['existence']],
    };
  },
);

export const authInvalid = checkOfProbes(
  {
    name: accessCheck.invalid,
    about: 'an operation accepts wrong credentials: made up, altered, unsigned or expired',
    effect: 'Credentials prove nothing: anyone can write a token that the operation accepts.',
    clauses: ['OpenAPI'],
    example: { sent: 'GET /books with a token whose signature is altered', answered: '200' },
    fix: 'Check the signature, its algorithm and the expiry of a token, compare the whole key by its exact characters, and accept only the declared scheme.',
    allow: 'Declare security: [] for the operation, or {} as an alternative, if it is open.',
  },
  (parts, context) => {
    const { name, case: sent } = parts;
    const [change = ''] = name.split(',');
    if (isAccepted(sent)) {
      const message = `the request was accepted, but its credential was wrong (${change})`;
      const judged = accepted(parts, context, message, causesOf(change));
      return perhapsRight.has(change) ? { ...judged, severity: 'suspect' } : judged;
    }
    // A write may be answered 400 because it was sent before. An unknown client may be answered 400 (RFC 6749, 5.2).
    const isMalformed = statusOf(sent) === 400 && (isSafe(sent.operation) || /secret$/.test(change));
    return isMalformed || denials.has(statusOf(sent)) ? 'met' : 'unjudged';
  },
);

/** A server that does not look at a credential accepts every change of it; one without a signature check accepts two. */
function causesOf(change: string): Failure['causes'] {
  const kinds = { signature: /^altered/, 'name of scheme': /^as /, case: /other case$/, secret: /secret$/ };
  return [[Object.entries(kinds).find(([, kind]) => kind.test(change))?.[0] ?? change]];
}

/** Some APIs accept `Token` in place of `Bearer`, and some issue keys in one case and accept both. */
const perhapsRight: ReadonlySet<string> = new Set<CredentialChange>(['as Token', 'all in other case']);

/** Words of scopes that may include others, though no norm states it. */
const broad = /(^|[^a-z])(admin|administrator|all|full|root|super|owner|manage|any|\*)([^a-z]|$)|\*/i;
const broaderThanRead = /(^|[^a-z])(write|edit|manage|create|update|delete|rw|modify)([^a-z]|$)/i;
const reads = /(^|[^a-z])(read|view|get|list|readonly)([^a-z]|$)/i;

/**
 * Scopes that a server may take to include the needed one: of the whole API, for writes where a read is asked, or with fewer words, as
 * `drive` includes `drive.readonly` and `user` includes `read:user`.
 */
export function mayInclude(scope: string, needed: readonly string[]): boolean {
  const isWider = (one: string): boolean => wordsOf(scope).every((word) => wordsOf(one).includes(word));
  return broad.test(scope) || needed.some((one) => isWider(one) || (reads.test(one) && broaderThanRead.test(scope)));
}

function wordsOf(scope: string): readonly string[] {
  return scope.toLowerCase().split(/[^a-z0-9]+/);
}

export const scopeIgnored = checkOfProbes(
  {
    name: accessCheck.scope,
    about: 'an operation accepts a token without a scope that it requires',
    effect: 'A client can do more than its user has allowed.',
    clauses: ['OpenAPI'],
    example: { sent: 'POST /books with a token for books:read', answered: '201; the contract requires books:write' },
    fix: 'Check the scopes of the token, and answer 403.',
    allow: 'Remove the scope from the security of the operation, or add an alternative with the accepted scope.',
  },
  (parts, context) => {
    const { name, case: sent } = parts;
    if (isAccepted(sent)) {
      const judged = accepted(parts, context, `a token ${name} was accepted`, [['scope']]);
      return keepsBroader(sent, context.contract) ? { ...judged, severity: 'suspect' } : judged;
    }
    return denials.has(statusOf(sent)) ? 'met' : 'unjudged';
  },
);

/** Whether the token may have had a scope that includes the missing one. */
function keepsBroader({ intent }: NumberedExchange, contract: Contract): boolean {
  const without = typeof intent.identity === 'object' && 'without' in intent.identity ? intent.identity.without : [];
  return scopesOf(contract).some((scope) => !without.includes(scope) && mayInclude(scope, without));
}

function accepted(
  { case: sent, of }: Parts,
  context: RunContext,
  message: string,
  causes: Failure['causes'],
): Exclude<Judgement, string> {
  const repeat = of('repeat');
  // A 202 promises nothing: the request may still be rejected (RFC 9110, 15.3.3).
  const isSure = statusOf(sent) !== 202 && !statesFailure(sent) && (repeat === undefined || isAccepted(repeat));
  const severity = isSure && !leadsElsewhere(sent, context) ? 'defect' : 'suspect';
  return { severity, clause: openApi, message, causes };
}

/** Whether a redirect has another target than that of the accepted request: perhaps a login. */
function leadsElsewhere({ operation, outcome }: NumberedExchange, context: RunContext): boolean {
  const known = context.accepted.get(operation);
  if (outcome.kind === 'none' || outcome.status < 300) return false;
  const [target, usual] = [outcome, known].map((one) => one && headerOf(one, 'location')?.split('?')[0]);
  return target !== usual;
}

export const authValidRefused = checkOfProbes(
  {
    name: accessCheck.refused,
    about: 'an operation rejects credentials that its contract calls sufficient',
    effect: 'A client that follows the contract is locked out.',
    clauses: ['OpenAPI', 'RFC 9110'],
    example: { sent: 'GET /books with a token for books:read', answered: '403; the contract requires only books:read' },
    fix: 'Accept each alternative of security alone, and the name of a scheme in any case.',
    allow: 'Declare the scope or scheme that the operation requires.',
  },
  ({ name, case: sent, of }) => {
    if (isAccepted(sent)) return 'met';
    const [control, repeat] = [of('control'), of('repeat')];
    const isRejected = [401, 403].includes(statusOf(sent));
    if (!isRejected || control === undefined || !isAccepted(control)) return 'unjudged';
    if (repeat === undefined || statusOf(repeat) !== statusOf(sent)) return 'unjudged';
    const isCase = name === 'scheme in lower case';
    const clause = isCase ? 'RFC 9110 11.1' : openApi;
    const message = `${statusOf(sent)} with "${name}", though the usual credentials were accepted before and after`;
    return { severity: 'defect', clause, message, causes: [[isCase ? name : 'sufficient']] };
  },
);

export const tenantLeak = checkOfProbes(
  {
    name: accessCheck.tenant,
    about:
      'an account reads, creates, changes or deletes what belongs to another one, or reaches an object beneath a wrong parent',
    effect: 'One customer sees or changes the data of another.',
    clauses: ['OWASP API1', 'the contract'],
    example: { sent: 'GET /books/7 by the second account', answered: '200; its own list has no book 7' },
    fix: 'Search each object within the account of the caller and within its parent.',
    allow: 'Add x-shared to an operation that gives every account the same answer.',
  },
  (parts) => {
    const { name, case: sent, of } = parts;
    if (!isAccepted(sent) && isDeleted(parts) === true) return effectBefore(sent, 'OWASP API1:2023');
    if (!isAccepted(sent)) return denials.has(statusOf(sent)) || statusOf(sent) === 410 ? 'met' : 'unjudged';
    if (name === 'unknown parent') return judgeParent(parts);
    if (name.startsWith(withOption)) return judgeOption(parts);
    if (isDeleted(parts) === false) return 'met';
    // The PUT created an object of the second account, which has names of its own.
    if (sent.operation.method === 'put' && statusOf(sent) === 201) return 'met';
    const isRead = name === 'object of another account';
    if (isRead) {
      const control = of('control');
      if (control === undefined || !isAccepted(control)) return 'unjudged';
      // An empty list, or one of the second account's own items, shows nothing of the first.
      if (!showsItemOf(control, sent)) return 'met';
    }
    const isEffective = sent.operation.method !== 'delete' || isDeleted(parts) === true;
    const isUnknownRejected = !isRead || isRejected(of('unknown id'));
    const isSure = areSeparate(parts) && isUnknownRejected && isEffective && statusOf(sent) !== 202;
    return {
      severity: isSure ? 'defect' : 'suspect',
      clause: 'OWASP API1:2023',
      message: `${name}: the second account was answered ${statusOf(sent)}${isSure ? ', though its own list has no such object' : ''}`,
      causes: [[name]],
    };
  },
);

/** An object of the first account in a list of the second one, which can read neither the object nor its list without the parameter. */
function judgeOption({ name, case: sent, of }: Parts): Judgement {
  const [own, second, object, control] = ['own list', 'second list', 'object', 'control'].map(of);
  if (object === undefined) return 'met';
  if (isAccepted(object)) return 'met';
  if (!isRejected(object) || !isSuccessful(control) || !isSuccessful(own) || !isSuccessful(second)) return 'unjudged';
  const { noun, parameter } = slotsOf(object.operation.path).at(-1) ?? { noun: '', parameter: '' };
  const id = String(object.seen.path[parameter]);
  const [mine = [], theirs = [], shown = []] = [own, second, sent].map(
    (one) => readItems(one?.seen.responseBody, noun).list,
  );
  const members = mine.flatMap((item) => [...item].filter(([, one]) => String(one) === id).map(([member]) => member));
  const ids = (items: typeof mine) =>
    new Set(items.flatMap((item) => members.flatMap((one) => String(item.get(one) ?? []))));
  const [usual, others] = [ids(mine), ids(theirs)];
  if (!ids(shown).has(id) || [...usual].some((one) => others.has(one))) return 'unjudged';
  return {
    // A directory may list objects that only some accounts may read; a 404 denies that the object exists.
    severity: statusOf(object) === 403 || statusOf(sent) === 202 ? 'suspect' : 'defect',
    clause: 'OWASP API1:2023',
    message: `${name}: it has an object of the first account, whose read answers the second account ${statusOf(object)}`,
    causes: [[withOption]],
  };
}

function judgeParent({ case: sent, of }: Parts): Judgement {
  const isDocumented = sent.operation.responses.some(({ status }) => /^(404|4XX)$/i.test(status));
  const control = of('control');
  if (!isRejected(of('unknown parent')) || control === undefined || !isAccepted(control)) return 'unjudged';
  // A list beneath an unknown parent may be empty.
  if (!bodyOf(sent).equals(bodyOf(control))) return 'unjudged';
  return {
    severity: isDocumented ? 'defect' : 'suspect',
    clause: 'the contract, response 404',
    message: `the object was answered ${statusOf(sent)} beneath a parent that does not exist`,
    causes: [['parent']],
  };
}

function bodyOf({ outcome }: NumberedExchange): Buffer {
  return outcome.kind === 'answer' ? outcome.body : Buffer.alloc(0);
}

function isRejected(exchange: NumberedExchange | undefined): boolean {
  const status = exchange === undefined ? 0 : statusOf(exchange);
  return status === 404 || status === 410 || status === 403;
}

function isSuccessful(exchange: NumberedExchange | undefined): boolean {
  return exchange !== undefined && isAccepted(exchange);
}

/** Whether an answer is an object, or a list with an item of the other list. */
function showsItemOf(control: NumberedExchange, sent: NumberedExchange): boolean {
  const noun = slotsOf(sent.operation.path).at(-1)?.noun ?? '';
  const [theirs, mine] = [sent, control].map(({ seen }) => readItems(seen.responseBody, noun));
  if (theirs?.isList !== true) return true;
  const known = new Set(mine?.list.map((item) => JSON.stringify([...item])));
  return theirs.list.some((item) => known.has(JSON.stringify([...item])));
}

/** Whether the first account sees the object in its list, and the second account sees no object of that list. */
function areSeparate({ name, case: sent, of }: Parts): boolean {
  const [own, second] = [of('own list'), of('second list')];
  if (own === undefined || second === undefined || !isAccepted(own)) return false;
  // The parent of another account does not exist for the second one. A 403 may only mean that the list needs a role.
  if (statusOf(second) === 404 && slotsOf(second.operation.path).length > 0) return true;
  if (!isAccepted(second)) return false;
  const slot = slotsOf(own.operation.path).length;
  const { noun, parameter } = slotsOf(sent.operation.path)[slot] ?? { noun: '', parameter: '' };
  const value = String(sent.seen.path[parameter]);
  const [mine, theirs] = [own, second].map(({ seen }) => readItems(seen.responseBody, noun).list);
  // The parent in the path may be one of the second account. The object itself may be on another page of the list.
  const itself = [sent, of('control'), of('read before')].flatMap(
    (one) => readItems(one?.seen.responseBody, noun).whole ?? [],
  );
  const members = [...(mine ?? []), ...(theirs ?? []), ...itself].flatMap((item) =>
    [...item].filter(([, one]) => String(one) === value).map(([name]) => name),
  );
  const ids = (items: typeof mine) =>
    new Set(items?.flatMap((item) => members.flatMap((name) => String(item.get(name) ?? []))));
  const [usual, others] = [ids(mine), ids(theirs)];
  const isOfSecond = name !== ownParent && others.has(value);
  return usual.size > 0 && !isOfSecond && ![...usual].some((id) => others.has(id));
}
