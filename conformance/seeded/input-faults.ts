import { type JsonObject, parseJson, splitPointer, textAt } from '../contract/document.ts';
import type { ApiName } from './apis.ts';
import { depotAccounts, depotCredentials } from './depot.ts';
import { by, type SeededFault } from './faults.ts';
import { libraryKey } from './library.ts';
import type { TestRequest } from './serve.ts';
import { weatherClient, weatherToken } from './weather.ts';

/** A fault in the validation of requests. */
export interface InputFault extends SeededFault {
  /** Answered otherwise by the server with the fault than by the correct one. */
  readonly sent: TestRequest;
}

/** Parts of a request; undefined leaves one out. */
interface Parts {
  readonly path?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Members of the content; null for none at all. */
  readonly body?: JsonObject | null;
}

interface Example extends Parts {
  readonly api: ApiName;
  readonly method: string;
  readonly path: string;
}

const library = { 'x-library-key': libraryKey };
const weather = { authorization: `Bearer ${weatherToken}` };
const depot = {
  cookie: `sid=${depotAccounts.first.session}`,
  authorization: `Bearer ${depotCredentials.scopedTokens[0]?.text}`,
};
const basic = Buffer.from(`${weatherClient.id}:${weatherClient.secret}`).toString('base64');
const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const typed = (type: string, headers: Readonly<Record<string, string>>) => ({ ...headers, 'content-type': type });

/** A valid request of each operation that has a fault. */
export const examples = {
  listBooks: { api: 'library', method: 'GET', path: '/v2/books', headers: library },
  replaceBook: {
    ...{ api: 'library', method: 'PUT', path: '/v2/books/b1', headers: typed(json, library) },
    body: { title: 'Emma', pages: 474 },
  },
  enrolReader: {
    ...{ api: 'library', method: 'POST', path: '/v2/readers', headers: { ...typed(json, library), 'x-desk': 'D07' } },
    body: { name: 'Zoë', password: 'open sesame', card: 'AB123456' },
  },
  issueToken: {
    ...{ api: 'weather', method: 'POST', path: '/oauth/token', body: { grant_type: 'client_credentials' } },
    headers: typed(form, { authorization: `Basic ${basic}` }),
  },
  listStations: {
    ...{ api: 'weather', method: 'GET', path: '/alps/api/stations', headers: weather },
    query: { height: '100,200' },
  },
  listReadings: {
    ...{ api: 'weather', method: 'GET', path: '/alps/api/stations/12/readings' },
    ...{ headers: { ...weather, 'x-zone': 'CET' }, query: { day: '2026-03-01' } },
  },
  addParcel: {
    ...{ api: 'depot', method: 'POST', path: '/api/depots/d-11/parcels', body: { grams: 250 } },
    headers: { ...typed(json, depot), 'x-counter': '1' },
  },
  changeParcel: {
    ...{ api: 'depot', method: 'PATCH', path: '/api/depots/d-11/parcels/1001', body: { grams: 300 } },
    headers: typed('application/merge-patch+json', depot),
  },
  putLabel: {
    ...{ api: 'depot', method: 'PUT', path: '/api/labels/top', body: { text: 'up' }, headers: typed(json, depot) },
  },
  readLabel: { api: 'depot', method: 'GET', path: '/api/labels/top', headers: depot, query: { lang: 'no' } },
} as const satisfies Readonly<Record<string, Example>>;

type OperationName = keyof typeof examples;

/** The valid request of an operation with other parts. */
export function requestOf(operation: OperationName, parts: Parts = {}): TestRequest {
  const { method, path, query, headers, body }: Example = examples[operation];
  const all = { ...headers, ...parts.headers };
  const members = parts.body === null || body == null ? undefined : { ...body, ...parts.body };
  const isForm = all['content-type'] === form;
  const given = Object.entries({ ...query, ...parts.query }).filter(([, value]) => value !== undefined);
  return {
    ...{ method, path: parts.path ?? path, query: new URLSearchParams(given as [string, string][]), headers: all },
    body: members === undefined ? '' : isForm ? spellForm(members) : JSON.stringify(members),
  };
}

