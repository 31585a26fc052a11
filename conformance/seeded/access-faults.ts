import { depotAccounts, depotCredentials, deskToken } from './depot.ts';
import { by, type Instead, type SeededFault, withRequestHeaders } from './faults.ts';
import { libraryKey, secondLibraryKey } from './library.ts';
import { archivePass } from './lists.ts';
import type { TestRequest } from './serve.ts';
import { weatherClient, weatherToken } from './weather.ts';

const anyone = '#/security';

/** The request as the first library sends it, if its key fulfils a condition. */
const withKeyIf =
  (isTaken: (key: string | undefined) => boolean): Instead =>
  (request, handle) => {
    const key = request.headers['x-library-key'];
    const isOurs = isTaken(typeof key === 'string' ? key : undefined);
    return handle(isOurs ? withRequestHeaders(request, { 'x-library-key': libraryKey }) : request);
  };

const depotToken = depotCredentials.scopedTokens[0]?.text ?? '';
const depotCookie = `sid=${depotCredentials.byScheme.Session}`;

const secondCookie = `sid=${depotAccounts.second.session}`;

const asDepot = (request: TestRequest): TestRequest =>
  withRequestHeaders(request, { cookie: depotCookie, authorization: `Bearer ${depotToken}` });

/** A wrong token counts as the right one if its parts fulfil a condition. */
const withTokenIf =
  (isTaken: (parts: readonly string[], sent: string) => boolean): Instead =>
  (request, handle) => {
    const [, sent = ''] = /^bearer ?(.*)$/i.exec(request.headers.authorization ?? '') ?? [];
    const isOurs = request.headers.cookie === depotCookie && isTaken(sent.split('.'), sent);
    return handle(isOurs ? asDepot(request) : request);
  };

const expired = deskToken('north', ['parcels:read', 'parcels:write'], 1_600_000_000);
const [genuineHead, genuineBody, genuineSignature] = depotToken.split('.');

