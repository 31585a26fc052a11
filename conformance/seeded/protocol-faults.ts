import { by, type Instead, type SeededFault, withRequestHeaders } from './faults.ts';

const check = 'protocol-law';
const books = '#/paths/~1books';
const book = '#/paths/~1books~1{bookId}';
const parcels = '#/paths/~1depots~1{depot_id}~1parcels';
const parcel = `${parcels}~1{parcel_id}`;

/** Answers as if the request had other headers. */
const withoutHeader =
  (name: string): Instead =>
  ({ headers: { [name]: _, ...headers }, ...request }, handle) =>
    handle({ ...request, headers });

const typedAs =
  (type: string, isTaken: RegExp): Instead =>
  (request, handle) =>
    handle(
      isTaken.test(request.headers['content-type'] ?? '')
        ? withRequestHeaders(request, { 'content-type': type })
        : request,
    );

/** Reads malformed JSON as far as it goes. */
const repaired: Instead = (request, handle) => {
  const text = request.body;
  const candidates = [text, `${text}}`, text.replace(/,}$/, '}'), text.slice(0, text.indexOf('}') + 1)];
  const body = candidates.find((one) => {
    try {
      return JSON.parse(one) !== undefined;
    } catch {
      return false;
    }
  });
  return handle({ ...request, body: body ?? text });
};

type Change = (location: string) => string;

const wrongLocations: Readonly<Record<'library' | 'depot', Readonly<Record<string, Change>>>> = {
  library: {
    'Location leads nowhere': () => '/v2/books/b404404',
    'Location lacks the base path': (location) => location.replace('/v2/', '/'),
    'Location is that of the list': () => '/v2/books',
  },
  depot: {
    'Location leads nowhere': () => '/api/depots/d-11/parcels/404404',
    'Location lacks the base path': (location) => location.replace('/api/', '/'),
    'Location is that of the list': (location) => location.replace(/\/[^/]*$/, ''),
  },
};

