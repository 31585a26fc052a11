import type { Handler, TestAnswer } from './serve.ts';

export const weatherClient = { id: 'demo-client', secret: 'not-a-real-secret-77' };
export const weatherToken = 'not-a-real-token-0c44e1';

const problem = (status: number, title: string): TestAnswer => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: { type: 'about:blank', title, status },
});

const stations = [
  { station_id: 12, name: 'Col', height: 2100, position: [46.1, 7.2] },
  { station_id: 31, name: 'Grat', height: 3300 },
];

const values = [
  { kind: 'measured', degrees: -4.35 },
  { kind: 'gap', cause: 'ice' },
  { kind: 'measured', degrees: 1 },
];

/** A server that conforms to `fixtures/weather.yaml`, with its token endpoint under `/oauth`. */
export function createWeather(): Handler {
  const basic = `Basic ${Buffer.from(`${weatherClient.id}:${weatherClient.secret}`).toString('base64')}`;
  return ({ method, path, query, headers }) => {
    if (path === '/oauth/token') {
      if (headers.authorization !== basic) {
        return {
          ...problem(401, 'unknown client'),
          headers: { 'content-type': 'application/problem+json', 'www-authenticate': 'Basic realm="identity"' },
        };
      }
      return {
        status: 200,
        headers: { 'cache-control': 'no-store' },
        body: { access_token: weatherToken, token_type: 'Bearer', expires_in: 600 },
      };
    }
    if (headers.authorization !== `Bearer ${weatherToken}`) {
      return {
        ...problem(401, 'no token'),
        headers: { 'content-type': 'application/problem+json', 'www-authenticate': 'Bearer' },
      };
    }
    if (path === '/alps/api/stations' && method === 'GET') {
      return /^\d+,\d+$/.test(query.get('height') ?? '')
        ? { status: 200, body: stations }
        : problem(400, 'height is two numbers');
    }
    const [, id, what] = /^\/alps\/api\/stations\/(\d+)\/(readings|reset)$/.exec(path) ?? [];
    if (!stations.some(({ station_id }) => String(station_id) === id)) return problem(404, 'no such station');
    if (what === 'reset') return { status: 202 };
    return {
      status: 200,
      headers: { 'last-modified': 'Sun, 01 Mar 2026 10:00:00 GMT' },
      body: { unit: 'celsius', values },
    };
  };
}
