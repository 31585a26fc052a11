// HTTP as requests that clients rarely send show it: verdicts on the probes of the phase `protocol`.
import { coversMediaType, essenceOf, type Operation } from '../contract/contract.ts';
import { headerOf, isAccepted, type NumberedExchange } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { pathBeneath } from '../resources/addresses.ts';
import type { LawDescription, RunContext, TraceCheck } from './check.ts';
import { type Parts, readParts, statesFailure, statusOf } from './parts.ts';

type Verdict = 'met' | 'unjudged' | { readonly message: string; readonly severity?: Failure['severity'] };

interface Law extends LawDescription {
  /** The part of the operation in the contract that the law stands on; the operation itself by default. */
  readonly pointer?: (operation: Operation) => string;
  readonly judge: (parts: Parts, context: RunContext) => Verdict;
}

const bodyOf = ({ body, pointer }: Operation): string => body?.pointer ?? pointer;

/** A probe's name begins with the name of its law, as in `malformed-json, truncated`, unless all answers have the same laws. */
export const protocolLaws = {
  'undeclared-method': {
    about: 'a method that the path does not declare is carried out',
    example: { sent: 'DELETE /books/7; the path declares GET and PUT', answered: '204' },
    fix: 'Answer 405 with Allow, or declare the operation.',
    clause: 'RFC 9110 15.5.6',
    judge: ({ case: sent }) => {
      const { method } = sent.request;
      if (statusOf(sent) >= 400) return 'met';
      if (!isAccepted(sent) || statusOf(sent) >= 300) return 'unjudged';
      // Many servers answer a page of their own to a GET of any path.
      const isPage = method === 'GET' && /^text\/html$/.test(typeOf(sent) ?? '');
      const message = `the path declares no ${method}, but it was answered ${statusOf(sent)}`;
      return { message, severity: isPage ? 'suspect' : 'defect' };
    },
  },
  'options-allow': {
    about: 'an answer to OPTIONS whose Allow omits a declared method',
    example: { sent: 'OPTIONS /books/7', answered: '204 with Allow: GET; the path declares PUT too' },
    fix: 'List every method of the path in Allow.',
    clause: 'RFC 9110 10.2.1',
    judge: ({ case: sent }, { contract, accepted }) => {
      const allow = answerHeader(sent, 'allow');
      // An answer to a preflight request names the methods that CORS allows.
      const isCors = answerHeader(sent, 'access-control-allow-methods') !== undefined;
      const isListing = isAccepted(sent) || statusOf(sent) === 405;
      if (!isListing || allow === undefined || isCors) return 'met';
      const listed = allow.split(',').map((name) => name.trim().toUpperCase());
      const omitted = contract.operations.filter(
        ({ path, method }) =>
          withoutNames(path) === withoutNames(sent.operation.path) &&
          !listed.includes(method.toUpperCase()) &&
          !['head', 'options', 'trace'].includes(method),
      );
      if (omitted.length === 0) return 'met';
      // A server may list only methods that the account or the state of the object allows (RFC 9110, 10.2.1).
      const severity = omitted.some((one) => accepted.has(one)) ? 'defect' : 'suspect';
      const methods = omitted.map(({ method }) => method.toUpperCase()).join(', ');
      return { severity, message: `Allow: ${allow} omits ${methods}, which the path declares` };
    },
  },
  'head-unlike-get': {
    about: 'HEAD is rejected though GET is accepted, or has another Content-Length or ETag',
    example: { sent: 'HEAD /books/7', answered: '404; GET is answered 200' },
    fix: 'Let the server answer HEAD as GET without content.',
    clause: 'RFC 9110 9.3.2',
    judge: ({ case: sent, of }) => {
      const [before, after] = [of('before'), of('after')];
      if (before === undefined || after === undefined) return isAccepted(sent) ? 'met' : 'unjudged';
      if (!isAccepted(before) || !isAccepted(after)) return 'unjudged';
      const other = statusOf(sent);
      // Servers have to support HEAD (RFC 9110, 9.1), but many that do not are meant for one client.
      if (other === 405) return { message: 'HEAD is not supported', severity: 'suspect' };
      if (other >= 400) return { message: `HEAD was answered ${other}; GET, before and after, ${statusOf(before)}` };
      const [tag, ownTag, lastTag] = [before, sent, after].map((one) => answerHeader(one, 'etag'));
      if (tag !== undefined && ownTag !== undefined && tag === lastTag && ownTag !== tag)
        return { message: `HEAD has the ETag ${ownTag}; GET, before and after, ${tag}` };
      const own = answerHeader(sent, 'content-length');
      const [length, last] = [lengthOf(before), lengthOf(after)];
      // A server may omit the length, but not send that of other content (RFC 9110, 8.6).
      if (length === undefined || own === undefined || length !== last) return 'met';
      return own === length ? 'met' : { message: `HEAD announced ${own} octets; GET, before and after, ${length}` };
    },
  },
  'malformed-json': {
    about: 'malformed JSON is accepted',
    example: { sent: 'POST /books {"title":"Emma"', answered: '201' },
    fix: 'Answer 400 to content that is not JSON.',
    clause: 'RFC 8259 2',
    pointer: bodyOf,
    judge: ({ name, case: sent }) => judgeRejection(sent, `JSON that is malformed (${name.split(', ')[1]})`),
  },
  'unlisted-media-type': {
    about: 'content of a media type that the operation does not list is accepted',
    example: {
      sent: 'POST /books with Content-Type: text/plain',
      answered: '201; the operation lists application/json',
    },
    fix: 'Answer 415 to other media types.',
    clause: 'RFC 9110 15.5.16',
    pointer: bodyOf,
    judge: ({ case: sent }) => {
      const { operation, request } = sent;
      const isDocumented = operation.responses.some(({ status }) => status === '415');
      const isSure = isDocumented || operation.body?.required === true;
      const sentType = headerOf(request, 'content-type') ?? '';
      const judged = judgeRejection(sent, `content of the type ${sentType}, which the operation does not list,`);
      return typeof judged === 'string' || isSure ? judged : { ...judged, severity: 'suspect' };
    },
  },
  'media-type-parameter': {
    about: 'a media type with a parameter is rejected',
    example: { sent: 'POST /books with Content-Type: application/json; charset=utf-8', answered: '415' },
    fix: 'Ignore unknown parameters of application/json.',
    clause: 'RFC 8259 11',
    pointer: bodyOf,
    judge: ({ case: sent, of }) => {
      if (isAccepted(sent)) return 'met';
      const [control, repeat] = [of('control'), of('repeat')];
      const isSame = repeat !== undefined && statusOf(repeat) === statusOf(sent);
      if (![400, 415].includes(statusOf(sent)) || !isSame || control === undefined || !isAccepted(control))
        return 'unjudged';
      return {
        message: `application/json was accepted, but ${statusOf(sent)} came for application/json; charset=utf-8`,
      };
    },
  },
  'not-modified': {
    about: 'If-None-Match with the current ETag is ignored, or the 304 omits the ETag',
    example: { sent: 'GET /books/7 with If-None-Match: "a1"', answered: '200 with ETag: "a1"' },
    fix: 'Answer 304 if the tag is still current, or send no ETag.',
    clause: 'RFC 9110 13.1.2, 15.4.5',
    judge: ({ case: sent, of }) => {
      const tag = headerOf(sent.request, 'if-none-match');
      if (statusOf(sent) === 304)
        return answerHeader(sent, 'etag') === undefined ? { message: 'the 304 omits the ETag of the 200' } : 'met';
      const tags = [answerHeader(sent, 'etag'), answerHeader(of('after') ?? sent, 'etag')];
      if (statusOf(sent) !== 200 || tags.some((one) => one !== tag)) return 'unjudged';
      return { message: `If-None-Match: ${tag} was answered 200 with the same ETag` };
    },
  },
  'other-if-none-match': {
    about: 'a 304 though If-None-Match has another tag than the representation',
    example: { sent: 'GET /books/7 with If-None-Match: "other" and If-Modified-Since: now', answered: '304' },
    fix: 'Compare the tags, and ignore If-Modified-Since if If-None-Match is there.',
    clause: 'RFC 9110 13.1.3',
    judge: ({ case: sent }) => {
      if (statusOf(sent) === 304) return { message: 'a 304 came, but If-None-Match has another tag' };
      return isAccepted(sent) ? 'met' : 'unjudged';
    },
  },
  'existing-if-none-match': {
    about: 'a write with If-None-Match: * to an existing object is carried out',
    example: { sent: 'PUT /books/7 with If-None-Match: *', answered: '200' },
    fix: 'Answer 412 before the write, or send no ETag.',
    clause: 'RFC 9110 13.1.2',
    judge: ({ case: sent, of }) => {
      if (statusOf(sent) >= 400) return 'met';
      const before = of('before');
      if (before === undefined || !isAccepted(before) || !isAccepted(sent) || statusOf(sent) === 202) return 'unjudged';
      return { message: `a write with If-None-Match: * to an existing object was answered ${statusOf(sent)}` };
    },
  },
  'stale-if-match': {
    about: 'a write with an If-Match that no representation has is carried out',
    example: { sent: 'PUT /books/7 with If-Match: "old"', answered: '200' },
    fix: 'Answer 412 before the write, or send no ETag.',
    clause: 'RFC 9110 13.1.1',
    judge: ({ case: sent }) => {
      if (statusOf(sent) >= 400) return 'met';
      if (!isAccepted(sent) || statusOf(sent) === 202) return 'unjudged';
      return { message: `a write with an If-Match that no representation has was answered ${statusOf(sent)}` };
    },
  },
  'current-if-match': {
    about: 'a write with the current ETag in If-Match is rejected',
    example: { sent: 'PUT /books/7 with If-Match: "a1"', answered: '412; GET has ETag: "a1"' },
    fix: 'Compare If-Match with the tag that GET sends.',
    clause: 'RFC 9110 13.1.1',
    judge: ({ case: sent, of }) => {
      if (isAccepted(sent)) return 'met';
      const tag = headerOf(sent.request, 'if-match');
      const after = of('after');
      if (statusOf(sent) !== 412 || after === undefined || answerHeader(after, 'etag') !== tag) return 'unjudged';
      return { message: `If-Match: ${tag} was answered 412, but GET shows this ETag before and after` };
    },
  },
  'location-target': {
    about: 'the Location of a created object leads nowhere, or to the list',
    example: { sent: 'GET /books/8, the Location of a 201', answered: '404' },
    fix: 'Send the address at which the object can be read.',
    clause: 'RFC 9110 10.2.2',
    judge: ({ case: sent, of }) => {
      const create = of('create');
      const location = answerHeader(create ?? sent, 'location') ?? '';
      if (create !== undefined && isAccepted(sent)) {
        if (pathOnly(sent) === pathOnly(create)) return { message: `Location: ${location} is the address of the list` };
        if (pathBeneath(create.request, location) === undefined) {
          const { base, path } = sent.request;
          const address = `${new URL(base).pathname.replace(/\/$/, '')}${path}`;
          return { message: `Location: ${location} lacks the path of the base URL; the object is at ${address}` };
        }
      }
      if (isAccepted(sent)) return 'met';
      if (![404, 410].includes(statusOf(sent))) return 'unjudged';
      return {
        message: `the Location of the object just created, ${sent.request.path}, is answered ${statusOf(sent)}`,
      };
    },
  },
  'repeated-put': {
    about: 'the same PUT is answered 201 twice',
    example: { sent: 'PUT /labels/new, twice', answered: '201, then 201' },
    fix: 'Answer 200 or 204 if the object exists.',
    clause: 'RFC 9110 9.3.4',
    judge: ({ case: sent, of }) => {
      const first = of('first');
      if (first === undefined || !isAccepted(first) || !isAccepted(sent)) return 'unjudged';
      return statusOf(sent) === 201 ? { message: 'the same PUT was answered 201 twice' } : 'met';
    },
  },
} as const satisfies Readonly<Record<string, Law>>;

