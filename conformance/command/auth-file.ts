import { createHash } from 'node:crypto';
import { ContractError } from '../contract/contract.ts';
import { isObject, type JsonObject, joinPointer, memberOf, textAt } from '../contract/document.ts';
import { readSource, type Source } from '../contract/source.ts';
import type { Login, LoginRequest, LoginToken, User } from '../execute/log-in.ts';
import { suggest } from './options.ts';

/*
 * Users and their log-in, in the format of Web Fuzzing Commons (its schema auth.yaml): the members of the current version, and those
 * of earlier ones for reading and sending a token.
 */

type Shape =
  | 'text'
  | 'flag'
  | 'number'
  | readonly string[]
  | { readonly [member: string]: Shape }
  | { readonly each: Shape };

const pair = { name: 'text', value: 'text' } as const;
const verb = ['POST', 'GET', 'PATCH', 'DELETE', 'PUT'];
const request = {
  endpoint: 'text',
  externalEndpointURL: 'text',
  payloadRaw: 'text',
  verb,
  contentType: 'text',
} as const;

const user = {
  name: 'text',
  requireMockHandling: 'flag',
  fixedHeaders: { each: pair },
  loginEndpointAuth: {
    ...request,
    payloadUserPwd: { username: 'text', password: 'text', usernameField: 'text', passwordField: 'text' },
    headers: { each: pair },
    token: {
      extractFrom: ['body', 'header'],
      extractSelector: 'text',
      sendIn: ['header', 'query'],
      sendName: 'text',
      sendTemplate: 'text',
      extractFromField: 'text',
      extractFromHeader: 'text',
      httpHeaderName: 'text',
      headerPrefix: 'text',
      headerPostfix: 'text',
    },
    expectCookies: 'flag',
  },
  createUsers: {
    ...request,
    generators: {
      each: { placeHolder: 'text', minLength: 'number', maxLength: 'number', prefix: 'text', postfix: 'text' },
    },
  },
} as const satisfies Shape;

const whole: Shape = { schemaVersion: 'text', auth: { each: user }, authTemplate: user };

type Steps = readonly (string | number)[];

/**
 * Reads users from YAML or JSON.
 *
 * @param seed determines names and passwords of created users: a second run with the same seed finds those of the first
 * @returns the users in their order, or all faults, each with its line
 */