export const accessFaults: readonly SeededFault[] = [
  {
    ...{ name: 'a depot shows the session of its reader', api: 'depot', at: /^GET \/api\/depots\/[^/]+$/ },
    change: (answer, { headers: { cookie = '' } }) =>
      answer.status === 200 ? { ...answer, body: { ...Object(answer.body), viewer: cookie.split('=')[1] } } : answer,
    caughtBy: by('secret-echoed', 'readDepot', '#/paths/~1depots~1{depot_id}/get', 'credential'),
  },
  {
    ...{ name: 'a list needs no key', api: 'library', at: /^GET \/v2\/books$/ },
    instead: withKeyIf((key) => key === undefined),
    caughtBy: by('auth-missing', 'listBooks', anyone, 'security'),
  },
  {
    ...{ name: 'HEAD of a list needs no key', api: 'library', at: /^HEAD \/v2\/books$/ },
    instead: withKeyIf((key) => key === undefined),
    caughtBy: by('auth-missing', 'listBooks', anyone, 'security'),
  },
  {
    ...{ name: 'HEAD of an object needs neither cookie nor token', api: 'depot', at: /^HEAD \/api\/depots\/[^/]+$/ },
    instead: (request, handle) =>
      handle(
        request.headers.cookie === undefined && request.headers.authorization === undefined
          ? asDepot(request)
          : request,
      ),
    caughtBy: by('auth-missing', 'readDepot', anyone, 'security'),
  },
  {
    ...{ name: 'a list with a view needs no key', api: 'library', at: /^GET \/v2\/books\?/ },
    instead: withKeyIf((key) => key === undefined),
    caughtBy: by('auth-missing', 'listBooks', anyone, 'security'),
  },
  {
    ...{ name: 'a page by its cursor needs no pass', api: 'archive', at: /^GET \/v1\/records\?.*cursor=/ },
    instead: (request, handle) => handle(withRequestHeaders(request, { 'x-pass': archivePass })),
    caughtBy: by('auth-missing', 'listRecords', anyone, 'security'),
  },
  {
    ...{ name: 'an object needs neither cookie nor token', api: 'depot', at: /^GET \/api\/depots\/[^/]+$/ },
    instead: (request, handle) =>
      handle(
        request.headers.cookie === undefined && request.headers.authorization === undefined
          ? asDepot(request)
          : request,
      ),
    caughtBy: by('auth-missing', 'readDepot', anyone, 'security'),
  },
  {
    ...{
      name: 'a token suffices where a cookie is needed too',
      api: 'depot',
      at: /^GET \/api\/depots\/[^/]+\/parcels$/,
    },
    instead: (request, handle) =>
      handle(
        request.headers.cookie === undefined && request.headers.authorization !== undefined
          ? asDepot(request)
          : request,
      ),
    caughtBy: by('auth-missing', 'listParcels', anyone, 'security'),
  },
  {
    ...{ name: 'a deletion without a key is carried out and answered 401', api: 'library', at: /^DELETE/ },
    instead: async (request, handle) => {
      const answer = await handle(request);
      if (answer.status === 401) await handle(withRequestHeaders(request, { 'x-library-key': libraryKey }));
      return answer;
    },
    caughtBy: by('auth-missing', 'removeBook', anyone, 'security'),
  },
  {
    ...{ name: 'any key is taken', api: 'library', at: /^GET \/v2\/books$/ },
    instead: withKeyIf((key) => key !== undefined && key !== ''),
    caughtBy: by('auth-invalid', 'listBooks', anyone, 'security'),
  },
  {
    ...{ name: 'the signature of a token is not checked', api: 'depot', at: /^GET \/api\/depots\/[^/]+$/ },
    instead: withTokenIf(
      ([head, body, signature]) =>
        head === genuineHead && signature !== '' && (body === genuineBody || signature === genuineSignature),
    ),
    caughtBy: by('auth-invalid', 'readDepot', anyone, 'security'),
  },
  {
    ...{ name: 'a token with the algorithm none is taken', api: 'depot', at: /^GET \/api\/depots\/[^/]+$/ },
    instead: withTokenIf(
      ([head = '', , signature]) => signature === '' && Buffer.from(head, 'base64url').includes('none'),
    ),
    caughtBy: by('auth-invalid', 'readDepot', anyone, 'security'),
  },
  {
    ...{ name: 'an expired token is taken', api: 'depot', at: /^GET \/api\/depots\/[^/]+$/ },
    instead: withTokenIf((_, sent) => sent === expired),
    caughtBy: by('auth-invalid', 'readDepot', anyone, 'security'),
  },
  {
    ...{ name: 'a key with more characters is taken', api: 'library', at: /^GET \/v2\/books\/b/ },
    instead: withKeyIf((key) => key?.startsWith(`${libraryKey}c`) === true),
    caughtBy: by('auth-invalid', 'readBook', anyone, 'security'),
  },
  {
    ...{ name: 'a cookie with more characters is taken', api: 'depot', at: /^GET \/api\/depots\/[^/]+\/parcels$/ },
    instead: (request, handle) => {
      const { cookie, authorization } = request.headers;
      const isOurs = cookie?.startsWith(`${depotCookie}c`) && authorization === asDepot(request).headers.authorization;
      return handle(isOurs ? asDepot(request) : request);
    },
    caughtBy: by('auth-invalid', 'listParcels', anyone, 'security'),
  },
  {
    ...{ name: 'a key in capitals is taken', api: 'library', at: /^GET \/v2\/books$/ },
    instead: withKeyIf((key) => key === libraryKey.toUpperCase()),
    caughtBy: by('auth-invalid', 'listBooks', anyone, 'security'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a token in capitals is taken', api: 'weather', at: /^GET .*readings/ },
    instead: (request, handle) =>
      handle(
        request.headers.authorization === `Bearer ${weatherToken.toUpperCase()}`
          ? withRequestHeaders(request, { authorization: `Bearer ${weatherToken}` })
          : request,
      ),
    caughtBy: by('auth-invalid', 'listReadings', '#/paths/~1stations~1{station_id}~1readings/get/security', 'security'),
    severity: 'suspect',
  },
  ...(['weather', 'depot'] as const).map(
    (api): SeededFault => ({
      ...{ name: 'a token is taken under any scheme', api, at: /^GET .*(readings|parcels)(\?.*)?$/ },
      instead: (request, handle) => {
        const authorization = request.headers.authorization?.replace(/^\S+ /, 'Bearer ');
        return handle(authorization === undefined ? request : withRequestHeaders(request, { authorization }));
      },
      caughtBy: by(
        'auth-invalid',
        api === 'weather' ? 'listReadings' : 'listParcels',
        api === 'weather' ? '#/paths/~1stations~1{station_id}~1readings/get/security' : anyone,
        'security',
      ),
    }),
  ),
  {
    ...{ name: 'any session is taken where a token would suffice too', api: 'depot', at: /^GET \/api\/depots$/ },
    instead: (request, handle) => {
      const { cookie, authorization } = request.headers;
      const isOurs = authorization === undefined && cookie !== undefined && cookie !== secondCookie;
      return handle(isOurs ? asDepot(request) : request);
    },
    caughtBy: by('auth-invalid', 'listDepots', '#/paths/~1depots/get/security', 'security'),
  },
  ...(
    [
      ['an empty secret is taken', /^demo-client:$/],
      ['a secret with another last character is taken', /^demo-client:not-a-real-secret-7[^7]$/],
    ] as const
  ).map(
    ([name, isTaken]): SeededFault => ({
      ...{ name, api: 'weather', at: /^POST .*token$/ },
      instead: (request, handle) => {
        const [scheme, credential = ''] = request.headers.authorization?.split(' ') ?? [];
        const isOurs = isTaken.test(Buffer.from(credential, 'base64').toString());
        const right = Buffer.from(`${weatherClient.id}:${weatherClient.secret}`).toString('base64');
        return handle(isOurs ? withRequestHeaders(request, { authorization: `${scheme} ${right}` }) : request);
      },
      caughtBy: by('auth-invalid', 'issueToken', '#/paths/~1token/post/security', 'security'),
    }),
  ),
  {
    ...{ name: 'an action takes a token for reads', api: 'weather', at: /reset$/ },
    instead: (request, handle) =>
      handle(
        request.headers.authorization?.endsWith('-read')
          ? withRequestHeaders(request, { authorization: `Bearer ${weatherToken}` })
          : request,
      ),
    caughtBy: by('scope-ignored', 'resetStation', '#/paths/~1stations~1{station_id}~1reset/post/security', 'security'),
    severity: 'suspect',
  },
  {
    ...{ name: 'a create takes a token for reads', api: 'depot', at: /^POST/ },
    instead: withTokenIf((_, sent) => sent === depotCredentials.scopedTokens[1]?.text),
    caughtBy: by('scope-ignored', 'addParcel', '#/paths/~1depots~1{depot_id}~1parcels/post/security', 'security'),
  },
  {
    ...{ name: 'the name of the scheme has to be spelt Bearer', api: 'weather', at: /^GET \/alps\/api\/stations\?/ },
    instead: (request, handle) =>
      handle(
        request.headers.authorization?.startsWith('bearer ')
          ? withRequestHeaders(request, { authorization: '' })
          : request,
      ),
    caughtBy: by('auth-valid-refused', 'listStations', '#/paths/~1stations/get/security', 'security'),
  },
  {
    ...{ name: 'a token alone is rejected though it suffices', api: 'depot', at: /^GET \/api\/depots$/ },
    instead: (request, handle) =>
      handle(request.headers.cookie === undefined ? withRequestHeaders(request, { authorization: '' }) : request),
    caughtBy: by('auth-valid-refused', 'listDepots', '#/paths/~1depots/get/security', 'security'),
  },
  {
    ...{ name: 'a second account reads a book of the first', api: 'library', at: /^GET \/v2\/books\/b/ },
    instead: withKeyIf((key) => key?.endsWith('9a40') === true),
    caughtBy: by('tenant-leak', 'readBook', anyone, 'security'),
  },
  {
    ...{
      name: 'a second account lists the books of the first with a view',
      api: 'library',
      at: /^GET .*books\?view=full/,
    },
    instead: withKeyIf((key) => key === secondLibraryKey),
    caughtBy: by('tenant-leak', 'listBooks', anyone, 'security'),
  },
  {
    ...{ name: 'a second account deletes a book of the first', api: 'library', at: /^DELETE/ },
    instead: withKeyIf((key) => key?.endsWith('9a40') === true),
    caughtBy: by('tenant-leak', 'removeBook', anyone, 'security'),
  },
  {
    ...{ name: 'a second account changes a parcel of the first', api: 'depot', at: /^PATCH/ },
    instead: (request, handle) => handle(request.headers.cookie === secondCookie ? asDepot(request) : request),
    caughtBy: by(
      'tenant-leak',
      'changeParcel',
      '#/paths/~1depots~1{depot_id}~1parcels~1{parcel_id}/patch/security',
      'security',
    ),
  },
  {
    ...{
      name: 'a parcel is found beneath a depot of another account',
      api: 'depot',
      at: /^GET \/api\/depots\/d-77\/parcels\/\d+/,
    },
    instead: (request, handle) => handle({ ...asDepot(request), path: request.path.replace('d-77', 'd-11') }),
    caughtBy: by('tenant-leak', 'readParcel', anyone, 'security'),
  },
  {
    ...{
      name: 'a parcel is found beneath a depot that does not exist',
      api: 'depot',
      at: /^GET \/api\/depots\/d-(?!11|12|77)\d+\/parcels\/\d+/,
    },
    instead: (request, handle) => handle({ ...request, path: request.path.replace(/d-\d+/, 'd-11') }),
    caughtBy: by('tenant-leak', 'readParcel', anyone, 'security'),
  },
  ...(['weather', 'depot'] as const).map(
    (api): SeededFault => ({
      ...{ name: 'a 401 asks for Basic where a token is needed', api, at: /^GET .*(readings|labels)/ },
      instead: async (request, handle) => {
        const answer = await handle(request);
        return answer.status === 401
          ? { ...answer, headers: { ...answer.headers, 'www-authenticate': 'Basic realm="here"' } }
          : answer;
      },
      caughtBy: by(
        'http-law',
        api === 'weather' ? 'listReadings' : 'readLabel',
        api === 'weather' ? '#/paths/~1stations~1{station_id}~1readings/get' : '#/paths/~1labels~1{label}/get',
        '401-bearer-challenge',
      ),
    }),
  ),
  {
    ...{ name: 'a parcel is taken in for another account', api: 'depot', at: /^POST/ },
    instead: (request, handle) => handle(request.headers.cookie === secondCookie ? asDepot(request) : request),
    caughtBy: by('tenant-leak', 'addParcel', '#/paths/~1depots~1{depot_id}~1parcels/post/security', 'security'),
  },
  {
    ...{ name: 'a deletion by another account is carried out and answered 404', api: 'library', at: /^DELETE/ },
    instead: async (request, handle) => {
      const answer = await handle(request);
      if (request.headers['x-library-key'] === secondLibraryKey)
        await handle(withRequestHeaders(request, { 'x-library-key': libraryKey }));
      return answer;
    },
    caughtBy: by('tenant-leak', 'removeBook', anyone, 'security'),
  },
  ...(['library', 'depot'] as const).map(
    (api): SeededFault => ({
      ...{
        name: 'an unknown id is searched before the credentials are checked',
        api,
        at: /^GET .*(books\/b|depots\/d-)[^/]*$/,
      },
      instead: async (request, handle) => {
        const answer = await handle(request);
        const isKnown = /b[1-9]\d?$|d-(11|12|77)$/.test(request.path);
        const body = api === 'library' ? { reason: 'none' } : { error: 'none' };
        return answer.status === 401 && !isKnown ? { status: 404, body } : answer;
      },
      caughtBy: by('existence-leak', api === 'library' ? 'readBook' : 'readDepot', anyone, 'security'),
      severity: 'suspect',
    }),
  ),
];
