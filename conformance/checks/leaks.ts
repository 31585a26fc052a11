import type { Contract } from '../contract/contract.ts';
import { isObject, joinPointer, type Seen } from '../contract/document.ts';
import { type Exchange, headerOf } from '../execute/exchange.ts';
import { echoesOf, type Failure } from '../failures/failure.ts';
import { secretsInAnswer } from '../failures/redact.ts';
import { isLogIn } from '../plan/operation-kinds.ts';
import { type AnnotatedValue, secretsIn } from '../schema/annotated-values.ts';
import { clauseOf } from '../schema/clauses.ts';
import { answerOf, declaredAnswerOf, isReadable, listedSuccesses } from './answered.ts';
import { type ExchangeCheck, judgeWhole, planWholeAnswer, type SecretSeen } from './check.ts';

export const writeOnlyExposed: ExchangeCheck = {
  name: 'write-only-exposed',
  about: 'an answer contains a property that is declared writeOnly',
  effect: 'A value that clients only send, such as a password, is sent back to every reader.',
  clauses: ['OpenAPI', 'JSON Schema'],
  example: { sent: 'GET /readers/7', answered: '200 {"name":"Ada","password":"…"}; password is writeOnly' },
  fix: 'Omit the property from answers.',
  allow: 'Remove writeOnly from the property, or declare another schema for answers.',
  plan: ({ responses }) =>
    listedSuccesses(responses)
      .filter(({ contents }) => contents.some(({ schema }) => schema !== undefined))
      .map(({ status, pointer }) => ({ place: `response ${status}`, pointer, keyword: 'writeOnly' })),
  needs: (place) => `${place} with JSON and a schema`,
  judge: (exchange, { contract }) => {
    const { answer, response } = declaredAnswerOf(exchange) ?? {};
    const secrets = secretsInAnswer(contract, exchange);
    if (answer === undefined || response === undefined || secrets === undefined) return [];
    const exposed = secrets.filter((part) => part.sure && part.schema.writeOnly === true && part.value !== null);
    const bySentence = Map.groupBy(exposed, ({ pointer }) => pointer);
    const failures = [...bySentence].map(([pointer, [first]]): Failure => {
      const at = first?.at ?? '';
      return {
        check: 'write-only-exposed',
        severity: 'defect',
        place: `response ${answer.status} body ${at}`,
        pointer: joinPointer(pointer, 'writeOnly'),
        keyword: 'writeOnly',
        clause: clauseOf(contract.root.openapi, 'writeOnly'),
        message: `${at} is declared writeOnly, but was sent`,
        causes: [[pointer]],
      };
    });
    return [{ place: `response ${answer.status}`, failures }];
  },
};

/** Answers contain shorter texts by chance. */
const leastSecretLength = 6;

/** Values that mocks and generated examples put everywhere. */
const placeholders: ReadonlySet<string> = new Set(['string', 'password', 'secret', 'example', 'default', 'unknown']);

/** Whether a text that appears elsewhere must come from the secret. */
export function isDistinctive(text: string): boolean {
  return text.length >= leastSecretLength && !placeholders.has(text.toLowerCase());
}

/** The texts in a contract, such as its examples: everybody knows them, and mocks and messages repeat them. */
export function publishedTexts(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string') found.add(value);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) publishedTexts(part, found);
  return found;
}

