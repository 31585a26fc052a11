import { isObject, type JsonObject, parseJson } from '../contract/document.ts';
import type { Instead } from '../seeded/faults.ts';
import type { TestAnswer, TestRequest } from '../seeded/serve.ts';
import { weatherToken } from '../seeded/weather.ts';
import type { FalsePositiveServer } from './servers.ts';

type Row = Omit<FalsePositiveServer, 'api'>;
type Query = Readonly<Record<string, string>>;

const reader = '#/components/schemas/NewReader/properties';
const parcel = '#/components/schemas/NewParcel/properties';
const readings = '#/paths/~1stations~1{station_id}~1readings/get/parameters';
const addBook = '#/paths/~1books/post';
const addParcel = '#/paths/~1depots~1{depot_id}~1parcels/post';

const booleans = [true, false, 1, 0, 'true', 'false', 'True', 'False', '1', '0', 'yes', 'no', 'on', 'off'];
const rejected = (status: number): TestAnswer => ({ status, body: { reason: 'no', error: 'no' } });

const problem = (status: number): TestAnswer => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: { title: 'no', status },
});

/** Reads other content than was sent. */
const reading =
  (change: (content: JsonObject) => unknown): Instead =>
  (request, handle) => {
    const content = parseJson(request.body);
    return handle(isObject(content) ? { ...request, body: JSON.stringify(change(content)) } : request);
  };

const readingTexts = (change: (text: string) => string): Instead => reading((content) => changeTexts(content, change));

/** Reads other texts in the query than were sent; undefined for none. */
const readingQuery =
  (change: (text: string, name: string) => string | undefined): Instead =>
  (request, handle) => {
    const pairs = [...request.query].flatMap(([name, text]): [string, string][] => {
      const other = change(text, name);
      return other === undefined ? [] : [[name, other]];
    });
    return handle({ ...request, query: new URLSearchParams(pairs) });
  };

/** Answers an authorized request that breaks a rule which no schema expresses. @param isBroken may compare with the objects that exist */
const withRule =
  (answer: TestAnswer, isBroken: (content: JsonObject, present: readonly JsonObject[]) => boolean): Instead =>
  async (request, handle) => {
    const content = parseJson(request.body);
    if (!isObject(content)) return handle(request);
    const { body } = await handle({ ...request, method: 'GET', body: '' });
    const list = isObject(body) ? body.items : body;
    if (!isBroken(content, Array.isArray(list) ? list : [])) return handle(request);
    // The answer to malformed content shows whether the credentials suffice.
    const { status } = await handle({ ...request, body: '{' });
    return status === 400 ? answer : handle(request);
  };

const withQueryRule =
  (answer: TestAnswer, isBroken: (query: Query) => boolean): Instead =>
  async (request, handle) => {
    const own = await handle(request);
    return own.status < 300 && isBroken(Object.fromEntries(request.query)) ? answer : own;
  };

const answering =
  (status: number, other: TestAnswer): Instead =>
  async (request, handle) => {
    const answer = await handle(request);
    return answer.status === status ? other : answer;
  };