const reader = '#/components/schemas/NewReader/properties';
const address = '#/components/schemas/Address';
const parcel = '#/components/schemas/NewParcel/properties';
const label = '#/components/schemas/NewLabel/properties';
const token = '#/paths/~1token/post/requestBody/content/application~1x-www-form-urlencoded/schema/properties';
const receiver = '#/components/schemas/Receiver';
const content = '#/components/schemas/Content/properties';
const books = '#/paths/~1books/get/parameters';
const readings = '#/paths/~1stations~1{station_id}~1readings/get/parameters';
const desk = '#/paths/~1readers/post/parameters/0';
const counter = '#/paths/~1depots~1{depot_id}~1parcels/post/parameters/0';
const parcelPath = '#/paths/~1depots~1{depot_id}~1parcels~1{parcel_id}';
const bookPath = '#/paths/~1books~1{bookId}';
const bookType = 'application/vnd.library.book+json';
const labelPath = '#/paths/~1labels~1{label}';
const heights = '#/paths/~1stations/get/parameters/0/schema';
const york = { street: 'High Street', city: 'York' };
const kari = { name: 'Kari' };
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `item ${index}` }));
const long = (count: number) => 'x'.repeat(count);

/** Operation, the rule that the server lacks, and a request that breaks it. The check is `invalid-accepted`. */
const lacking: readonly (readonly [OperationName, string, Parts])[] = [
  ['enrolReader', `${reader}/guests/type`, { body: { guests: 'two' } }],
  ['addParcel', `${parcel}/fragile/type`, { body: { fragile: 'very' } }],
  ['enrolReader', `${reader}/kind/enum`, { body: { kind: 'pirate' } }],
  ['addParcel', `${parcel}/service/enum`, { body: { service: 'yesterday' } }],
  ['enrolReader', `${reader}/terms/const`, { body: { terms: 'read' } }],
  ['issueToken', `${token}/grant_type/const`, { body: { grant_type: 'wish' } }],
  ['enrolReader', `${reader}/guests/minimum`, { body: { guests: -1 } }],
  ['addParcel', `${parcel}/grams/minimum`, { body: { grams: 0 } }],
  ['enrolReader', `${reader}/guests/maximum`, { body: { guests: 6 } }],
  ['addParcel', `${parcel}/grams/maximum`, { body: { grams: 30001 } }],
  ['enrolReader', `${reader}/fee/exclusiveMinimum`, { body: { fee: 0 } }],
  ['listReadings', `${readings}/3/schema/exclusiveMinimum`, { query: { above: '-90' } }],
  ['enrolReader', `${reader}/fee/exclusiveMaximum`, { body: { fee: 100 } }],
  ['listReadings', `${readings}/3/schema/exclusiveMaximum`, { query: { above: '60' } }],
  ['enrolReader', `${reader}/fee/multipleOf`, { body: { fee: 1.25 } }],
  ['addParcel', `${parcel}/value/multipleOf`, { body: { value: 1.1 } }],
  ['enrolReader', `${reader}/password/minLength`, { body: { password: 'short' } }],
  ['addParcel', `${parcel}/shelf/minLength`, { body: { shelf: 'ABC' } }],
  ['enrolReader', `${reader}/name/maxLength`, { body: { name: long(51) } }],
  ['addParcel', `${parcel}/note/maxLength`, { body: { note: long(61) } }],
  ['enrolReader', `${reader}/card/pattern`, { body: { card: 'ab123456' } }],
  ['addParcel', `${parcel}/shelf/pattern`, { body: { shelf: 'abcd' } }],
  ['enrolReader', `${reader}/born/format`, { body: { born: 'in May' } }],
  ['addParcel', `${parcel}/due/format`, { body: { due: '2026-03-01T10:00:00' } }],
  ['enrolReader', `${reader}/interests/minItems`, { body: { interests: [] } }],
  ['listStations', `${heights}/minItems`, { query: { height: '1' } }],
  ['enrolReader', `${reader}/interests/maxItems`, { body: { interests: ['ant', 'bee', 'cow', 'dog', 'elk'] } }],
  ['addParcel', `${parcel}/contents/maxItems`, { body: { contents: many(6) } }],
  ['enrolReader', `${reader}/interests/uniqueItems`, { body: { interests: ['ant', 'ant'] } }],
  ['addParcel', `${parcel}/contents/uniqueItems`, { body: { contents: [...many(1), ...many(1)] } }],
  [
    ...(['enrolReader', `${address}/additionalProperties`] as const),
    { body: { address: { ...york, planet: 'Earth' } } },
  ],
  [
    ...(['addParcel', `${receiver}/additionalProperties`] as const),
    { body: { receiver: { ...kari, planet: 'Earth' } } },
  ],
  ['enrolReader', `${reader}/consents/minProperties`, { body: { consents: {} } }],
  ['addParcel', `${parcel}/marks/minProperties`, { body: { marks: {} } }],
  ['enrolReader', `${reader}/consents/maxProperties`, { body: { consents: { a: true, b: true, c: true, d: true } } }],
  ['addParcel', `${parcel}/marks/maxProperties`, { body: { marks: { a: 'a', b: 'b', c: 'c', d: 'd' } } }],
  ['enrolReader', `${reader}/consents/additionalProperties/type`, { body: { consents: { news: 'maybe' } } }],
  ['addParcel', `${parcel}/marks/additionalProperties/maxLength`, { body: { marks: { a: long(21) } } }],
  ['enrolReader', `${address}/properties/floor/maximum`, { body: { address: { ...york, floor: 100 } } }],
  ['addParcel', `${receiver}/properties/floor/minimum`, { body: { receiver: { ...kari, floor: -1 } } }],
  ['enrolReader', `${reader}/interests/items/minLength`, { body: { interests: ['ox'] } }],
  ['addParcel', `${content}/count/maximum`, { body: { contents: [{ name: 'cup', count: 51 }] } }],
  ['enrolReader', `${reader}/contact/anyOf/0/properties/phone/pattern`, { body: { contact: { phone: 'none' } } }],
  ['addParcel', '#/components/schemas/Locker/properties/locker/minimum', { body: { handover: { locker: 99 } } }],
  ['listReadings', `${readings}/2/schema/maximum`, { query: { most: '49' } }],
  ['listBooks', `${books}/1/schema/enum`, { query: { view: 'sideways' } }],
  ['listReadings', `${readings}/4/schema/multipleOf`, { query: { every: '7' } }],
  ['listReadings', `${readings}/5/schema/pattern`, { query: { sensor: 'A1' } }],
  ['enrolReader', `${desk}/schema/pattern`, { headers: { 'x-desk': 'desk' } }],
  ['addParcel', `${counter}/schema/minimum`, { headers: { 'x-counter': '0' } }],
  ['listBooks', `${books}/2/schema/enum`, { headers: { cookie: 'lang=xx' } }],
  ['listReadings', `${readings}/8/schema/enum`, { headers: { cookie: 'units=stone' } }],
  ['putLabel', `${labelPath}/parameters/0/schema/pattern`, { path: '/api/labels/TOP' }],
  ['putLabel', `${label}/copies/maximum`, { headers: { 'content-type': form }, body: { copies: 10 } }],
  ['changeParcel', '#/components/schemas/ParcelChange/properties/grams/maximum', { body: { grams: 30001 } }],
];

