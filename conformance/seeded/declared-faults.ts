import { by, type Instead, type SeededFault } from './faults.ts';

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

/** Faults of answers that extensions or annotations of the contract exclude. */
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
];