/** Octets of the content of a GET, if it is known; without a content coding. */
function lengthOf(exchange: NumberedExchange): string | undefined {
  const { outcome } = exchange;
  const isPlain =
    outcome.kind === 'answer' && outcome.isCut !== true && headerOf(outcome, 'content-encoding') === undefined;
  return answerHeader(exchange, 'content-length') ?? (isPlain ? String(outcome.body.length) : undefined);
}

function pathOnly({ request }: NumberedExchange): string {
  return request.path.replace(/\/?([?#].*)?$/s, '');
}

function lawOf(name: string): Law | undefined {
  return Object.entries(protocolLaws).find(([own]) => own === name)?.[1];
}

export const protocolLaw: TraceCheck = {
  kind: 'trace',
  name: 'protocol-law',
  about: 'a method, media type, precondition or malformed content is not handled as HTTP and the contract ask',
  effect: 'Clients, caches and proxies rely on HTTP: they lose updates, or send content that is misread.',
  clauses: ['RFC 9110', 'RFC 8259'],
  example: { sent: 'POST /books {"title":"Emma"', answered: '201' },
  fix: 'Correct the server or framework that answers: the law is the keyword of the finding.',
  allow: 'Declare the method or media type. A contract cannot change the other laws.',
  laws: protocolLaws,
  plan: () => [],
  needs: (place) => `conclusive answer to the probe "${place}"`,
  judge: (trace, context) => {
    const parts = readParts(trace, protocolLaw.name);
    const [name = ''] = parts?.name.split(', ') ?? [];
    const law = lawOf(name);
    if (parts === undefined) return [];
    const exchange = parts.shown;
    const judged = law === undefined ? 'met' : law.judge(parts, context);
    if (judged === 'unjudged') return [];
    const place = parts.name;
    if (judged === 'met') return [{ place, failures: [], exchange }];
    const failure: Failure = {
      check: protocolLaw.name,
      severity: judged.severity ?? 'defect',
      place: `response ${statusOf(exchange)}`,
      pointer: law?.pointer?.(exchange.operation) ?? exchange.operation.pointer,
      keyword: name,
      clause: law?.clause ?? '',
      message: judged.message,
      causes: [[name]],
    };
    return [{ place, failures: [failure], exchange }];
  },
};

/** Paths that differ in the names of their parameters are the same; those that differ in a slash at the end are not. */
function withoutNames(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

/** Content that no reading accepts has to be rejected. */
function judgeRejection(sent: NumberedExchange, what: string): Verdict {
  if ([400, 406, 415, 422].includes(statusOf(sent))) return 'met';
  // A 409 may follow from the content itself, which the server has read.
  if (!isAccepted(sent)) return 'unjudged';
  const isSure = statusOf(sent) !== 202 && !statesFailure(sent);
  return { message: `${what} was answered ${statusOf(sent)}`, severity: isSure ? 'defect' : 'suspect' };
}

function answerHeader({ outcome }: NumberedExchange, name: string): string | undefined {
  return outcome.kind === 'answer' ? headerOf(outcome, name) : undefined;
}

function typeOf(exchange: NumberedExchange): string | undefined {
  return essenceOf(answerHeader(exchange, 'content-type') ?? '');
}

/** Whether any declared type or range covers a type. */
export function isListed(types: readonly string[], type: string): boolean {
  return types.some((declared) => coversMediaType(declared, type));
}

/** The pointer of a probe's obligation. */
export function pointerOfLaw(name: string, operation: Operation): string {
  return lawOf(name)?.pointer?.(operation) ?? operation.pointer;
}