/** Operation, the rule of a required part, the rule of the server if it has another one, and a request without the part. */
const ignoring: readonly (readonly [OperationName, string, unknown, Parts])[] = [
  ['listReadings', `${readings}/1/required`, undefined, { query: { day: undefined } }],
  ['readLabel', `${labelPath}/get/parameters/0/required`, undefined, { query: { lang: undefined } }],
  ['listReadings', `${readings}/7/required`, undefined, { headers: { 'x-zone': undefined } }],
  ['enrolReader', `${desk}/required`, undefined, { headers: { 'x-desk': undefined } }],
  ['addParcel', `${counter}/required`, undefined, { headers: { 'x-counter': undefined } }],
  ['enrolReader', '#/components/schemas/NewReader/required', ['name', 'password'], { body: { card: undefined } }],
  ['addParcel', '#/components/schemas/NewParcel/required', undefined, { body: { grams: undefined } }],
  ['enrolReader', `${address}/required`, ['street'], { body: { address: { street: 'High Street' } } }],
  ['addParcel', `${receiver}/required`, undefined, { body: { receiver: { floor: 1 } } }],
  ['addParcel', '#/components/schemas/Content/required', undefined, { body: { contents: [{ count: 1 }] } }],
  ['replaceBook', `${bookPath}/put/requestBody/required`, undefined, { body: null }],
  ['changeParcel', `${parcelPath}/patch/requestBody/required`, undefined, { body: null }],
];