export const protocolFaults: readonly SeededFault[] = [
  {
    ...{ name: 'an undeclared PATCH is carried out', api: 'library', at: /^PATCH/ },
    instead: () => ({ status: 200, body: {} }),
    caughtBy: by(check, 'readBook', `${book}/get`, 'undeclared-method'),
  },
  {
    ...{ name: 'an undeclared PUT is carried out', api: 'depot', at: /^PUT .*parcels/ },
    instead: () => ({ status: 204 }),
    caughtBy: by(check, 'readParcel', `${parcel}/get`, 'undeclared-method'),
  },
  {
    ...{ name: 'OPTIONS omits a method', api: 'library', at: /^OPTIONS \/v2\/books\/b/ },
    instead: () => ({ status: 204, headers: { allow: 'GET, HEAD, DELETE' } }),
    caughtBy: by(check, 'readBook', `${book}/get`, 'options-allow'),
  },
  {
    ...{ name: 'OPTIONS omits a method of a collection', api: 'depot', at: /^OPTIONS .*parcels$/ },
    instead: () => ({ status: 200, headers: { allow: 'GET' } }),
    caughtBy: by(check, 'listParcels', `${parcels}/get`, 'options-allow'),
  },
  ...(['library', 'depot'] as const).map((api): SeededFault => {
    const at = api === 'library' ? /^(GET|HEAD) \/v2\/motto/ : /^(GET|HEAD) \/api\/depots$/;
    const [operation, pointer] =
      api === 'library' ? ['readMotto', '#/paths/~1motto/get'] : ['listDepots', '#/paths/~1depots/get'];
    return {
      ...{ name: 'HEAD announces another length', api, at },
      instead: async (request, handle) => {
        const answer = await handle(request);
        const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
        const length = Buffer.byteLength(text) + (request.method === 'HEAD' ? 7 : 0);
        return { ...answer, headers: { ...answer.headers, 'content-length': String(length) } };
      },
      caughtBy: by(check, operation ?? '', pointer ?? '', 'head-unlike-get'),
    };
  }),
  {
    ...{ name: 'HEAD has another ETag', api: 'library', at: /^HEAD .*books\/b\d+$/ },
    instead: async (request, handle) => {
      const answer = await handle(request);
      return answer.status === 200 ? { ...answer, headers: { ...answer.headers, etag: '"of-head"' } } : answer;
    },
    caughtBy: by(check, 'readBook', `${book}/get`, 'head-unlike-get'),
  },
  {
    ...{ name: 'HEAD announces no content', api: 'library', at: /^HEAD .*books$/ },
    instead: async (request, handle) => {
      const answer = await handle(request);
      return answer.status === 200 ? { ...answer, headers: { ...answer.headers, 'content-length': '0' } } : answer;
    },
    caughtBy: by(check, 'listBooks', `${books}/get`, 'head-unlike-get'),
  },
  {
    ...{ name: 'HEAD is not found', api: 'library', at: /^HEAD \/v2\/motto/ },
    instead: () => ({ status: 404 }),
    caughtBy: by(check, 'readMotto', '#/paths/~1motto/get', 'head-unlike-get'),
  },
  {
    ...{ name: 'HEAD is not supported', api: 'depot', at: /^HEAD \/api\/depots$/ },
    instead: () => ({ status: 405, headers: { allow: 'GET' } }),
    caughtBy: by(check, 'listDepots', '#/paths/~1depots/get', 'head-unlike-get'),
    severity: 'suspect',
  },
  ...(['library', 'depot'] as const).map(
    (api): SeededFault => ({
      ...{ name: 'a part of the content has no Content-Range', api, at: /^GET .*(books|depots)$/ },
      instead: async (request, handle) => {
        const answer = await handle(request);
        return request.headers.range === undefined || answer.status !== 200 ? answer : { ...answer, status: 206 };
      },
      caughtBy: by(
        'http-law',
        api === 'library' ? 'listBooks' : 'listDepots',
        api === 'library' ? '#/paths/~1books/get' : '#/paths/~1depots/get',
        '206-content-range',
      ),
    }),
  ),
  {
    ...{ name: 'malformed JSON is repaired', api: 'library', at: /^POST \/v2\/books/, instead: repaired },
    caughtBy: by(check, 'addBook', `${books}/post/requestBody`, 'malformed-json'),
  },
  {
    ...{ name: 'a malformed merge patch is repaired', api: 'depot', at: /^PATCH/, instead: repaired },
    caughtBy: by(check, 'changeParcel', `${parcel}/patch/requestBody`, 'malformed-json'),
  },
  {
    ...{ name: 'text is read as JSON', api: 'library', at: /^PUT/, instead: typedAs('application/json', /plain/) },
    caughtBy: by(check, 'replaceBook', `${book}/put/requestBody`, 'unlisted-media-type'),
  },
  {
    ...{
      name: 'text is read as a merge patch',
      api: 'depot',
      at: /^PATCH/,
      instead: typedAs('application/merge-patch+json', /plain/),
    },
    caughtBy: by(check, 'changeParcel', `${parcel}/patch/requestBody`, 'unlisted-media-type'),
  },
  ...(['library', 'depot'] as const).map(
    (api): SeededFault => ({
      ...{ name: 'a media type with a parameter is rejected', api, at: /^POST .*(books|parcels)/ },
      instead: typedAs('text/plain', /charset/),
      caughtBy: by(
        check,
        api === 'library' ? 'addBook' : 'addParcel',
        `${api === 'library' ? books : parcels}/post/requestBody`,
        'media-type-parameter',
      ),
    }),
  ),
  ...(['library', 'depot'] as const).flatMap((api): SeededFault[] => {
    const item = api === 'library' ? book : parcel;
    const [read, change] = api === 'library' ? ['readBook', 'replaceBook'] : ['readParcel', 'changeParcel'];
    const method = api === 'library' ? 'put' : 'patch';
    return [
      {
        ...{
          name: 'If-None-Match is ignored',
          api,
          at: /^GET .*(books|parcels)\/[b\d]/,
          instead: withoutHeader('if-none-match'),
        },
        caughtBy: by(check, read ?? '', `${item}/get`, 'not-modified'),
      },
      {
        ...{ name: 'If-Match is ignored', api, at: /^(PUT|PATCH)/, instead: withoutHeader('if-match') },
        caughtBy: by(check, change ?? '', `${item}/${method}`, 'stale-if-match'),
      },
      {
        ...{ name: 'a 304 omits the ETag', api, at: /^GET .*(books|parcels)\/[b\d]/ },
        instead: async (request, handle) => {
          const answer = await handle(request);
          return answer.status === 304 ? { status: 304 } : answer;
        },
        caughtBy: by(check, read ?? '', `${item}/get`, 'not-modified'),
      },
      {
        ...{ name: 'any If-None-Match gets a 304', api, at: /^GET .*(books|parcels)\/[b\d]/ },
        instead: async (request, handle) => {
          const { headers = {} } = await handle({
            ...request,
            headers: { ...request.headers, 'if-none-match': undefined },
          });
          return request.headers['if-none-match'] === undefined ? handle(request) : { status: 304, headers };
        },
        caughtBy: by(check, read ?? '', `${item}/get`, 'other-if-none-match'),
      },
      {
        ...{ name: 'If-None-Match: * is ignored', api, at: /^(PUT|PATCH)/, instead: withoutHeader('if-none-match') },
        caughtBy: by(check, change ?? '', `${item}/${method}`, 'existing-if-none-match'),
      },
      {
        ...{ name: 'a current If-Match is rejected', api, at: /^(PUT|PATCH)/ },
        instead: (request, handle) =>
          handle(
            request.headers['if-match'] === undefined ? request : withRequestHeaders(request, { 'if-match': '"x"' }),
          ),
        caughtBy: by(check, change ?? '', `${item}/${method}`, 'current-if-match'),
      },
      ...Object.entries(wrongLocations[api]).map(
        ([name, change]): SeededFault => ({
          ...{ name, api, at: /^POST .*(books|parcels)/ },
          instead: async (request, handle) => {
            const answer = await handle(request);
            const location = change(String(answer.headers?.location));
            return answer.status === 201 ? { ...answer, headers: { ...answer.headers, location } } : answer;
          },
          caughtBy: by(
            check,
            api === 'library' ? 'addBook' : 'addParcel',
            `${api === 'library' ? books : parcels}/post`,
            'location-target',
          ),
        }),
      ),
    ];
  }),
  {
    ...{ name: 'the same PUT creates twice', api: 'depot', at: /^PUT .*labels/ },
    instead: async (request, handle) => {
      const answer = await handle(request);
      return answer.status === 200 ? { ...answer, status: 201 } : answer;
    },
    caughtBy: by(check, 'putLabel', '#/paths/~1labels~1{label}/put', 'repeated-put'),
  },
];