export const sensitiveLeak: ExchangeCheck = {
  name: 'sensitive-leak',
  about: 'the answer of one operation contains a value that another one declares as sensitive',
  effect: 'Callers who may use only the other operation can read the secret.',
  clauses: ['the contract, x-sensitive'],
  example: { sent: 'GET /activity', answered: '200 with the PIN that POST /codes answered under x-sensitive' },
  fix: 'Remove the value from this answer, or mask it.',
  allow: 'Mark the property of this answer with x-sensitive too.',
  plan: planWholeAnswer,
  judge: (exchange, { contract, secretsSeen }) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined || !isReadable(answer)) return [];
    const candidates = secretsSeen.length === 0 ? [] : [...findSecrets(secretsSeen, answer.body.toString())];
    const foreign = candidates.filter((secret) => secret.operation !== exchange.operation);
    if (foreign.length === 0) return judgeWhole();
    const own = secretsInAnswer(contract, exchange) ?? [];
    const allowed = new Set(own.map(({ value }) => String(value)));
    const sent = `${exchange.request.path} ${exchange.request.body?.toString() ?? ''}`;
    const failures = foreign
      .filter((secret) => !allowed.has(secret.text) && !sent.includes(secret.text))
      .map(
        ({ operation, pointer }): Failure => ({
          check: 'sensitive-leak',
          severity: 'defect',
          place: `response ${answer.status} body`,
          pointer,
          keyword: 'x-sensitive',
          clause: 'the contract, x-sensitive',
          message: `this answer contains a secret of ${operation.id}${response === undefined ? '' : ', and its response declares none'}`,
          causes: [[pointer]],
        }),
      );
    return judgeWhole(...failures);
  },
};

export const secretEchoed: ExchangeCheck = {
  name: 'secret-echoed',
  about: 'an answer repeats a credential of its request, or a value that is declared writeOnly or a password',
  effect: 'The secret gets into logs, caches and pages, where others read it.',
  clauses: ['OpenAPI', 'JSON Schema', 'RFC 6750'],
  example: {
    sent: 'POST /readers {"name":"","password":"long enough"}; password is writeOnly',
    answered: '422 {"input":{"name":"","password":"long enough"}}',
  },
  fix: 'Leave secrets out of answers and of messages about errors.',
  allow: 'Remove writeOnly and the format password from the property. A credential has no exception.',
  plan: planWholeAnswer,
  judge: (exchange, { contract }) => {
    const { answer } = answerOf(exchange) ?? {};
    if (answer === undefined || !isReadable(answer)) return [];
    const text = answer.body.toString().slice(0, mostSearched);
    const about = { check: 'secret-echoed', severity: 'defect', place: `response ${answer.status} body` } as const;
    const property = secretsSent(contract, exchange).find(({ value }) => isWholeToken(text, String(value)));
    if (property !== undefined) {
      const keyword = property.schema.writeOnly === true ? 'writeOnly' : 'format';
      const declared = keyword === 'format' ? 'a password' : keyword;
      return judgeWhole({
        ...{ ...about, pointer: property.pointer, keyword, clause: clauseOf(contract.root.openapi, keyword) },
        message: `the answer repeats ${property.at} of the request, which is declared ${declared}`,
        causes: [[property.pointer]],
      });
    }
    const credential = credentialsIn(contract, exchange).find((one) => isWholeToken(text, one));
    const { responseBody } = exchange.seen;
    const isShown =
      credential !== undefined && (responseBody === undefined || !isNamedCredential(responseBody, credential));
    if (!isShown) return judgeWhole();
    return judgeWhole({
      ...{ ...about, pointer: exchange.operation.pointer, keyword: 'credential', clause: 'RFC 6750 5.3' },
      message: 'the answer repeats the credential of the request',
      causes: [['credential', exchange.operation.id]],
    });
  },
};

/** Values of a request that the contract declares as secret: they are nowhere else in its content, nor declared in the answer. */
function secretsSent(contract: Contract, exchange: Exchange): readonly AnnotatedValue[] {
  const { draft, seen } = exchange;
  const schema = draft?.body?.content.schema;
  if (schema === undefined || !isObject(seen.requestBody)) return [];
  const whole = JSON.stringify(seen.requestBody);
  // `write-only-exposed` judges those at a declared place.
  const judged = new Set((secretsInAnswer(contract, exchange) ?? []).map(({ value }) => value));
  return [...secretsIn(contract.root, schema, seen.requestBody)].filter(({ sure, schema: own, value }) => {
    const isDeclared = own.writeOnly === true || own.format === 'password';
    const isTelling = typeof value === 'string' && isDistinctive(value);
    return sure && isDeclared && isTelling && !judged.has(value) && whole.split(JSON.stringify(value)).length === 2;
  });
}

