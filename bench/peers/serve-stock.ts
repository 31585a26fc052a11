// The same service of stock parts: Express, helmet, jose, express-openapi-validator, pino, as somebody wires them who wants what ours does.
// The token is verified with its scope, revocation is read for every request, the request is held against the contract, the cursor sealed,
// each request logged. jose keeps the key set; nobody keeps verified tokens.
import { createCipheriv, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { middleware as validate } from 'express-openapi-validator';
import helmet from 'helmet';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { pino } from 'pino';
import { openDevices } from './devices.ts';
import { options, tellPort } from './peer.ts';

interface Locals {
  requestId: string;
  code?: string;
  accountId?: string;
  clientId?: string;
}
type Out = Response<unknown, Locals>;

class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const devices = openDevices(options.database, createSealedCursor(options.cursorLength));
const { database } = devices;
const findClient = database.prepare<[string], { disabled_at: number | null; tokens_valid_after: number | null }>(
  'select disabled_at, tokens_valid_after from oauth_client where client_id = ?',
);
const findAccount = database.prepare<
  [string],
  { disabled_at: number | null; tokens_valid_after: number | null; trial_ends_at: number | null }
>('select disabled_at, tokens_valid_after, trial_ends_at from account where id = ?');
const findGrant = database.prepare<[string]>('select 1 from revoked_grant where grant_id = ?');
const findOwner = database.prepare<[string], { account_id: string }>(
  'select account_id from owner where id = ? and disabled_at is null',
);
const keySet = createLocalJWKSet({ keys: options.jwks.keys.map((key) => ({ ...key })) } as never);
const logger = pino();
const scopesOf = new WeakMap<Request, ReadonlySet<string>>();

const app = express().disable('x-powered-by').disable('etag');
app.use((request: Request, response: Out, next: NextFunction) => {
  const startedAt = performance.now();
  const given = request.get('X-Request-Id') ?? '';
  const requestId = /^[\w-]{1,64}$/.test(given) ? given : randomUUID();
  response.locals.requestId = requestId;
  response.set({ 'X-Request-Id': requestId, 'API-Version': '1.0.0', 'Cache-Control': 'no-store' });
  response.once('close', () => {
    const { code, accountId: account, clientId: client } = response.locals;
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const { method, route } = request;
    logger.info(
      { requestId, method, route: route?.path, status: response.statusCode, code, ms, account, client },
      'request',
    );
  });
  next();
});
app.use(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] },
    },
  }),
);
app.use('/v1', authenticate);
app.use(
  validate({
    apiSpec: JSON.parse(readFileSync(options.contract, 'utf8')),
    validateRequests: { allowUnknownQueryParameters: false },
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
  }),
);
app.get('/v1/devices', requireScope('serviceapi/get-devices'), (request: Request, response: Out) => {
  response.json(devices.list(response.locals.accountId ?? '', Number(request.query.limit ?? 100)));
});
app.get('/v1/devices/:deviceId', requireScope('serviceapi/get-devices'), (request: Request, response: Out) => {
  const device = devices.find(response.locals.accountId ?? '', String(request.params.deviceId));
  if (device === undefined) throw new Refused(404, 'device_not_found', 'There is no such device.');
  response.json(device);
});
app.use((error: Partial<Refused>, _: Request, response: Out, _next: NextFunction) => {
  const { status = 500, code = status < 500 ? 'invalid_request' : 'internal' } = error;
  response.locals.code = code;
  const message = status < 500 ? error.message : 'Something went wrong.';
  response.status(status).json({ code, message, requestId: response.locals.requestId });
});

async function authenticate(request: Request, response: Out, next: NextFunction): Promise<void> {
  const [, token] = /^bearer +(\S+)$/i.exec(request.get('Authorization') ?? '') ?? [];
  if (token === undefined) throw new Refused(401, 'token_missing', 'An access token is needed.');
  const { payload } = await jwtVerify(token, keySet, {
    issuer: options.issuer,
    audience: options.audience,
    typ: 'at+jwt',
    algorithms: ['RS256'],
    clockTolerance: 5,
    requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id'],
  }).catch(() => {
    throw new Refused(401, 'token_invalid', 'The access token is not valid.');
  });
  const { iat = 0, client_id: clientId, own, gid } = payload;
  const accountId = typeof gid === 'string' ? readGrant(gid, payload.sub) : own;
  const client = typeof clientId === 'string' ? findClient.get(clientId) : undefined;
  const account = typeof accountId === 'string' ? findAccount.get(accountId) : undefined;
  const isGood =
    client?.disabled_at === null &&
    account?.disabled_at === null &&
    iat >= (client.tokens_valid_after ?? 0) &&
    iat * 1000 >= (account.tokens_valid_after ?? 0);
  if (!isGood) throw new Refused(401, 'token_revoked', 'The access token was revoked.');
  if (account.trial_ends_at !== null && account.trial_ends_at <= Date.now())
    throw new Refused(402, 'trial_ended', 'The trial is over.');
  response.locals.clientId = String(clientId);
  response.locals.accountId = String(accountId);
  scopesOf.set(request, new Set(String(payload.scope ?? '').split(' ')));
  next();
}

function readGrant(grantId: string, ownerId: string | undefined): string | undefined {
  return findGrant.get(grantId) === undefined ? findOwner.get(ownerId ?? '')?.account_id : undefined;
}

function requireScope(scope: string): RequestHandler {
  return (request, _, next) => {
    if (scopesOf.get(request)?.has(scope)) return next();
    throw new Refused(403, 'insufficient_scope', `The token lacks the scope ${scope}`);
  };
}

/** AES-256-GCM under one key; what it holds is filled up to the length of ours. */
function createSealedCursor(length: number): (lastDeviceId: string, lastName: string) => string {
  const key = randomBytes(32);
  const contentBytes = Math.floor(length * 0.75) - 12 - 16;
  return (deviceId, name) => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    const content = JSON.stringify({ deviceId, name }).padEnd(contentBytes);
    const sealed = [cipher.update(content), cipher.final()];
    return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString('base64url');
  };
}

const server = app.listen(options.port ?? 0, '127.0.0.1', () => tellPort(server));