/** Operation, the rule of the contract, the stricter one of the server, and a valid request that the server rejects. */
const stricter: readonly (readonly [OperationName, string, unknown, Parts])[] = [
  ['enrolReader', `${reader}/guests/maximum`, 4, { body: { guests: 5 } }],
  ['enrolReader', `${reader}/guests/minimum`, 1, { body: { guests: 0 } }],
  ['addParcel', `${receiver}/properties/floor/minimum`, 1, { body: { receiver: { ...kari, floor: 0 } } }],
  ['listReadings', `${readings}/2/schema/maximum`, 47, { query: { most: '48' } }],
  ['listStations', `${heights}/items/maximum`, 3999, { query: { height: '0,4000' } }],
  ['enrolReader', `${reader}/kind/enum`, ['child', 'adult'], { body: { kind: 'staff' } }],
  ['addParcel', `${parcel}/service/enum`, ['slow', 'fast'], { body: { service: 'night' } }],
  ['listBooks', `${books}/1/schema/enum`, ['short'], { query: { view: 'full' } }],
  ['enrolReader', `${reader}/interests/maxItems`, 3, { body: { interests: ['ant', 'bee', 'cow', 'dog'] } }],
  ['addParcel', `${parcel}/contents/maxItems`, 4, { body: { contents: many(5) } }],
  // A listed media type is not accepted.
  [
    'replaceBook',
    `${bookPath}/put/requestBody/content/${escaped(bookType)}`,
    undefined,
    { headers: { 'content-type': bookType } },
  ],
  [
    'putLabel',
    `${labelPath}/put/requestBody/content/${escaped(form)}`,
    undefined,
    { headers: { 'content-type': form } },
  ],
];

/** Operation, an optional part, and where the server requires it. Its example lacks the part. */
const requiring: readonly (readonly [OperationName, string, string, unknown])[] = [
  [
    'enrolReader',
    `${reader}/guests`,
    '#/components/schemas/NewReader/required',
    ['name', 'password', 'card', 'guests'],
  ],
  ['addParcel', `${parcel}/service`, '#/components/schemas/NewParcel/required', ['grams', 'service']],
  ['listReadings', `${readings}/2`, `${readings}/2/required`, true],
];

/** Operation, the bound of a text, and the text that reaches it: the server counts UTF-16 code units instead of code points. */
const miscounting: readonly (readonly [OperationName, string, string, number])[] = [
  ['enrolReader', `${reader}/name/maxLength`, 'name', 50],
  ['addParcel', `${parcel}/note/maxLength`, 'note', 60],
  ['putLabel', `${label}/text/maxLength`, 'text', 80],
];

const verbs: Readonly<Record<string, string>> = {
  'invalid-accepted': 'does not validate',
  'required-ignored': 'does not require',
  'valid-refused': 'is stricter than',
};

