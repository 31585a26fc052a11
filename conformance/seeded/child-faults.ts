// Objects beneath others of two APIs, and faults of theirs: the library has notes of a book, the depot has stops of a parcel.
import { withEdits } from './apis.ts';
import { by, type Instead, type SeededFault } from './faults.ts';
import type { Handler } from './serve.ts';
import type { ContractEdit } from './validate.ts';

const json = (schema: object) => ({ 'application/json': { schema } });
const rejected = { $ref: '#/components/responses/Refused' };
const text = { type: 'string', minLength: 1, maxLength: 80 };
const note = { type: 'object', required: ['text'], additionalProperties: false, properties: { text } };
const shownNote = { type: 'object', required: ['id', 'text'], properties: { id: { type: 'string' }, text } };
const stop = {
  type: 'object',
  required: ['place'],
  properties: { place: text, order: { type: 'integer', minimum: 1 } },
};
const shownStop = { ...stop, properties: { ...stop.properties, stop: { type: 'integer' } } };
const nameOf = (name: string, schema: object) => ({ name, in: 'path', required: true, schema });
const book = nameOf('bookId', { type: 'string', pattern: '^b[0-9]+$' });
const parcel = [{ $ref: '#/components/parameters/depot_id' }, nameOf('parcel_id', { type: 'integer', minimum: 1_000 })];

/** The contract of each API with objects beneath others. */
export const childEdits: Readonly<Record<'library' | 'depot', readonly ContractEdit[]>> = {
  library: [
    {
      at: '#/paths/~1books~1{bookId}~1notes',
      to: {
        parameters: [book],
        post: {
          operationId: 'addNote',
          requestBody: { required: true, content: json(note) },
          responses: { 201: { description: 'Added', content: json(shownNote) }, 400: rejected, 404: rejected },
        },
      },
    },
    {
      at: '#/paths/~1books~1{bookId}~1notes~1{noteId}',
      to: {
        parameters: [book, nameOf('noteId', { type: 'string', pattern: '^n[0-9]+$' })],
        get: {
          operationId: 'readNote',
          responses: { 200: { description: 'The note', content: json(shownNote) }, 400: rejected, 404: rejected },
        },
      },
    },
  ],
  depot: [
    {
      at: '#/paths/~1depots~1{depot_id}~1parcels~1{parcel_id}~1stops',
      to: {
        parameters: parcel,
        post: {
          operationId: 'addStop',
          security: [{ Session: [], Desk: ['parcels:write'] }],
          requestBody: { required: true, content: json(stop) },
          responses: {
            201: {
              description: 'Added',
              headers: { Location: { schema: { type: 'string' } } },
              content: json(shownStop),
            },
            ...{ 400: rejected, 404: rejected, 415: rejected, 422: rejected },
          },
        },
      },
    },
    {
      at: '#/paths/~1depots~1{depot_id}~1parcels~1{parcel_id}~1stops~1{stop}',
      to: {
        parameters: [...parcel, nameOf('stop', { type: 'integer', minimum: 1_000 })],
        get: {
          operationId: 'readStop',
          responses: { 200: { description: 'The stop', content: json(shownStop) }, 404: rejected, 422: rejected },
        },
      },
    },
  ],
};

/** An index of parents that is made when the first object beneath one is created, and never again: one method shows it. */
function indexingOnce(method: string, collection: RegExp, gone: Awaited<ReturnType<Handler>>): Instead {
  const ofServers = new WeakMap<Handler, { readonly later: Set<string>; isMade: boolean }>();
  return async (request, handle) => {
    const index = ofServers.get(handle) ?? { later: new Set<string>(), isMade: false };
    ofServers.set(handle, index);
    const [parent = ''] = collection.exec(request.path) ?? [];
    if (index.later.has(parent) && request.method === method) return gone;
    const answer = await handle(request);
    const location = String(answer.headers?.location ?? '');
    const isBeneath = parent !== '' && request.method === 'POST';
    if (isBeneath && answer.status === 201) index.isMade = true;
    if (!isBeneath && answer.status === 201 && index.isMade) index.later.add(location);
    return answer;
  };
}

/** Books with a time at which they are due take no note. */
function rejectingDue(): Instead {
  const due = new Set<string>();
  return async (request, handle) => {
    const [book = ''] = /^\/v2\/books\/b\d+(?=\/notes)/.exec(request.path) ?? [];
    if (due.has(book) && request.method === 'POST') return { status: 404, body: { reason: 'no such book' } };
    const answer = await handle(request);
    if (answer.status === 201 && book === '' && /"due"/.test(request.body)) due.add(String(answer.headers?.location));
    return answer;
  };
}

const library: Omit<SeededFault, 'api' | 'amend' | 'edits'> = {
  ...{ name: 'a book that is due takes no note', at: /^(POST \/v2\/books|.* \/v2\/books\/b\d+\/notes)/ },
  instead: rejectingDue(),
  caughtBy: by('child-orphaned', 'addNote', '#/paths/~1books~1{bookId}~1notes/post', 'parent'),
};

const depot: Omit<SeededFault, 'api' | 'amend' | 'edits'> = {
  ...{ name: 'a stop of a new parcel cannot be read', at: /parcels/ },
  instead: indexingOnce('GET', /^\/api\/depots\/[^/]+\/parcels\/\d+(?=\/stops)/, {
    status: 404,
    body: { error: 'not-here' },
  }),
  caughtBy: by(
    'child-orphaned',
    'readStop',
    '#/paths/~1depots~1{depot_id}~1parcels~1{parcel_id}~1stops~1{stop}/get',
    'child',
  ),
};

export const childFaults: readonly SeededFault[] = [
  { ...library, api: 'library', edits: childEdits.library, amend: withEdits('library', childEdits.library) },
  { ...depot, api: 'depot', edits: childEdits.depot, amend: withEdits('depot', childEdits.depot) },
];