const library: readonly Row[] = [
  {
    name: 'reads digits in strings as numbers, and words as booleans',
    edits: [
      { at: `${reader}/guests`, to: { anyOf: [{ type: 'integer', minimum: 0, maximum: 5 }, { enum: [...'012345'] }] } },
      { at: `${reader}/consents/additionalProperties`, to: { enum: booleans } },
    ],
  },
  { name: 'removes spaces around text', at: /^(POST|PUT)/, instead: readingTexts((text) => text.trim()) },
  { name: 'normalises text to NFC', at: /^(POST|PUT)/, instead: readingTexts((text) => text.normalize('NFC')) },
  {
    name: 'requires a member because of the value of another one',
    at: /^POST \/v2\/readers/,
    instead: withRule(rejected(422), ({ kind, born }) => kind === 'child' && born === undefined),
  },
  {
    name: 'has a limit for two members together',
    at: /^POST \/v2\/readers/,
    instead: withRule(rejected(422), ({ guests, interests }) => {
      const count = Array.isArray(interests) ? interests.length : 0;
      return typeof guests === 'number' && guests + count > 5;
    }),
  },
  {
    name: 'rejects a title that exists with 400',
    at: /^POST \/v2\/books/,
    instead: withRule(rejected(400), ({ title }, present) => present.some((book) => book.title === title)),
  },
  {
    name: 'rejects a title that exists with 409',
    contract: [{ at: `${addBook}/responses/409`, to: { $ref: '#/components/responses/Refused' } }],
    at: /^POST \/v2\/books/,
    instead: withRule(rejected(409), ({ title }, present) => present.some((book) => book.title === title)),
  },
  {
    name: 'has a quota for objects, with 400',
    at: /^POST \/v2\/books/,
    instead: withRule(rejected(400), (_, present) => present.length > 4),
  },
  {
    name: 'answers 422 where other operations answer 400',
    contract: [{ at: `${addBook}/responses/422`, to: { $ref: '#/components/responses/Refused' } }],
    at: /^POST \/v2\/books/,
    instead: answering(400, rejected(422)),
  },
  {
    name: 'rejects unknown members',
    edits: [
      { at: '#/components/schemas/NewReader/additionalProperties', to: false },
      { at: `${reader}/contact/anyOf/0/additionalProperties`, to: false },
      { at: `${reader}/contact/anyOf/1/additionalProperties`, to: false },
    ],
  },
  {
    name: 'rejects control characters and emoji',
    at: /^(POST|PUT) \/v2\/books/,
    instead: withRule(rejected(400), (content) => /\\u00[01]|\p{Extended_Pictographic}/u.test(JSON.stringify(content))),
    inconclusive: ['valid-refused'],
  },
  {
    name: 'rejects content of more than 4 KiB with 413',
    at: /^(POST|PUT)/,
    instead: (request, handle) => (request.body.length > 4096 ? rejected(413) : handle(request)),
  },
  {
    name: 'requires the formats that its contract only names',
    contract: [
      { at: `${reader}/ref`, to: { type: 'string', format: 'uuid' } },
      { at: `${reader}/age`, to: { type: 'integer', format: 'int32' } },
    ],
    edits: [
      { at: `${reader}/ref/pattern`, to: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
      { at: `${reader}/age/maximum`, to: 2 ** 31 - 1 },
      { at: `${reader}/age/minimum`, to: -(2 ** 31) },
    ],
    inconclusive: ['valid-refused'],
  },
  {
    name: 'accepts integers beyond their format',
    contract: [{ at: `${reader}/age`, to: { type: 'integer', format: 'int32' } }],
  },
  {
    name: 'accepts days without zeros',
    at: /^POST \/v2\/readers/,
    instead: reading((content) => changeTexts(content, (text) => text.replaceAll(/-(\d)(?!\d)/g, '-0$1'), 'born')),
  },
  {
    name: 'ignores a readOnly member',
    contract: [
      {
        at: '#/components/schemas/NewBook/properties/id',
        to: { type: 'string', pattern: '^b[0-9]+$', readOnly: true },
      },
    ],
    at: /^(POST|PUT) \/v2\/books/,
    instead: reading(({ id: _, ...content }) => content),
  },
];

const weather: readonly Row[] = [
  { name: 'removes spaces around parameters', instead: readingQuery((text) => text.trim()) },
  {
    name: 'treats an empty number as absent',
    instead: readingQuery((text, name) => (/^(most|above|every)$/.test(name) && text === '' ? undefined : text)),
  },
  {
    name: 'reads numbers as JavaScript does',
    instead: readingQuery((text, name) => {
      const isNumber = /^(most|above|every)$/.test(name) && Number.isFinite(Number(text));
      return isNumber ? String(Number(text)) : text;
    }),
  },
  { name: 'answers 404 to an invalid id', at: /stations\/(?!\d+\/)/, instead: answering(400, problem(404)) },
  { name: 'answers 404 to any invalid parameter', at: /stations\//, instead: answering(400, problem(404)) },
  {
    name: 'validates before it checks the credentials',
    at: /^GET/,
    instead: async (request, handle) => {
      const headers = { ...request.headers, authorization: `Bearer ${weatherToken}` };
      const answer = await handle({ ...request, headers });
      return answer.status === 400 ? answer : handle(request);
    },
  },
  {
    name: 'answers 200 with an error in the content',
    at: /readings/,
    instead: answering(400, { status: 200, body: { ok: false, error: 'invalid', unit: 'celsius', values: [] } }),
    inconclusive: ['invalid-accepted', 'required-ignored'],
  },
  {
    name: 'excludes one parameter by another',
    at: /readings/,
    instead: withQueryRule(problem(400), ({ above, every }) => above !== undefined && every !== undefined),
  },
  {
    name: 'answers 404 if nothing was found',
    at: /readings/,
    instead: withQueryRule(problem(404), ({ above = '0' }) => Number(above) > 1),
  },
  {
    name: 'has no data before 2020 or after 2030',
    at: /readings/,
    instead: withQueryRule(problem(400), ({ day = '' }) => day < '2020' || day > '2030'),
    inconclusive: ['valid-refused'],
  },
  {
    name: 'allows an empty value as its contract does',
    contract: [{ at: `${readings}/5/allowEmptyValue`, to: true }],
    at: /readings/,
    instead: readingQuery((text, name) => (name === 'sensor' && text === '' ? undefined : text)),
  },
  {
    name: 'answers 414 to a long address',
    instead: (request, handle) => (String(request.query).length > 500 ? problem(414) : handle(request)),
  },
  {
    name: 'allows few requests at a time',
    change: (answer, _, count) => (count % 7 === 0 ? { ...problem(429), headers: { 'retry-after': '0' } } : answer),
  },
];

const depot: readonly Row[] = [
  { name: 'reads words as booleans', edits: [{ at: `${parcel}/fragile`, to: { enum: booleans } }] },
  {
    name: 'accepts instants without seconds, and with a space',
    at: /^POST/,
    instead: reading((content) =>
      changeTexts(content, (text) => text.replace(/^(\S{10}) /, '$1T').replace(/(T\d\d:\d\d)(?!:)/, '$1:00'), 'due'),
    ),
  },
  { name: 'answers 400 where its contract also has 422', at: /^POST/, instead: answering(422, rejected(400)) },
  {
    name: 'validates later what it accepts with 202',
    contract: [{ at: `${addParcel}/responses/202`, to: { description: 'It will be validated' } }],
    at: /^POST/,
    instead: answering(422, { status: 202 }),
    inconclusive: ['invalid-accepted', 'required-ignored'],
  },
  {
    name: 'rejects the fifth object with 409',
    contract: [{ at: `${addParcel}/responses/409`, to: { $ref: '#/components/responses/Refused' } }],
    at: /^POST/,
    instead: withRule(rejected(409), (_, present) => present.length > 4),
  },
  {
    name: 'rejects the fifth object with 422',
    at: /^POST/,
    instead: withRule(rejected(422), (_, present) => present.length > 4),
  },
  {
    name: 'requires a receiver for what is worth more',
    at: /^POST/,
    instead: withRule(rejected(422), ({ value, receiver }) => Number(value) > 100 && receiver === undefined),
  },
  {
    name: 'rejects instants in the past',
    at: /^POST/,
    instead: withRule(rejected(422), ({ due }) => Date.parse(String(due)) < Date.parse('2026-04-01')),
    inconclusive: ['valid-refused'],
  },
  {
    name: 'chooses among matching branches by the discriminator',
    contract: [
      { at: '#/components/schemas/Locker', to: branch('locker') },
      { at: '#/components/schemas/Neighbour', to: branch('neighbour') },
      {
        at: `${parcel}/handover`,
        to: {
          oneOf: [{ $ref: '#/components/schemas/Locker' }, { $ref: '#/components/schemas/Neighbour' }],
          discriminator: {
            propertyName: 'kind',
            mapping: { locker: '#/components/schemas/Locker', neighbour: '#/components/schemas/Neighbour' },
          },
        },
      },
    ],
    edits: [
      {
        at: `${parcel}/handover`,
        to: { anyOf: [{ $ref: '#/components/schemas/Locker' }, { $ref: '#/components/schemas/Neighbour' }] },
      },
    ],
  },
  { name: 'answers 404 to an invalid name', at: /^GET .*labels/, instead: answering(422, rejected(404)) },
  {
    name: 'accepts JSON by any of its media types',
    at: /^(POST|PUT|PATCH)/,
    instead: (request, handle) => handle(asListed(request)),
    inconclusive: ['protocol-law'],
  },
];

/** None of them may cause a defect, though each accepts or rejects other requests than a strict reading of its contract. */
export const inputServers: readonly FalsePositiveServer[] = [
  ...library.map((row) => ({ ...row, api: 'library' as const })),
  ...weather.map((row) => ({ ...row, api: 'weather' as const })),
  ...depot.map((row) => ({ ...row, api: 'depot' as const })),
];

function branch(own: string): JsonObject {
  return { type: 'object', required: ['kind'], properties: { kind: { type: 'string' }, [own]: { type: 'string' } } };
}

/** Changes all texts, or those of the members with one name. */
function changeTexts(value: unknown, change: (text: string) => string, only?: string): unknown {
  if (typeof value === 'string') return only === undefined ? change(value) : value;
  if (Array.isArray(value)) return value.map((item) => changeTexts(item, change, only));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, changeTexts(part, change, name === only ? undefined : only)]),
  );
}

function asListed(request: TestRequest): TestRequest {
  const isJson = /json/.test(request.headers['content-type'] ?? '');
  const type = request.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return isJson ? { ...request, headers: { ...request.headers, 'content-type': type } } : request;
}
