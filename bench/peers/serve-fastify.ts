// Fastify alone, with its schemas: parameters are checked by them, and answers written by the serializer that it makes of them.
import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { createPlainCursor, openDevices } from './devices.ts';
import { options, tellPort } from './peer.ts';

const { accountId } = options;
const devices = openDevices(options.database, createPlainCursor(options.cursorLength));

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const fields = {
  id: text,
  deviceId: text,
  deviceName: text,
  type: text,
  homeId: { type: 'array', items: text },
  pairedAt: text,
  batteryLevel: { type: 'integer' },
  online: { type: 'boolean' },
  timezone: textOrNull,
  bridgeId: textOrNull,
  capabilities: {
    type: 'object',
    required: ['algoPin', 'passagePin'],
    properties: { algoPin: { type: 'boolean' }, passagePin: { type: 'boolean' } },
  },
  linkedDevices: {
    type: 'array',
    items: { type: 'object', required: ['deviceId', 'type'], properties: { deviceId: text, type: text } },
  },
} as const;
// Its serializer writes what is required first. The devices of the bench all have a battery level, so that the order is that of ours.
const required = Object.keys(fields).filter((name) => name !== 'online');
const device = { type: 'object', required, properties: fields };
const wholeDevice = { ...device, required: [...required, 'lastSync'], properties: { ...fields, lastSync: text } };

const app = fastify();
app.addHook('onRequest', async (_, reply) => {
  reply.headers({ 'X-Request-Id': randomUUID(), 'API-Version': '1.0.0', 'Cache-Control': 'no-store' });
});
app.get<{ Querystring: { readonly limit: number } }>(
  '/v1/devices',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { limit: { type: 'integer', minimum: 1, maximum: 300, default: 100 } },
      },
      response: {
        200: { type: 'object', properties: { payload: { type: 'array', items: device }, nextCursor: text } },
      },
    },
  },
  async ({ query }) => devices.list(accountId, query.limit),
);
app.get<{ Params: { readonly deviceId: string } }>(
  '/v1/devices/:deviceId',
  { schema: { response: { 200: wholeDevice } } },
  async ({ params }, reply) => devices.find(accountId, params.deviceId) ?? reply.code(404).send(),
);

await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
tellPort(app.server);
