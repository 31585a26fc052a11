import { createHmac } from 'node:crypto';
import type { Handler, TestAnswer, TestRequest } from './serve.ts';
import type { Validate } from './validate.ts';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of the depot: a JSON Web Token, signed with a key that only this file knows. */
export function deskToken(sub: string, scopes: readonly string[], exp = 4_102_444_800): string {
  const text = `${encode({ alg: 'HS256' })}.${encode({ sub, scope: scopes.join(' '), exp })}`;
  return `${text}.${signatureOf(text)}`;
}

function signatureOf(text: string): string {
  return createHmac('sha256', 'not-a-real-signing-key').update(text).digest('base64url');
}

const [read, write] = ['parcels:read', 'parcels:write'];

export const depotAccounts = {
  first: { session: 'not-a-real-session-41f0', name: 'north' },
  second: { session: 'not-a-real-session-88c2', name: 'south' },
} as const;

const scopedTokens = (name: string) =>
  [[read, write], [read], [write]].map((scopes) => ({ scopes, text: deskToken(name, scopes) }));

const credentialsOf = ({ session, name }: { readonly session: string; readonly name: string }) => ({
  ...{ token: undefined, clientId: undefined, clientSecret: undefined },
  byScheme: { Session: session },
  scopedTokens: scopedTokens(name),
});

export const depotCredentials = {
  ...credentialsOf(depotAccounts.first),
  expiredToken: deskToken(depotAccounts.first.name, [read, write], 1_600_000_000),
};
export const secondDepotCredentials = credentialsOf(depotAccounts.second);

interface Parcel {
  readonly parcel_id: number;
  readonly grams: number;
  readonly note?: string;
  readonly weighed?: boolean;
}

interface Depot {
  readonly depot_id: string;
  readonly town: string;
  readonly parcels: Map<string, Parcel>;
}

interface Account {
  readonly depots: readonly Depot[];
  readonly labels: Map<string, unknown>;
  /** Counts of parcels, which go on with each read: the number of reads. */
  readonly counts: Map<string, number>;
}

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly scope: string;
  /** Whether a session or a token suffices alone. */
  readonly isEither?: boolean;
  readonly answer: (request: TestRequest, account: Account, ids: readonly string[]) => TestAnswer;
}

const rejections = { 'media type': 415, syntax: 400, schema: 422 };