/** A shorter credential may be a word of the answer. */
const leastCredential = 12;

/** The credentials of the user in a request; none of a log-in, whose answer may repeat a token. */
function credentialsIn(contract: Contract, { operation, intent, request }: Exchange): readonly string[] {
  if (!['own', 'second'].includes(String(intent.identity)) || isLogIn(contract, operation)) return [];
  const [, scheme = '', token = ''] = /^(\S+) +(.*)$/.exec(headerOf(request, 'authorization') ?? '') ?? [];
  const isBasic = scheme.toLowerCase() === 'basic';
  const password = Buffer.from(token, 'base64')
    .toString()
    .replace(/^[^:]*:/, '');
  const keys = Object.values(contract.schemes).flatMap(({ key }) =>
    key?.in === 'header' && key.name.toLowerCase() !== 'authorization' ? (headerOf(request, key.name) ?? []) : [],
  );
  const cookies = (headerOf(request, 'cookie') ?? '').split('; ').map((one) => one.replace(/^[^=]*=/, ''));
  return [isBasic ? password : token, ...keys, ...cookies].filter(({ length }) => length >= leastCredential);
}

/** Names of members whose purpose is to show a credential. */
const ofCredentials = /token|key|secret|session|cookie|credential|auth|bearer/i;

/** Whether the answer has a credential only in members that are named after it: an operation may show a client its key. */
function isNamedCredential(body: unknown, credential: string, name = ''): boolean {
  if (typeof body === 'string') return ofCredentials.test(name) || !body.includes(credential);
  if (typeof body !== 'object' || body === null) return body === null || !String(body).includes(credential);
  const isList = Array.isArray(body);
  return Object.entries(body).every(([own, part]) => isNamedCredential(part, credential, isList ? name : own));
}

interface Index {
  readonly byRun: Map<string, SecretSeen[]>;
  size: number;
}

const indexes = new WeakMap<readonly SecretSeen[], Index>();

/** Secrets that a text contains as whole tokens, looked up by their longest run of letters and digits. */
function* findSecrets(secrets: readonly SecretSeen[], text: string): Generator<SecretSeen> {
  const index: Index = indexes.get(secrets) ?? { byRun: new Map(), size: 0 };
  indexes.set(secrets, index);
  for (const secret of secrets.slice(index.size)) {
    const run = runsOf(secret.text).reduce((longest, next) => (next.length > longest.length ? next : longest), '');
    index.byRun.set(run, [...(index.byRun.get(run) ?? []), secret]);
  }
  index.size = secrets.length;
  const seen = new Set<string>();
  // No array of all runs: a text of megabytes may have millions.
  for (const [run] of text.matchAll(runs)) {
    const found = seen.has(run) ? undefined : index.byRun.get(run);
    if (found === undefined) continue;
    seen.add(run);
    for (const secret of found) if (isWholeToken(text, secret.text)) yield secret;
  }
}

const runs = /[A-Za-z0-9]+/g;

function runsOf(text: string): readonly string[] {
  return text.match(runs) ?? [];
}

