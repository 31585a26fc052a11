import { withEdits } from './apis.ts';
import { by, type Instead, type SeededFault } from './faults.ts';
import type { TestAnswer } from './serve.ts';
import type { ContractEdit } from './validate.ts';

/** Stores a member of the content of each write, and shows it in every answer about the object. */
const storing = (member: string, id: string): Instead => {
  const stored = new Map<string, unknown>();
  return async (request, handle) => {
    const answer = await handle(request);
    if (answer.status >= 300 || (request.body === '' && request.method !== 'GET')) return answer;
    const body = Object(answer.body);
    const key = String(body[id]);
    const sent = request.method === 'GET' ? undefined : JSON.parse(request.body)[member];
    if (request.method === 'POST' || sent !== undefined) stored.set(key, sent);
    return { ...answer, body: { ...body, [member]: stored.get(key) ?? body[member] } };
  };
};

const added = '#/components/schemas/NewBook/properties/added/readOnly';
const weighed = '#/components/schemas/Parcel/properties/weighed/readOnly';

/** Changes answers of one status. */
const answering = (status: number, change: (answer: TestAnswer) => TestAnswer): Instead => {
  return async (request, handle) => {
    const answer = await handle(request);
    return answer.status === status ? change(answer) : answer;
  };
};

const parcel = '#/paths/~1depots~1{depot_id}~1parcels~1{parcel_id}';
const readings = '#/paths/~1stations~1{station_id}~1readings/get';
const answersOf = { depot: `${parcel}/get/responses`, weather: `${readings}/responses` };
const parameterOf = { depot: `${parcel}/parameters/1`, weather: `${readings}/parameters/1` };

/** An error with its code in a member. */
const errorWith = (member: string, mediaType: string, ...codes: readonly string[]) => ({
  description: '',
  'x-error-codes': codes,
  content: { [mediaType]: { schema: { properties: { [member]: { type: 'string', 'x-fault': 'code' } } } } },
});
const rejected = { $ref: '#/components/responses/Refused' };
const problem = { $ref: '#/components/responses/Problem' };

/** Extensions that both servers follow. */
/** The contract of each API with its extensions. */
export const declaredEdits: Readonly<Record<'depot' | 'weather', readonly ContractEdit[]>> = {
  depot: [
    { at: '#/x-precedence', to: [405, 401, 403, 415, 422, 404] },
    { at: `${parameterOf.depot}/x-invalid-status`, to: 422 },
    { at: `${answersOf.depot}/404`, to: errorWith('error', 'application/json', 'not-here') },
    { at: `${answersOf.depot}/4XX`, to: rejected },
    { at: `${parcel}/delete/responses/422`, to: rejected },
  ],
  weather: [
    { at: '#/x-precedence', to: [405, 401, 403, 400, 404] },
    { at: `${parameterOf.weather}/x-invalid-status`, to: 400 },
    { at: `${answersOf.weather}/404`, to: errorWith('title', 'application/problem+json', 'no-such-station') },
    { at: `${answersOf.weather}/422`, to: problem },
  ],
};

/** Faults of what annotations and extensions of a contract declare. */
export const declaredFaults: readonly SeededFault[] = [
  {
    ...{ name: 'a create stores a read-only time', api: 'library', at: /^(POST|GET) \/v2\/books(\/b\d+)?$/ },
    instead: storing('added', 'id'),
    caughtBy: by('read-only-written', 'addBook', added, 'readOnly'),
  },
  {
    ...{ name: 'a change stores a read-only time', api: 'library', at: /^(PUT|GET) \/v2\/books\/b\d+$/ },
    instead: storing('added', 'id'),
    caughtBy: by('read-only-written', 'replaceBook', added, 'readOnly'),
  },
  {
    ...{ name: 'a merge patch stores a read-only flag', api: 'depot', at: /^(PATCH|GET) .*parcels\/\d+$/ },
    instead: storing('weighed', 'parcel_id'),
    caughtBy: by('read-only-written', 'changeParcel', weighed, 'readOnly'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a problem has an unlisted code', api: 'weather', at: /^GET .*readings/ },
    instead: answering(404, (answer) => ({ ...answer, body: { title: 'gone', status: 404 } })),
    caughtBy: by('refusal-wrong', 'listReadings', `${answersOf.weather}/404/x-error-codes`, 'error-code'),
    amend: withEdits('weather', declaredEdits.weather),
  },
  {
    ...{ name: 'an error has an unlisted code', api: 'depot', at: /^GET .*parcels\/\d+$/ },
    instead: answering(404, (answer) => ({ ...answer, body: { error: 'gone' } })),
    caughtBy: by('refusal-wrong', 'readParcel', `${answersOf.depot}/404/x-error-codes`, 'error-code'),
    amend: withEdits('depot', declaredEdits.depot),
    // The second account asks for a parcel of the first.
    options: { phases: ['auth'] },
  },
  {
    ...{ name: 'an invalid id gets another status', api: 'depot', at: /^GET .*parcels\/./ },
    instead: answering(422, (answer) => ({ ...answer, status: 400 })),
    caughtBy: by('refusal-wrong', 'readParcel', `${parameterOf.depot}/x-invalid-status`, 'invalid-status'),
    amend: withEdits('depot', declaredEdits.depot),
  },
  {
    ...{ name: 'an invalid day gets another status', api: 'weather', at: /^GET .*readings/ },
    instead: answering(400, (answer) => ({ ...answer, status: 422, body: { title: 'no', status: 422 } })),
    caughtBy: by('refusal-wrong', 'listReadings', `${parameterOf.weather}/x-invalid-status`, 'invalid-status'),
    amend: withEdits('weather', declaredEdits.weather),
  },
  {
    ...{ name: 'the media type is checked before the credentials', api: 'depot', at: /^(POST|PUT|PATCH) / },
    instead: (request, handle) => {
      const isListed = /json|urlencoded/.test(request.headers['content-type'] ?? 'json');
      return isListed ? handle(request) : { status: 415, body: { error: 'no' } };
    },
    caughtBy: by('refusal-wrong', 'changeParcel', '#/x-precedence', 'precedence'),
    amend: withEdits('depot', declaredEdits.depot),
  },
  {
    ...{ name: 'the object is searched before the scope is checked', api: 'weather', at: /^GET .*readings/ },
    instead: (request, handle) => {
      const isKnown = request.headers.authorization === undefined || /stations\/(12|31)\//.test(request.path);
      const body = { title: 'no-such-station', status: 404 };
      return isKnown ? handle(request) : { status: 404, headers: { 'content-type': 'application/problem+json' }, body };
    },
    caughtBy: by('refusal-wrong', 'listReadings', '#/x-precedence', 'precedence'),
    amend: withEdits('weather', declaredEdits.weather),
  },
];
