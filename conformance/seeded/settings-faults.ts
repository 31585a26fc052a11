// Settings of two APIs, and faults of theirs: the desk of the library, and the seal of a parcel, which belongs to an object of the run.
import { isObject, parseJson } from '../contract/document.ts';
import { withEdits } from './apis.ts';
import { storing } from './careless-storage.ts';
import { by, type Instead, type SeededFault } from './faults.ts';
import type { Handler } from './serve.ts';
import type { ContractEdit } from './validate.ts';

const content = (name: string, mediaType = 'application/json') => ({
  [mediaType]: { schema: { $ref: `#/components/schemas/${name}` } },
});
const rejected = { $ref: '#/components/responses/Refused' };
const text = { type: 'string', maxLength: 80 };

/** The contract of each API with its settings. */
export const settingsEdits: Readonly<Record<'library' | 'depot', readonly ContractEdit[]>> = {
  library: [
    {
      at: '#/components/schemas/Desk',
      to: {
        ...{ type: 'object', required: ['notice', 'seats'], additionalProperties: false },
        properties: { notice: { ...text, minLength: 1 }, seats: { type: 'integer', minimum: 0, maximum: 500 } },
      },
    },
    {
      at: '#/paths/~1desk',
      to: {
        get: { operationId: 'readDesk', responses: { 200: { description: 'The desk', content: content('Desk') } } },
        put: {
          operationId: 'changeDesk',
          requestBody: { required: true, content: content('Desk') },
          responses: { 200: { description: 'Changed', content: content('Desk') }, 400: rejected, 415: rejected },
        },
      },
    },
  ],
  depot: [
    {
      at: '#/components/schemas/Seal',
      to: { type: 'object', properties: { number: { type: 'integer', minimum: 1 }, wire: text } },
    },
    {
      at: '#/paths/~1depots~1{depot_id}~1parcels~1{parcel_id}~1seal',
      to: {
        parameters: [
          { $ref: '#/components/parameters/depot_id' },
          { name: 'parcel_id', in: 'path', required: true, schema: { type: 'integer', minimum: 1_000 } },
        ],
        get: {
          operationId: 'readSeal',
          responses: { 200: { description: 'The seal', content: content('Seal') }, 404: rejected, 422: rejected },
        },
        patch: {
          operationId: 'changeSeal',
          security: [{ Session: [], Desk: ['parcels:write'] }],
          requestBody: { required: true, content: content('Seal', 'application/merge-patch+json') },
          responses: {
            200: { description: 'Changed', content: content('Seal') },
            ...{ 404: rejected, 415: rejected, 422: rejected },
          },
        },
      },
    },
  ],
};

/** A PUT stores the content that created the object. */
function storingFirst(): Instead {
  const ofServers = new WeakMap<Handler, Map<string, unknown>>();
  return async (request, handle) => {
    const first = ofServers.get(handle) ?? new Map<string, unknown>();
    ofServers.set(handle, first);
    const answer = await handle(request);
    const text = first.get(request.path);
    const content = parseJson(request.body);
    if (!isObject(content)) return answer;
    if (answer.status === 201) first.set(request.path, content.text);
    if (answer.status !== 200 || text === undefined) return answer;
    return handle({ ...request, body: JSON.stringify({ ...content, text }) });
  };
}

const options = { permissions: { effects: [], readOnly: false, writes: 'all' } } as const;

export const settingsFaults: readonly SeededFault[] = [
  {
    ...{ name: 'a PUT of the desk keeps the seats', api: 'library', at: /^PUT \/v2\/desk$/, options },
    instead: storing((sent, { seats }) => ({ ...sent, seats })),
    ...{ edits: settingsEdits.library, amend: withEdits('library', settingsEdits.library) },
    caughtBy: by('put-partial', 'changeDesk', '#/components/schemas/Desk/properties/seats', 'kept'),
  },
  {
    ...{ name: 'a patch of the seal sets its wire too', api: 'depot', at: /^PATCH .*\/seal$/ },
    instead: storing((sent) => ({ wire: `wire ${sent.number}`, ...sent })),
    ...{ edits: settingsEdits.depot, amend: withEdits('depot', settingsEdits.depot) },
    caughtBy: by('patch-spills', 'changeSeal', '#/components/schemas/Seal/properties/wire', 'unsent'),
  },
  {
    ...{ name: 'a label keeps the text that it was made with', api: 'depot', at: /^PUT \/api\/labels\// },
    instead: storingFirst(),
    caughtBy: by('put-partial', 'putLabel', '#/components/schemas/NewLabel/properties/text', 'kept'),
  },
];
