import { by, type SeededFault, withBody, withHeaders, withItem } from './faults.ts';

const readings = /^GET \/alps\/api\/stations\/\d+\/readings/;
const list = /^GET \/alps\/api\/stations\?/;
const readingsOf = '#/paths/~1stations~1{station_id}~1readings/get';
const values = `${readingsOf}/responses/200/content/application~1json/schema/properties/values/items`;

type Row = Omit<SeededFault, 'api'>;

const problem = { 'content-type': 'application/problem+json' };

const rows: readonly Row[] = [
  {
    name: 'a constant differs',
    at: readings,
    change: withBody((body) => ({ ...body, unit: 'kelvin' })),
    caughtBy: by(
      'body-schema',
      'listReadings',
      `${readingsOf}/responses/200/content/application~1json/schema/properties/unit/const`,
      'const',
    ),
  },
  {
    name: 'a value matches no alternative of oneOf',
    at: readings,
    change: withItem('values', (item) => Object.assign(item, { kind: 'guessed' })),
    caughtBy: by('body-schema', 'listReadings', `${values}/oneOf`, 'oneOf'),
  },
  {
    name: 'a number has too many decimals',
    at: readings,
    change: withItem('values', (item) => Object.assign(item, { degrees: 1.005 })),
    caughtBy: by('body-schema', 'listReadings', `${values}/oneOf/0/properties/degrees/multipleOf`, 'multipleOf'),
  },
  {
    name: 'a tuple is too long',
    at: list,
    change: (answer) => ({ ...answer, body: [{ ...(answer.body as object[])[0], position: [1, 2, 3] }] }),
    caughtBy: by('body-schema', 'listStations', '#/components/schemas/Station/properties/position/items', 'items'),
  },
  {
    name: 'a 401 without a challenge',
    at: readings,
    change: () => ({ status: 401, headers: problem, body: { title: 'no', status: 401 } }),
    caughtBy: by('http-law', 'listReadings', readingsOf, '401-www-authenticate'),
  },
  {
    name: 'a 405 without Allow',
    at: list,
    change: () => ({ status: 405, headers: problem, body: { title: 'no', status: 405 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', '405-allow'),
  },
  {
    name: 'a 405 lists the rejected method in Allow',
    at: list,
    change: () => ({ status: 405, headers: { ...problem, allow: 'GET, HEAD' }, body: { title: 'no', status: 405 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', 'allow-lists-refused'),
  },
  {
    name: 'a problem has a status other than the answer',
    at: list,
    change: () => ({ status: 400, headers: problem, body: { title: 'no', status: 422 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', 'problem-status'),
  },
  {
    name: 'Last-Modified is in the future',
    at: readings,
    change: withHeaders({ 'last-modified': 'Fri, 01 Mar 2199 10:00:00 GMT' }),
    caughtBy: by('http-law', 'listReadings', `${readingsOf}/responses/200`, 'last-modified-date'),
  },
  {
    name: 'Retry-After is neither seconds nor a date',
    at: list,
    change: () => ({ status: 400, headers: { ...problem, 'retry-after': 'soon' }, body: { title: 'no', status: 400 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', 'retry-after-value'),
  },
  {
    name: 'a 412 without a condition',
    at: list,
    change: () => ({ status: 412, headers: problem, body: { title: 'no', status: 412 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', '412-without-condition'),
  },
  {
    name: 'a 406 although Accept allows any type',
    at: list,
    change: () => ({ status: 406, headers: problem, body: { title: 'no', status: 406 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', '406-though-accepted'),
  },
  {
    name: 'a status beyond 599',
    at: list,
    change: () => ({ status: 600, headers: { ...problem }, body: { title: 'no', status: 600 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', 'status-range'),
  },
  {
    name: 'a 205 with content',
    at: list,
    change: () => ({
      status: 205,
      raw: 'HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', 'content-after-205'),
  },
  {
    name: 'a 304 without a condition',
    at: list,
    change: () => ({ status: 304 }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', '304-unasked'),
  },
  {
    name: 'a 206 without a range',
    at: list,
    change: (answer, { headers: { range } }) =>
      range === undefined ? { status: 206, headers: problem, body: { title: 'no', status: 206 } } : answer,
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', '206-unasked'),
  },
  {
    name: 'a 201 to a read',
    at: list,
    change: () => ({ status: 201, headers: { ...problem }, body: { title: 'no', status: 201 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', '201-to-read'),
  },
  {
    name: 'a 416 without a range',
    at: list,
    change: () => ({ status: 416, headers: { ...problem }, body: { title: 'no', status: 416 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', '416-without-range'),
  },
  {
    name: 'a 415 without content',
    at: list,
    change: () => ({ status: 415, headers: { ...problem }, body: { title: 'no', status: 415 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', 'content-refused-unsent'),
  },
  {
    name: 'a 426 without Upgrade',
    at: list,
    change: () => ({ status: 426, headers: { ...problem }, body: { title: 'no', status: 426 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', '426-upgrade'),
  },
  {
    name: 'a problem has a detail that is not a string',
    at: list,
    change: () => ({ status: 400, headers: problem, body: { title: 'no', detail: 7, status: 400 } }),
    caughtBy: by('http-law', 'listStations', '#/components/responses/Problem', 'problem-members'),
  },
  {
    name: 'a header of the token endpoint breaks its const',
    at: /^POST \/oauth\/token/,
    change: withHeaders({ 'cache-control': 'public' }),
    caughtBy: by(
      'header-schema',
      'issueToken',
      '#/paths/~1token/post/responses/200/headers/Cache-Control/schema/const',
      'const',
    ),
  },
  {
    name: 'a permanent 502',
    at: readings,
    change: () => ({ status: 502, headers: problem, body: { title: 'no', status: 502 } }),
    caughtBy: by('server-error', 'listReadings', readingsOf, '502'),
  },
  {
    name: 'a 500 with a page of the framework in place of problem details',
    at: list,
    change: () => ({ status: 500, headers: { 'content-type': 'text/html' }, body: '<h1>Internal Server Error</h1>' }),
    caughtBy: by('server-error', 'listStations', '#/paths/~1stations/get', '500'),
  },
  {
    name: 'a 500 to an action on every object',
    at: /^POST .*\/reset$/,
    change: () => ({ status: 500, headers: problem, body: { title: 'no', status: 500 } }),
    caughtBy: by('server-error', 'resetStation', '#/paths/~1stations~1{station_id}~1reset/post', '500'),
  },
];

export const weatherFaults: readonly SeededFault[] = rows.map((row) => ({ ...row, api: 'weather' }));