/** Replaces a rule of the contract by another one, or by none. */
function faultOf(check: string, operation: OperationName, pointer: string, to: unknown, parts: Parts): InputFault {
  const last = splitPointer(pointer).at(-1) ?? '';
  const keyword = last.includes('/') ? 'content' : last;
  return {
    name: `${operation} ${verbs[check]} ${splitPointer(pointer).slice(-4).join(' ')}`,
    api: examples[operation].api,
    edits: [{ at: pointer, to }],
    caughtBy: by(check, operation, pointer, keyword),
    ...(keyword === 'format' && { severity: 'suspect' }),
    sent: requestOf(operation, parts),
  };
}

function requiringPart([operation, part, at, to]: (typeof requiring)[number]): InputFault {
  const fault = faultOf('valid-refused', operation, part, undefined, {});
  return { ...fault, edits: [{ at, to }], caughtBy: { ...fault.caughtBy, keyword: 'required' } };
}

function miscounted([operation, pointer, member, most]: (typeof miscounting)[number]): InputFault {
  const { edits: _, ...fault } = faultOf('valid-refused', operation, pointer, most, {
    body: { [member]: '🦉'.repeat(most) },
  });
  return {
    ...fault,
    name: `${operation} counts the UTF-16 code units of ${member}`,
    at: new RegExp(`^${examples[operation].method} `),
    instead: (request, handle) => {
      const text = textAt(parseJson(request.body), member) ?? new URLSearchParams(request.body).get(member) ?? '';
      return handle(text.length > most ? { ...request, body: '0' } : request);
    },
  };
}

/** The server allows several branches of oneOf to match. */
const anyBranch: readonly InputFault[] = [
  {
    ...faultOf('invalid-accepted', 'enrolReader', `${reader}/slot/oneOf`, undefined, { body: { slot: 35 } }),
    edits: [{ at: `${reader}/slot`, to: { type: 'integer', minimum: 1, maximum: 60 } }],
  },
  {
    ...faultOf('invalid-accepted', 'addParcel', `${parcel}/handover/oneOf`, undefined, {
      body: { handover: { locker: 100, neighbour: 'Ola' } },
    }),
    edits: [
      {
        at: `${parcel}/handover`,
        to: { anyOf: [{ $ref: '#/components/schemas/Locker' }, { $ref: '#/components/schemas/Neighbour' }] },
      },
    ],
  },
];

/** The server finds a station by an id that is none. */
const stationFaults: readonly InputFault[] = [
  { keyword: 'type', id: 'first', taken: /stations\/[a-z]\w*\/readings/ },
  { keyword: 'minimum', id: '0', taken: /stations\/(0|-\d+)\/readings/ },
].map(({ keyword, id, taken }) => {
  const { edits: _, ...fault } = faultOf(
    'invalid-accepted',
    'listReadings',
    `${readings}/0/schema/${keyword}`,
    undefined,
    {
      path: `/alps/api/stations/${id}/readings`,
    },
  );
  return {
    ...fault,
    instead: (request, handle) => handle({ ...request, path: request.path.replace(taken, 'stations/12/readings') }),
  };
});

export const inputFaults: readonly InputFault[] = [
  ...lacking.map(([operation, pointer, parts]) => faultOf('invalid-accepted', operation, pointer, undefined, parts)),
  ...ignoring.map((row) => faultOf('required-ignored', ...row)),
  ...stricter.map((row) => faultOf('valid-refused', ...row)),
  ...requiring.map(requiringPart),
  ...miscounting.map(miscounted),
  ...anyBranch,
  ...stationFaults,
];

function spellForm(members: JsonObject): string {
  const texts = Object.entries(members).map(([name, value]): [string, string] => [name, String(value)]);
  return String(new URLSearchParams(texts));
}

function escaped(token: string): string {
  return token.replaceAll('/', '~1');
}
