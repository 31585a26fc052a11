// Express and `pg` alone, on the database of ours: the same statements with the same values, prepared, from a pool of ten; no token, no check,
// no limit, no error shape, no log. Digits and ids of a code are given, where ours derives them. One process or several, by `node:cluster`.
import cluster from 'node:cluster';
import { randomBytes, randomUUID } from 'node:crypto';
import express, { type Response } from 'express';
import pg from 'pg';
import { createPlainCursor, describe, formatLocalTime, type Row } from './devices.ts';
import { type PostgresPeerOptions, tellPort } from './peer.ts';

const options: PostgresPeerOptions = JSON.parse(process.argv[2] ?? '{}');
const { sample, sent } = options;
type Name = keyof typeof sent;

if (cluster.isPrimary && options.processes > 1) {
  for (let number = 0; number < options.processes; number += 1) cluster.fork();
  let listening = 0;
  cluster.on('listening', () => {
    listening += 1;
    if (listening === options.processes) process.stdout.write(`${options.port}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
} else serve();

function serve(): void {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  };
  const pool = new pg.Pool({
    connectionString: options.database,
    max: 10,
    // As ours: a plan is made once, not for each run.
    options:
      '-c plan_cache_mode=force_generic_plan -c jit=off -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off',
    types: types as pg.CustomTypesConfig,
  });
  const seal = createPlainCursor(options.cursorLength);
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .use(express.json({ limit: '1mb' }));

  app.get('/v1/devices', async (request, response) => {
    const limit = Number(request.query.limit ?? 100);
    const { rows } = await pool.query<PairRow>(fill('page', [[51, limit + 1]]));
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const nextCursor = last === undefined ? '' : seal(last.device_id, last.name);
    answer(response, { payload: shown.map(describePairs), nextCursor });
  });
  app.get('/v1/devices/:deviceId', async (request, response) => {
    const { rows } = await pool.query<PairRow>(fill('device', [[sample.deviceId, request.params.deviceId]]));
    const [row] = rows;
    if (row === undefined) response.sendStatus(404);
    else answer(response, { ...describePairs(row), lastSync: formatLocalTime(row.last_sync_at, row.timezone) });
  });
  app.post('/v1/devices/:deviceId/algopin/hourly', async (request, response) => {
    const { deviceId } = request.params;
    const pinId = Buffer.from(deviceId.padStart(12)).toString('hex');
    const names = [
      [sample.pinId, pinId],
      [sample.deviceId, deviceId],
    ] as const;
    const { rows } = await pool.query<{ issuedAt: number }>(fill('code', names));
    answer(response, { ...options.code, pinId, issuedAt: new Date(rows[0]?.issuedAt ?? 0).toISOString() });
  });
  app.post('/v1/devices/:deviceId/jobs/bridges/:bridgeId', async (request, response) => {
    const { bridgeId, deviceId } = request.params;
    const jobId = randomBytes(12).toString('hex');
    const names = [
      [sample.bridgeId, bridgeId],
      [sample.deviceId, deviceId],
      [sample.jobId, jobId],
    ] as const;
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query(fill('lockBridge', names));
      await client.query(fill('job', names, Date.now() - sample.now));
      await client.query('commit');
    } finally {
      client.release();
    }
    answer(response, { jobId });
  });
  app.post('/v1/devices/:deviceId/activity', async (request, response) => {
    const { deviceId } = request.params;
    const now = Date.now();
    const values = (request.body.logsPayload as string[]).flatMap((item) => {
      const { payload } = JSON.parse(item);
      const { logType, entryDate } = JSON.parse(payload.log);
      const id = randomBytes(12).toString('hex');
      return [deviceId, entryDate * 1000, id, now, 'UNLOCK', 'pin', logType, null, null, null, '{}'];
    });
    const accepted = values.length / 11;
    await pool.query({ name: 'push', text: sent.push.sql, values });
    answer(response, { message: `${accepted} entries stored`, accepted, rejected: [] });
  });

  const server = app.listen(options.port, '127.0.0.1', () => {
    if (options.processes === 1) tellPort(server);
  });
}

/** The statement with other values in the place of those of the sample; times move by so much. */
function fill(name: Name, replaced: readonly (readonly [from: unknown, to: unknown])[], later = 0): pg.QueryConfig {
  const { sql, parameters } = sent[name];
  const values = parameters.map((value) => {
    const found = replaced.find(([from]) => from === value);
    if (found !== undefined) return found[1];
    if (typeof value === 'number' && value > 1e12) return value + later;
    return typeof value === 'object' && value !== null ? Buffer.from(value.bytes, 'base64') : value;
  });
  return { name, text: sql, values };
}

/** Lists come as pairs. */
interface PairRow extends Omit<Row, 'properties'> {
  readonly places: string;
}

function describePairs({ places, linked, ...row }: PairRow) {
  const properties = (JSON.parse(places) as [number, string][]).sort(([one], [other]) => one - other);
  const devices = (JSON.parse(linked) as [string, string][]).sort(([one], [other]) => (one < other ? -1 : 1));
  return describe({
    ...row,
    properties: JSON.stringify(properties.map(([, propertyId]) => propertyId)),
    linked: JSON.stringify(devices.map(([deviceId, type]) => ({ deviceId, type }))),
  });
}

function answer(response: Response, body: unknown): void {
  response.set({ 'X-Request-Id': randomUUID(), 'API-Version': '1.0.0', 'Cache-Control': 'no-store' }).json(body);
}
