import { by, type Instead, type SeededFault } from './faults.ts';

const check = 'valid-refused';

/** Rejects the requests whose body has such a member. */
const refusing =
  (isRefused: (body: Readonly<Record<string, unknown>>) => boolean, status: number, body: object): Instead =>
  (request, handle) =>
    request.body.startsWith('{') && isRefused(readOr(request.body)) ? { status, body } : handle(request);

function readOr(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const newBook = '#/components/schemas/NewBook/properties';

export const boundaryFaults: readonly SeededFault[] = [
  {
    ...{ name: 'the largest number of pages is rejected', api: 'library', at: /^POST .*books/ },
    instead: refusing(({ pages }) => Number(pages) >= 10_000, 400, { reason: 'invalid pages' }),
    caughtBy: by(check, 'addBook', `${newBook}/pages/maximum`, 'maximum'),
  },
  {
    ...{ name: 'a title is counted in UTF-16 units', api: 'library', at: /^POST .*books/ },
    instead: refusing(({ title }) => String(title).length > 200, 400, { reason: 'too long' }),
    caughtBy: by(check, 'addBook', `${newBook}/title/maxLength`, 'maxLength'),
  },
  {
    ...{ name: 'the longest text is rejected', api: 'depot', at: /^POST .*parcels/ },
    instead: refusing(({ note }) => [...String(note)].length === 60, 400, { error: 'invalid' }),
    caughtBy: by(check, 'addParcel', '#/components/schemas/NewParcel/properties/note/maxLength', 'maxLength'),
  },
  {
    ...{ name: 'the largest item of a parameter is rejected', api: 'weather', at: /^GET .*height=[^&]*4000/ },
    instead: () => ({
      ...{ status: 400, headers: { 'content-type': 'application/problem+json' } },
      body: { type: 'about:blank', title: 'invalid', status: 400 },
    }),
    caughtBy: by(check, 'listStations', '#/paths/~1stations/get/parameters/0/schema/items/maximum', 'maximum'),
  },
];
