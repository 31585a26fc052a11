import type { Handler, TestAnswer } from './serve.ts';
import type { Validate } from './validate.ts';

export const weatherClient = { id: 'demo-client', secret: 'not-a-real-secret-77' };
/** The token for both scopes; a token for one scope has its name after it. */
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

const scopes = ['read', 'write'];

/** Scopes of a token by its text. */
function scopesOf(authorization: string | undefined): readonly string[] | undefined {
  const [, token = ''] = /^bearer (.*)$/i.exec(authorization ?? '') ?? [];
  if (token === weatherToken) return scopes;
  return scopes.some((scope) => token === `${weatherToken}-${scope}`)
    ? [token.slice(weatherToken.length + 1)]
    : undefined;
}

interface Place {
  readonly path: RegExp;
  readonly method: string;
  readonly scope?: string;
}

const places: readonly Place[] = [
  { path: /^\/oauth\/token$/, method: 'POST' },
  { path: /^\/alps\/api\/stations$/, method: 'GET', scope: 'read' },
  { path: /^\/alps\/api\/stations\/[^/]+\/readings$/, method: 'GET', scope: 'read' },
  { path: /^\/alps\/api\/stations\/[^/]+\/reset$/, method: 'POST', scope: 'write' },
];

const rejections = { 'media type': 415, syntax: 400, schema: 400 };

/** A server that conforms to `fixtures/weather.yaml`, with its token endpoint under `/oauth`. */
export function createWeather(validate: Validate): Handler {
  const basic = `Basic ${Buffer.from(`${weatherClient.id}:${weatherClient.secret}`).toString('base64')}`;
  const challenged = (answer: TestAnswer, challenge: string): TestAnswer => ({
    ...answer,
    headers: { ...answer.headers, 'www-authenticate': challenge },
  });
  return (request) => {
    const { method, path, headers, body } = request;
    const here = places.filter((one) => one.path.test(path));
    const place = here.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
    if (here.length === 0) return problem(404, 'no such place');
    if (place === undefined) {
      const answer = problem(405, 'no such method');
      return { ...answer, headers: { ...answer.headers, allow: here.map((one) => one.method).join(', ') } };
    }
    const validated = validate({ ...request, path: path.replace(/^\/(oauth|alps\/api)/, '') });
    const rejected = 'fault' in validated ? problem(rejections[validated.fault], validated.reason) : undefined;
    if (place.scope === undefined) {
      if (headers.authorization !== basic) return challenged(problem(401, 'unknown client'), 'Basic realm="identity"');
      if (rejected !== undefined) return rejected;
      const asked = new URLSearchParams(body).get('scope')?.split(' ') ?? scopes;
      const token = asked.length === 1 ? `${weatherToken}-${asked[0]}` : weatherToken;
      return {
        status: 200,
        headers: { 'cache-control': 'no-store' },
        body: { access_token: token, token_type: 'Bearer', expires_in: 600, scope: asked.join(' ') },
      };
    }
    const granted = scopesOf(headers.authorization);
    if (granted === undefined) return challenged(problem(401, 'no token'), 'Bearer');
    if (!granted.includes(place.scope))
      return challenged(problem(403, 'no scope'), 'Bearer error="insufficient_scope"');
    if (rejected !== undefined) return rejected;
    if (path.endsWith('/stations')) return { status: 200, body: stations };
    const [, id, what] = /^\/alps\/api\/stations\/(\d+)\/(readings|reset)$/.exec(path) ?? [];
    if (!stations.some(({ station_id }) => String(station_id) === id)) return problem(404, 'no-such-station');
    if (what === 'reset') return { status: 202 };
    return {
      status: 200,
      headers: { 'last-modified': 'Sun, 01 Mar 2026 10:00:00 GMT' },
      body: { unit: 'celsius', values },
    };
  };
}