function isWholeToken(text: string, token: string): boolean {
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + token.length] ?? ' '}`;
    if (!/[A-Za-z0-9]/.test(around)) return true;
  }
  return false;
}

const databaseError = 'a database error';

/** Characters of a body: a crash report begins with the error. */
const mostSearched = 100_000;

/**
 * Signs of a server's internals that answers hardly contain by chance. Each pattern is bounded to a few hundred characters: without a
 * bound, a body of repeated `/usr/` would take quadratic time.
 */
const marks: readonly { readonly what: string; readonly shows: RegExp }[] = [
  {
    what: 'a JavaScript stack frame',
    shows: /\bat (?:[\w$.<>]+ \()?(?:file:\/\/)?[\w/.\\:-]{1,300}\.[cm]?[jt]s:\d+:\d+\)?/,
  },
  { what: 'a Python traceback', shows: /Traceback \(most recent call last\)|File "[^"]{1,300}", line \d+, in / },
  { what: 'a Java stack frame', shows: /\bat [\w$.]+\([\w$]+\.(?:java|kt|scala):\d+\)/ },
  { what: 'a Go or Ruby stack frame', shows: /goroutine \d+ \[|\.rb:\d+:in [`']/ },
  { what: 'a .NET stack frame', shows: /\bat [\w.`<>]{1,300}\([^)]{0,300}\) in [^\s]{1,300}\.cs:line \d+/ },
  {
    what: databaseError,
    shows:
      /SQLSTATE\[|SQLITE_[A-Z]+|\bORA-\d{5}\b|PG::\w+Error|syntax error at or near "|You have an error in your SQL syntax/,
  },
  {
    what: 'a file path of the server',
    shows:
      /(?:\/usr\/|\/home\/|\/var\/|\/opt\/|\/app\/|[A-Z]:\\)[\w./\\-]{0,300}(?:node_modules|site-packages|\.(?:js|ts|py|rb|php|java)\b)/,
  },
];

/** @param sent the request: an answer that repeats it, or answers a database query in it, shows no internals */
export function findInternals(whole: string, sent?: Seen): { readonly what: string } | undefined {
  const text = whole.slice(0, mostSearched);
  if (sent === undefined) return marks.find(({ shows }) => shows.test(text));
  const texts = echoesOf(sent);
  return marks.find(({ what, shows }) => {
    const pieces = [...text.matchAll(new RegExp(shows, 'g'))].map(([piece]) => piece);
    const own = pieces.filter((piece) => !texts.some((echo) => echo.includes(piece)));
    return own.length > 0 && !(what === databaseError && answersQuery(text, sent));
  });
}

/** Names of members that contain a database query. */
const namesOfQueries = /sql$|^sql|quer(y|ies)|statements?$/i;

/** Whether a database error repeats words of a query that the client sent: to that client it is the answer. */
function answersQuery(message: string, { query, requestBody }: Seen): boolean {
  const words = new Set(message.toLowerCase().match(wholeWords));
  const visit = (part: unknown, isQuery: boolean, depth: number): boolean => {
    if (typeof part === 'string')
      return isQuery && (part.toLowerCase().match(wholeWords) ?? []).some((word) => words.has(word));
    if (typeof part !== 'object' || part === null || depth > 8) return false;
    return Object.entries(part).some(([name, inner]) => visit(inner, isQuery || namesOfQueries.test(name), depth + 1));
  };
  return visit(query, false, 0) || visit(requestBody, typeof requestBody === 'string', 0);
}

/** Many messages contain shorter words and numbers by chance. */
const wholeWords = /[\p{L}_][\p{L}\p{N}_]{2,}/gu;

export const internalsLeaked: ExchangeCheck = {
  name: 'internals-leaked',
  about: 'a 4xx or 5xx answer shows stack frames, SQL or file paths of the server (inconclusive)',
  effect: 'An attacker learns the software, the versions and the files of the server.',
  clauses: ['CWE-209'],
  example: { sent: 'GET /books/x', answered: '500 Error at find (/app/books.js:12:7)' },
  fix: 'Answer with a general message and an id, and write the details to the log under that id.',
  allow: 'None. The finding is inconclusive: only `--fail-on suspect` counts it.',
  plan: planWholeAnswer,
  needs: () => '4xx or 5xx answer',
  judge: (exchange) => {
    const { answer } = answerOf(exchange) ?? {};
    if (answer === undefined || !isReadable(answer) || answer.status < 400) return [];
    const found = findInternals(answer.body.toString(), exchange.seen);
    if (found === undefined) return judgeWhole();
    return judgeWhole({
      check: 'internals-leaked',
      severity: 'suspect',
      place: `response ${answer.status} body`,
      pointer: exchange.operation.pointer,
      keyword: found.what,
      clause: 'CWE-209',
      message: `the body shows ${found.what}`,
      causes: [[found.what]],
    });
  },
};