export function readAuthFile(
  file: string,
  text: string,
  seed: number,
): { readonly users: readonly User[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  let source: Source;
  try {
    source = readSource(file, text);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return { users: [], faults: error.problems.map(({ line, message }) => `${file}:${line} ${message}`) };
  }
  const { root, lineOf, repeated } = source;
  const report = (at: Steps, message: string): void => {
    faults.push(`${file}:${lineOf(joinPointer('#', ...at))} /${at.join('/')}: ${message}`);
  };
  for (const pointer of repeated)
    faults.push(`${file}:${lineOf(pointer)} ${pointer.slice(1)}: the member is repeated.`);
  const { configs: _, ...known } = root;
  checkShape(known, whole, [], report);
  const list = Array.isArray(root.auth) ? root.auth : [];
  if (list.length === 0) report(['auth'], 'expected a list of users.');
  if (faults.length > 0) return { users: [], faults };
  const users = list.map((entry, index) =>
    readUser(mergeTemplate(entry, root.authTemplate), seed, (path, message) =>
      report(['auth', index, ...path], message),
    ),
  );
  const names = users.map(({ name }) => name);
  for (const [index, name] of names.entries())
    if (names.indexOf(name) !== index) report(['auth', index, 'name'], `another user is called ${name}.`);
  return { users, faults };
}

/** Adds the template's members that the user omits. */
function mergeTemplate(own: unknown, template: unknown): JsonObject {
  if (!isObject(own) || !isObject(template)) return isObject(own) ? own : isObject(template) ? template : {};
  const merged = Object.entries(own).map(([name, value]) => {
    const preset = memberOf(template, name);
    return [name, value === null ? preset : isObject(value) && isObject(preset) ? mergeTemplate(value, preset) : value];
  });
  return { ...template, ...Object.fromEntries(merged) };
}

function readUser(entry: JsonObject, seed: number, report: (path: Steps, message: string) => void): User {
  const name = textAt(entry, 'name') ?? '';
  if (name === '') report([], 'the user needs a name.');
  const creation = isObject(entry.createUsers) ? entry.createUsers : undefined;
  const generated = new Map(
    listOf(creation?.generators).map((generator): [string, string] => {
      if (textAt(generator, 'placeHolder') === undefined)
        report(['createUsers', 'generators'], 'each generator needs a placeHolder.');
      return [textAt(generator, 'placeHolder') ?? '', generateText(generator, `${seed} ${name}`)];
    }),
  );
  const fill = (text: string): string =>
    [...generated].reduce(
      (filled, [placeHolder, value]) => (placeHolder === '' ? filled : filled.replaceAll(placeHolder, () => value)),
      text,
    );
  const fixedHeaders = pairsOf(entry.fixedHeaders, fill);
  const given = isObject(entry.loginEndpointAuth) ? entry.loginEndpointAuth : undefined;
  // A user with fixed headers may have the log-in from the template: a log-in without token and cookies is ignored.
  const isIdle = given?.token === undefined && given?.expectCookies !== true && fixedHeaders.length > 0;
  const login = isIdle ? undefined : given;
  if (login === undefined && fixedHeaders.length === 0)
    report([], 'the user needs fixedHeaders, loginEndpointAuth, or both.');
  const at = (member: string) => (path: Steps, message: string) => report([member, ...path], message);
  return {
    name,
    headers: fixedHeaders,
    creation: creation && readRequest(creation, fill, at('createUsers')),
    login: login && readLogin(login, fill, at('loginEndpointAuth')),
  };
}

function readLogin(
  login: JsonObject,
  fill: (text: string) => string,
  report: (path: Steps, message: string) => void,
): Login {
  const request = readRequest(login, fill, report);
  const expectCookies = login.expectCookies === true;
  const token = isObject(login.token) ? readToken(login.token, report) : undefined;
  if (!expectCookies && token === undefined) report([], 'the log-in needs expectCookies: true, or a token.');
  return { ...request, expectCookies, token };
}

function readRequest(
  from: JsonObject,
  fill: (text: string) => string,
  report: (path: Steps, message: string) => void,
): LoginRequest {
  const endpoint = textAt(from, 'externalEndpointURL') ?? textAt(from, 'endpoint');
  const both = from.externalEndpointURL !== undefined && from.endpoint !== undefined;
  if (endpoint === undefined || both) report([], 'the request needs either endpoint or externalEndpointURL.');
  const external = textAt(from, 'externalEndpointURL');
  if (external !== undefined && !/^https?:$/.test(URL.parse(external)?.protocol ?? ''))
    report(['externalEndpointURL'], `${external} is not an http address.`);
  if (textAt(from, 'verb') === undefined) report([], 'the request needs a verb, such as POST.');
  const contentType = textAt(from, 'contentType');
  const body = textAt(from, 'payloadRaw') ?? writePayload(from.payloadUserPwd, contentType, report);
  if (body !== undefined && contentType === undefined) report([], 'the payload needs a contentType.');
  const type = body === undefined || contentType === undefined ? [] : [['content-type', contentType] as const];
  return {
    endpoint: endpoint ?? '',
    method: textAt(from, 'verb') ?? 'POST',
    headers: [...type, ...pairsOf(from.headers, fill)],
    body: body === undefined ? undefined : fill(body),
    password: fill(textAt(from.payloadUserPwd, 'password') ?? '') || undefined,
  };
}

function writePayload(
  payload: unknown,
  contentType: string | undefined,
  report: (path: Steps, message: string) => void,
): string | undefined {
  if (!isObject(payload)) return undefined;
  const [nameField, name, passwordField, password] = ['usernameField', 'username', 'passwordField', 'password'].map(
    (member) => {
      const found = textAt(payload, member);
      if (found === undefined) report(['payloadUserPwd'], `the payload needs ${member}.`);
      return found ?? '';
    },
  );
  const pairs = [
    [nameField, name],
    [passwordField, password],
  ] as [string, string][];
  if (/json/i.test(contentType ?? 'json')) return JSON.stringify(Object.fromEntries(pairs));
  if (/x-www-form-urlencoded/i.test(contentType ?? '')) return new URLSearchParams(pairs).toString();
  report(['contentType'], `${contentType}: payloadUserPwd is written as JSON or as a form; use payloadRaw.`);
  return undefined;
}

function readToken(token: JsonObject, report: (path: Steps, message: string) => void): LoginToken {
  const field = textAt(token, 'extractFromField');
  const header = textAt(token, 'extractFromHeader');
  const extractFrom = textAt(token, 'extractFrom') ?? (field !== undefined ? 'body' : header && 'header');
  const extractSelector = textAt(token, 'extractSelector') ?? field ?? header;
  const sendName = textAt(token, 'sendName') ?? textAt(token, 'httpHeaderName');
  const sendIn = textAt(token, 'sendIn') ?? (textAt(token, 'httpHeaderName') && 'header');
  for (const [name, value] of Object.entries({ extractFrom, extractSelector, sendIn, sendName }))
    if (value === undefined) report(['token'], `the token needs ${name}.`);
  if (extractFrom === 'body' && !/^(\/|$)/.test(extractSelector ?? ''))
    report(['token'], `${extractSelector} is not a JSON pointer (RFC 6901): write /${extractSelector}.`);
  const sendTemplate =
    textAt(token, 'sendTemplate') ??
    `${textAt(token, 'headerPrefix') ?? ''}{token}${textAt(token, 'headerPostfix') ?? ''}`;
  if (!sendTemplate.includes('{token}')) report(['token'], 'sendTemplate needs the placeholder {token}.');
  return {
    extractFrom: extractFrom === 'header' ? 'header' : 'body',
    extractSelector: extractSelector ?? '',
    sendIn: sendIn === 'query' ? 'query' : 'header',
    sendName: sendName ?? '',
    sendTemplate,
  };
}

/** Generates letters and digits between the affixes, with the largest allowed length up to sixteen. */
function generateText(generator: unknown, from: string): string {
  const [least, most] = [Number(memberOf(generator, 'minLength') ?? 0), Number(memberOf(generator, 'maxLength') ?? 16)];
  const [prefix, postfix] = [textAt(generator, 'prefix') ?? '', textAt(generator, 'postfix') ?? ''];
  const length = Math.max(1, least, Math.min(16, most)) - prefix.length - postfix.length;
  const digest = createHash('sha512')
    .update(`${from} ${textAt(generator, 'placeHolder')}`)
    .digest('hex');
  return `${prefix}${digest.repeat(Math.ceil(Math.max(1, length) / digest.length)).slice(0, Math.max(1, length))}${postfix}`;
}

function checkShape(value: unknown, shape: Shape, at: Steps, report: (at: Steps, message: string) => void): void {
  if (value === null || value === undefined) return;
  if (typeof shape === 'string') {
    const wanted = { text: 'string', flag: 'boolean', number: 'number' }[shape];
    const word = { text: 'text', flag: 'true or false', number: 'a number' }[shape];
    // The message omits the value: it may be a password that YAML reads as a number.
    const hint = shape === 'text' && typeof value !== 'object' ? ' Put it in quotes.' : '';
    if (typeof value !== wanted) report(at, `expected ${word}, found ${kindOf(value)}.${hint}`);
    return;
  }
  if (isTexts(shape)) {
    if (!shape.some((one) => one === value)) report(at, `${JSON.stringify(value)} is not one of ${shape.join(', ')}.`);
    return;
  }
  if (isEach(shape)) {
    if (!Array.isArray(value)) report(at, 'expected a list.');
    else
      value.forEach((item, index) => {
        checkShape(item, shape.each, [...at, index], report);
      });
    return;
  }
  if (!isObject(value)) {
    report(at, 'expected an object.');
    return;
  }
  const names = Object.keys(shape);
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (own !== undefined) checkShape(member, own, [...at, name], report);
    else {
      report([...at, name], `the format has no such member.${suggest(name, names)} There are: ${names.join(', ')}.`);
    }
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return { string: 'text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? 'an object';
}

function isTexts(shape: Shape): shape is readonly string[] {
  return Array.isArray(shape);
}

function isEach(shape: Shape): shape is { readonly each: Shape } {
  return isObject(shape) && Object.hasOwn(shape, 'each');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function pairsOf(value: unknown, fill: (text: string) => string): readonly (readonly [string, string])[] {
  return listOf(value).map(
    (entry) => [textAt(entry, 'name') ?? '', fill(textAt(entry, 'value') ?? '').trim()] as const,
  );
}