/** A stateful server that conforms to `fixtures/depot.yaml`: two accounts, objects beneath others, merge patch, a PUT that creates. */
export function createDepot(validate: Validate): Handler {
  let count = 1000;
  const depot = (depot_id: string, town: string): Depot => {
    count += 1;
    return { depot_id, town, parcels: new Map([[String(count), { parcel_id: count, grams: 250 }]]) };
  };
  const accounts: Readonly<Record<string, Account>> = {
    north: { depots: [depot('d-11', 'Alta'), depot('d-12', 'Bodø')], labels: new Map(), counts: new Map() },
    south: { depots: [depot('d-77', 'Cádiz')], labels: new Map(), counts: new Map() },
  };
  /** By the ids of depot, parcel and stop. */
  const stops = new Map<string, object>();
  const seals = new Map<string, object>();
  const sealOf = (place: string): object => seals.get(place) ?? { number: 1, wire: 'steel wire' };
  /** The clock of the counts: each read is four seconds later. */
  let seconds = 0;
  const clock = (later = 0): Date => new Date(Date.parse('2026-04-01T08:00:00Z') + (seconds + later) * 1_000);
  const unknown: TestAnswer = { status: 404, body: { error: 'not-here' } };
  const within = (account: Account, id = ''): Depot | undefined =>
    account.depots.find(({ depot_id }) => depot_id === id);
  const shown = ({ depot_id, town }: Depot) => ({ depot_id, town });
  const routes: readonly Route[] = [
    {
      ...{ method: 'GET', path: /^\/depots$/, scope: read, isEither: true },
      answer: (_, { depots }) => ({ status: 200, body: depots.map(shown) }),
    },
    {
      ...{ method: 'GET', path: /^\/depots\/([^/]+)$/, scope: read },
      answer: (_, account, [id]) => {
        const found = within(account, id);
        return found === undefined ? unknown : { status: 200, body: shown(found) };
      },
    },
    {
      ...{ method: 'GET', path: /^\/depots\/([^/]+)\/parcels$/, scope: read },
      answer: ({ headers }, account, [id]) => {
        const parcels = within(account, id)?.parcels;
        if (parcels === undefined) return unknown;
        const rows = [...parcels.values()];
        const isCsv = /^text\/csv/.test(headers.accept ?? '');
        const csv = rows.map(({ parcel_id, grams }) => `${parcel_id},${grams}`).join('\n');
        return isCsv
          ? { status: 200, headers: { 'content-type': 'text/csv' }, body: csv }
          : { status: 200, body: rows };
      },
    },
    {
      ...{ method: 'POST', path: /^\/depots\/([^/]+)\/parcels$/, scope: write },
      answer: ({ body }, account, [id]) => {
        const found = within(account, id);
        if (found === undefined) return unknown;
        count += 1;
        const parcel: Parcel = { grams: 0, ...JSON.parse(body), parcel_id: count, weighed: false };
        found.parcels.set(String(count), parcel);
        return { status: 201, headers: { location: `/api/depots/${id}/parcels/${count}` }, body: parcel };
      },
    },
    {
      ...{ method: 'GET', path: /^\/depots\/([^/]+)\/parcels\/([^/]+)$/, scope: read },
      answer: (request, account, [id, parcel]) => {
        const found = within(account, id)?.parcels.get(parcel ?? '');
        if (found === undefined) return unknown;
        const headers = { etag: tagOf(found) };
        return request.headers['if-none-match'] === headers.etag
          ? { status: 304, headers }
          : { status: 200, headers, body: found };
      },
    },
    {
      ...{ method: 'PATCH', path: /^\/depots\/([^/]+)\/parcels\/([^/]+)$/, scope: write },
      answer: ({ body, headers }, account, [id, parcel = '']) => {
        const parcels = within(account, id)?.parcels;
        const found = parcels?.get(parcel);
        if (parcels === undefined || found === undefined) return unknown;
        if (isStale(headers, found)) return { status: 412, body: { error: 'changed' } };
        const merged = Object.entries({ ...found, ...JSON.parse(body), weighed: found.weighed }).filter(
          ([, value]) => value !== null,
        );
        parcels.set(parcel, Object.fromEntries(merged) as unknown as Parcel);
        return { status: 200, body: parcels.get(parcel) };
      },
    },
    {
      ...{ method: 'DELETE', path: /^\/depots\/([^/]+)\/parcels\/([^/]+)$/, scope: write },
      answer: ({ headers }, account, [id, parcel = '']) => {
        const parcels = within(account, id)?.parcels;
        const found = parcels?.get(parcel);
        if (parcels === undefined || found === undefined) return unknown;
        if (isStale(headers, found)) return { status: 412, body: { error: 'changed' } };
        parcels.delete(parcel);
        return { status: 204 };
      },
    },
    {
      ...{ method: 'POST', path: /^\/depots\/([^/]+)\/parcels\/([^/]+)\/stops$/, scope: write },
      answer: ({ body }, account, [id, parcel = '']) => {
        if (within(account, id)?.parcels.has(parcel) !== true) return unknown;
        count += 1;
        const stop = { ...JSON.parse(body), stop: count };
        stops.set(`${id}/${parcel}/${count}`, stop);
        return { status: 201, headers: { location: `/api/depots/${id}/parcels/${parcel}/stops/${count}` }, body: stop };
      },
    },
    {
      ...{ method: 'GET', path: /^\/depots\/([^/]+)\/parcels\/([^/]+)\/stops\/([^/]+)$/, scope: read },
      answer: (_, account, [id, parcel = '', stop]) => {
        const found = within(account, id)?.parcels.has(parcel) ? stops.get(`${id}/${parcel}/${stop}`) : undefined;
        return found === undefined ? unknown : { status: 200, body: found };
      },
    },
    {
      ...{ method: 'GET', path: /^\/depots\/([^/]+)\/parcels\/([^/]+)\/seal$/, scope: read },
      answer: (_, account, [id, parcel = '']) => {
        const isThere = within(account, id)?.parcels.has(parcel) === true;
        return isThere ? { status: 200, body: sealOf(`${id}/${parcel}`) } : unknown;
      },
    },
    {
      ...{ method: 'PATCH', path: /^\/depots\/([^/]+)\/parcels\/([^/]+)\/seal$/, scope: write },
      answer: ({ body }, account, [id, parcel = '']) => {
        if (within(account, id)?.parcels.has(parcel) !== true) return unknown;
        seals.set(`${id}/${parcel}`, { ...sealOf(`${id}/${parcel}`), ...JSON.parse(body) });
        return { status: 200, body: sealOf(`${id}/${parcel}`) };
      },
    },
    {
      ...{ method: 'POST', path: /^\/depots\/([^/]+)\/counts$/, scope: write },
      answer: (_, account, [id]) => {
        if (within(account, id) === undefined) return unknown;
        count += 1;
        account.counts.set(String(count), 0);
        return { status: 202, headers: { location: `/api/counts/${count}`, 'retry-after': '2' } };
      },
    },
    {
      ...{ method: 'GET', path: /^\/counts\/([^/]+)$/, scope: read },
      answer: (_, { counts }, [id = '']) => {
        const reads = counts.get(id);
        if (reads === undefined) return unknown;
        seconds += 4;
        counts.set(id, reads + 1);
        const phase = ['waiting', 'waiting', 'counting'][reads] ?? 'closed';
        const isOver = phase === 'closed';
        const progress = { phase, over: isOver, ...(isOver && { sum: 7 }) };
        const body = {
          count_id: Number(id),
          due: clock(30 - 4 * reads).toISOString(),
          progress,
          ...(isOver && { missing: 0 }),
        };
        return { status: 200, headers: { date: clock().toUTCString() }, body };
      },
    },
    {
      ...{ method: 'GET', path: /^\/labels\/([^/]+)$/, scope: read },
      answer: (_, { labels }, [label = '']) => (labels.has(label) ? { status: 200, body: labels.get(label) } : unknown),
    },
    {
      ...{ method: 'PUT', path: /^\/labels\/([^/]+)$/, scope: write },
      answer: ({ body }, { labels }, [label = '']) => {
        const status = labels.has(label) ? 200 : 201;
        labels.set(label, { text: '', ...JSON.parse(body) });
        return { status, body: labels.get(label) };
      },
    },
  ];
  return (request) => {
    const path = request.path.replace(/^\/api/, '');
    const here = routes.filter((one) => one.path.test(path));
    const route = here.find(({ method }) => method === (request.method === 'HEAD' ? 'GET' : request.method));
    if (here.length === 0) return unknown;
    if (route === undefined)
      return { status: 405, headers: { allow: here.map(({ method }) => method).join(', ') }, body: { error: 'no' } };
    const reject = (status: number, error: string): TestAnswer => ({
      ...{ status, body: { error } },
      headers: { 'www-authenticate': 'Bearer' },
    });
    const [session, token] = [sessionOf(request), tokenOf(request)];
    const name = route.isEither ? (session ?? token?.sub) : session === token?.sub ? session : undefined;
    const account = name === undefined ? undefined : accounts[name];
    if (account === undefined) return reject(401, 'who?');
    const isByToken = route.isEither !== true || session === undefined;
    if (isByToken && token?.scopes.includes(route.scope) !== true) return reject(403, 'no scope');
    const validated = validate({ ...request, path });
    if ('fault' in validated) return { status: rejections[validated.fault], body: { error: validated.reason } };
    const body = JSON.stringify(validated.content ?? {});
    return route.answer({ ...request, body }, account, route.path.exec(path)?.slice(1) ?? []);
  };
}

function tagOf(parcel: Parcel): string {
  return `"${createHmac('sha256', '').update(JSON.stringify(parcel)).digest('hex').slice(0, 12)}"`;
}

function isStale(headers: TestRequest['headers'], parcel: Parcel): boolean {
  if (headers['if-none-match'] === '*') return true;
  return headers['if-match'] !== undefined && headers['if-match'] !== tagOf(parcel);
}

function sessionOf({ headers }: TestRequest): string | undefined {
  const [, sid] = /(?:^|; )sid=([^;]*)/.exec(headers.cookie ?? '') ?? [];
  return Object.values(depotAccounts).find(({ session }) => session === sid)?.name;
}

function tokenOf({ headers }: TestRequest): { readonly sub: string; readonly scopes: readonly string[] } | undefined {
  const [, head = '', body = '', signature] =
    /^bearer ([^.]+)\.([^.]+)\.([^.]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (signature === undefined || signatureOf(`${head}.${body}`) !== signature) return undefined;
  const { sub, scope, exp } = JSON.parse(Buffer.from(body, 'base64url').toString());
  return exp > 1_700_000_000 ? { sub, scopes: scope.split(' ') } : undefined;
}
