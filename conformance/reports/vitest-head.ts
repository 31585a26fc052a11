/** Keywords that `isValid` below checks. */
export const checkable: readonly string[] = [
  ...[
    'type',
    'enum',
    'const',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'minLength',
    'maxLength',
    'pattern',
  ],
  ...['minItems', 'maxItems', 'uniqueItems', 'required', 'additionalProperties', 'format'],
];

/** Imported by the derived file alone: this package does not depend on it. */
const library = `'vitest'`;

/** The beginning of a test file of findings. `bases` is filled in. */
export const head = String.raw`// Each test fails until its finding is fixed. Variables of the environment:
//   LOCKSTEP_BASE_URL, LOCKSTEP_AUTH_URL   another deployment than that of the run
//   LOCKSTEP_CREDENTIAL_<SCHEME>           the token, key or name:password of a security scheme, for example LOCKSTEP_CREDENTIAL_API_KEY
//   LOCKSTEP_TOKEN                         the token or key of every scheme without a variable of its own
//   LOCKSTEP_SECOND_CREDENTIAL_<SCHEME>, LOCKSTEP_SECOND_TOKEN   those of a second account
// Objects that a test creates stay. Dates are those of the run. "lockstep-conform replay ID" deletes the objects and moves the dates.
import { expect, test } from ${library};

const bases = {};

function secret(scheme, prefix = '') {
  const name = 'LOCKSTEP_' + prefix + 'CREDENTIAL_' + scheme.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  const value = process.env[name] ?? process.env['LOCKSTEP_' + prefix + 'TOKEN'];
  if (value === undefined) throw new Error('Set ' + name + ' or LOCKSTEP_' + prefix + 'TOKEN.');
  return value;
}

async function send(base, method, path, given, body) {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    const [, pair] = /^Basic (.*:.*)$/s.exec(value) ?? [];
    headers.set(name, pair === undefined ? value : 'Basic ' + Buffer.from(pair).toString('base64'));
  }
  const answer = await fetch(base + path, { method, headers, body, redirect: 'manual' });
  const text = await answer.text();
  let content;
  try {
    content = JSON.parse(text);
  } catch {
    content = text;
  }
  return { status: answer.status, headers: answer.headers, content, base };
}

/** The value that the server chose for a created object: a header, or a member of the content. */
function valueOf(answer, member) {
  const location = new URL(answer.headers.get('location') ?? '', answer.base + '/');
  if (member === 'etag') return answer.headers.get('etag');
  if (member === 'location') return location.href.replace(answer.base, '');
  if (member === '@link') return decodeURIComponent(location.pathname.split('/').at(-1));
  const holders = [answer.content, ...Object.values(answer.content ?? {})];
  const values = holders.map((holder) => member.split('.').reduce((value, name) => value?.[name], holder));
  const value = values.find((one) => one !== undefined && one !== null);
  if (value === undefined) throw new Error('No ' + member + ' in an answer ' + answer.status + ', which should create an object.');
  return value;
}

function expectStatus({ status, content }, documented) {
  const isListed = documented.some((one) => one === 'default' || one.toUpperCase() === String(status) || one.toUpperCase() === String(status)[0] + 'XX');
  expect(isListed, status + ' is none of ' + documented.join(', ') + ': ' + JSON.stringify(content).slice(0, 200)).toBe(true);
}

/** Statuses about the account and the rate prove nothing about a request. */
function expectRejected({ status, content }, other) {
  expect([401, 402, 407, 429], 'the credentials or the rate: ' + JSON.stringify(content).slice(0, 200)).not.toContain(status);
  if (status !== other) expectStatus({ status, content }, ['4XX']);
}

function expectMediaType({ headers }, listed) {
  const sent = (headers.get('content-type') ?? 'none').split(';')[0].trim().toLowerCase();
  const covers = (range) => range === sent || range === '*/*' || (range.endsWith('/*') && sent.startsWith(range.slice(0, -1)));
  expect(listed.map((one) => one.split(';')[0].trim().toLowerCase()).some(covers), sent + ' is none of ' + listed.join(', ')).toBe(true);
}

/** Values at a path, in which * is every item of a list. */
function valuesAt(content, path) {
  return path.reduce(
    (values, name) => values.flatMap((value) => {
      if (name === '*' && Array.isArray(value)) return value;
      return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? [value[name]] : [];
    }),
    [content],
  );
}

function expectValues({ content }, path, keyword, expected) {
  const wrong = valuesAt(content, path).filter((value) => !isValid(value, keyword, expected));
  expect(wrong.slice(0, 3), '/' + path.join('/') + ' must have ' + keyword + ' ' + JSON.stringify(expected)).toEqual([]);
}

function expectHeader({ headers }, name, keyword, expected) {
  const text = headers.get(name);
  if (text === null) return;
  const values = [text, ...(/^-?\d+(\.\d+)?$/.test(text) ? [Number(text)] : []), ...(/^(true|false)$/.test(text) ? [text === 'true'] : [])];
  expect(values.some((value) => isValid(value, keyword, expected)), name + ': ' + text + ' must have ' + keyword + ' ' + JSON.stringify(expected)).toBe(true);
}

const isNumber = (value) => typeof value === 'number';
const isText = (value) => typeof value === 'string';
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const typeNames = (value) => (value === null ? ['null'] : Array.isArray(value) ? ['array'] : Number.isInteger(value) ? ['integer', 'number'] : [typeof value]);
const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
const formats = {
  date: (text) => isDay(text),
  'date-time': (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text)),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};

/** One keyword of JSON Schema; values of other types than those that it is about are valid. */
const keywords = {
  type: (value, types) => typeNames(value).some((name) => [types].flat().includes(name)),
  enum: (value, members) => members.some((one) => JSON.stringify(one) === JSON.stringify(value)),
  const: (value, only) => JSON.stringify(only) === JSON.stringify(value),
  minimum: (value, bound) => !isNumber(value) || value >= bound,
  maximum: (value, bound) => !isNumber(value) || value <= bound,
  exclusiveMinimum: (value, bound) => !isNumber(value) || value > bound,
  exclusiveMaximum: (value, bound) => !isNumber(value) || value < bound,
  minLength: (value, length) => !isText(value) || [...value].length >= length,
  maxLength: (value, length) => !isText(value) || [...value].length <= length,
  pattern: (value, pattern) => !isText(value) || new RegExp(pattern, 'u').test(value),
  minItems: (value, count) => !Array.isArray(value) || value.length >= count,
  maxItems: (value, count) => !Array.isArray(value) || value.length <= count,
  uniqueItems: (value) => !Array.isArray(value) || new Set(value.map((item) => JSON.stringify(item))).size === value.length,
  required: (value, names) => !isObject(value) || names.every((name) => Object.hasOwn(value, name)),
  additionalProperties: (value, names) => !isObject(value) || Object.keys(value).every((name) => names.includes(name)),
  format: (value, format) => !isText(value) || (formats[format]?.(value) ?? true),
};

function isValid(value, keyword, expected) {
  return keywords[keyword](value, expected);
}
`;
