// Express alone on the same SQLite file: the same query, the same fields, the same bytes; no token, no check, no error shape, no log.
import { randomUUID } from 'node:crypto';
import express, { type Response } from 'express';
import { createPlainCursor, openDevices } from './devices.ts';
import { options, tellPort } from './peer.ts';

const { accountId } = options;
const devices = openDevices(options.database, createPlainCursor(options.cursorLength));
const app = express().disable('x-powered-by').disable('etag');

app.get('/v1/devices', (request, response) => {
  answer(response, devices.list(accountId, Number(request.query.limit ?? 100)));
});
app.get('/v1/devices/:deviceId', (request, response) => {
  const device = devices.find(accountId, request.params.deviceId);
  if (device === undefined) response.sendStatus(404);
  else answer(response, device);
});

function answer(response: Response, body: unknown): void {
  response.set({ 'X-Request-Id': randomUUID(), 'API-Version': '1.0.0', 'Cache-Control': 'no-store' }).json(body);
}

const server = app.listen(options.port ?? 0, '127.0.0.1', () => tellPort(server));
