import type { OperationId, operations as table } from '@lockstep/contract/operations';
import type { components, operations, paths } from '@lockstep/contract/types';
import createClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';

// Read by `npm run types` alone: an integrator may give the generated types to openapi-fetch. Each line under @ts-expect-error is a mistake that must not compile.

type Schemas = components['schemas'];

const client = createClient<paths>({ baseUrl: 'http://localhost:8080/v1' });
/** The OAuth server is next to `/v1`, not below it. */
const baseUrl = 'http://localhost:8080/auth';

const deviceId = 'LK2A00000001';
const bridgeId = 'BR1A00000001';
const code = { accessName: 'Cleaner', startDate: '2026-11-20T10:00:00Z', variance: 1 };
const page = { limit: 50, cursor: 'EXAMPLE-CURSOR-PAGE-2' };
const devices = { ...page, sort: '-deviceName', type: 'Lock', search: 'front', expand: 'linkedDevices' } as const;
const header = { 'Idempotency-Key': '7d1f9c52' };

/** A list made elsewhere, item by item, as a program has it. */
declare const logsPayload: (string | Schemas['ActivityLogItem'])[];

// Calls as an integrator writes them: every place of a parameter, and each kind of body.
const calls = {
  getDevices: () => client.GET('/devices', { params: { query: devices } }),
  getDevice: () => client.GET('/devices/{deviceId}', { params: { path: { deviceId }, query: { admin_key: '1' } } }),
  updateDevice: () => client.PUT('/devices/{deviceId}', { params: { path: { deviceId } }, body: { batteryLevel: 80 } }),
  createOneTimeAlgoPin: () =>
    client.POST('/devices/{deviceId}/algopin/onetime', { params: { path: { deviceId } }, body: code }),
  createBridgeProxiedJob: () =>
    client.POST('/devices/{deviceId}/jobs/bridges/{bridgeId}', {
      params: { path: { deviceId, bridgeId }, header },
      body: { jobType: 'CREATE_PIN', jobData: { accessName: 'Cleaner', pin: '246810', pinType: 2 } },
    }),
  getDeviceActivity: () =>
    client.GET('/devices/{deviceId}/activity', {
      params: {
        path: { deviceId },
        query: { ...page, startDate: '2026-11-20T10:00:00Z', locale: 'en', sort: '-activityTimeAt' },
      },
    }),
  pushDeviceActivity: () =>
    client.POST('/devices/{deviceId}/activity', { params: { path: { deviceId } }, body: { logsPayload } }),
  exchangeToken: () => client.POST('/oauth2/token', { baseUrl, body: { grant_type: 'client_credentials' } }),
  getOpenIdConfiguration: () => client.GET('/.well-known/openid-configuration', { baseUrl }),
  getJwks: () => client.GET('/.well-known/jwks.json', { baseUrl }),
};

// The rest holds for every operation, and for a new one by itself: the client's own types at the path and method of the operation
// table. The samples of the reference, one for each operation, are checked against these types too: test/code-samples.
type At<Node, Key> = Key extends keyof Node ? Node[Key] : never;
type Item<Id extends OperationId> = At<paths, (typeof table)[Id]['path']>;
type Called<Id extends OperationId> = At<Item<Id>, (typeof table)[Id]['method']>;
type Init<Id extends OperationId> = NonNullable<
  MaybeOptionalInit<Item<Id>, (typeof table)[Id]['method'] & keyof Item<Id>>
>;
type Answer<Id extends OperationId> =
  Called<Id> extends infer Operation extends Readonly<Record<'responses', unknown>>
    ? FetchResponse<Operation, Init<Id>, `${string}/${string}`>
    : never;
type Read<Given, Member extends string> =
  Given extends Readonly<Record<Member, infer Value>> ? NonNullable<Value> : never;
type Data<Id extends OperationId> = Read<Answer<Id>, 'data'>;
type Fault<Id extends OperationId> = Read<Answer<Id>, 'error'>;

/** The body that a response declares; nobody gets one where it declares none. */
type BodyOf<Response> = Response extends { content: infer Content }
  ? NonNullable<Content>[keyof NonNullable<Content>]
  : never;
type Declared<Id extends OperationId> = operations[Id]['responses'];
type DeclaredData<Id extends OperationId> = BodyOf<Declared<Id>[200 & keyof Declared<Id>]>;
type DeclaredBody<Id extends OperationId> = operations[Id] extends { requestBody: infer Body } ? BodyOf<Body> : never;
type DeclaredFault<Id extends OperationId> = BodyOf<Declared<Id>[Exclude<keyof Declared<Id>, 200>]>;

/** Each fits the other, and `any` is neither: it would fit everything. */
type Same<A, B> = 0 extends 1 & A ? 'any' : [A] extends [B] ? ([B] extends [A] ? true : 'less') : 'other';

/** Each declared value is accepted, and none where none is declared. `Writable` of openapi-fetch spells a choice otherwise, so they aren't the same. */
type Takes<Accepted, Declared> = unknown extends Accepted
  ? 'anything'
  : [Declared] extends [never]
    ? Same<Accepted, Declared>
    : [Declared] extends [Accepted]
      ? true
      : 'less';

// Parameters, request bodies, data and error bodies are those that the contract declares.
declare const parameters: {
  readonly [Id in OperationId]: Same<NonNullable<Init<Id>['params']>, operations[Id]['parameters']>;
};
parameters satisfies Readonly<Record<OperationId, true>>;
declare const bodies: { readonly [Id in OperationId]: Takes<NonNullable<Init<Id>['body']>, DeclaredBody<Id>> };
bodies satisfies Readonly<Record<OperationId, true>>;
declare const data: { readonly [Id in OperationId]: Same<Data<Id>, DeclaredData<Id>> };
data satisfies Readonly<Record<OperationId, true>>;
declare const faults: { readonly [Id in OperationId]: Same<Fault<Id>, DeclaredFault<Id>> };
faults satisfies Readonly<Record<OperationId, true>>;

// It is read as any value of one's own: lists have their calls, text is text.
const { data: list, error } = await calls.getDevices();
if (list !== undefined) {
  list.nextCursor satisfies string;
  list.payload.map(({ deviceName }) => deviceName.toUpperCase()) satisfies string[];
  list.payload.flatMap(({ homeId }) => homeId) satisfies string[];
  for (const device of list.payload) {
    device.type satisfies string;
    device.linkedDevices.length satisfies number;
  }
  list.payload[0] satisfies Schemas['Device'] | undefined;
  // @ts-expect-error a device has no owner
  list.payload[0]?.owner;
  // @ts-expect-error deviceName is a string
  list.payload[0]?.deviceName satisfies number | undefined;
  // The page is the client's.
  list.nextCursor = '';
}
if (error !== undefined) {
  error.code satisfies string;
  if ('details' in error) error.details.map(({ at, nearest }) => `${at}: ${nearest.join()}`) satisfies string[];
  // @ts-expect-error an error has no status
  error.status;
}
const { data: log } = await calls.getDeviceActivity();
log?.payload.filter(({ activityType, method }) => activityType === 'UNLOCK' && method.startsWith('p'));
const { data: pushed } = await calls.pushDeviceActivity();
pushed?.rejected.map(({ index, error: why }) => `${index}: ${why}`) satisfies string[] | undefined;
const { data: keys } = await calls.getJwks();
keys?.keys.find(({ kid }) => kid === 'a')?.alg satisfies 'RS256' | undefined;
const { data: configuration } = await calls.getOpenIdConfiguration();
configuration?.scopes_supported.includes('openid') satisfies boolean | undefined;

// A request that the contract does not describe. (One hole is openapi-fetch's own: it takes further members of a body.)
// @ts-expect-error there is no such path
client.GET('/gates');
// @ts-expect-error this path is not deleted
client.DELETE('/devices/{deviceId}', { params: { path: { deviceId } } });
// @ts-expect-error deviceId is missing
client.GET('/devices/{deviceId}', { params: { path: {} } });
// @ts-expect-error limit is a number
client.GET('/devices', { params: { query: { limit: '50' } } });
// @ts-expect-error there is no parameter colour
client.GET('/devices', { params: { query: { colour: 'red' } } });
// @ts-expect-error the body is missing
client.POST('/oauth2/revoke', { baseUrl });
// @ts-expect-error batteryLevel is a number or its digits
client.PUT('/devices/{deviceId}', { params: { path: { deviceId } }, body: { batteryLevel: true } });
client.POST('/devices/{deviceId}/algopin/onetime', {
  params: { path: { deviceId } },
  // @ts-expect-error variance is a number
  body: { ...code, variance: '1' },
});
client.POST('/devices/{deviceId}/activity', {
  params: { path: { deviceId } },
  // @ts-expect-error an item is text or an object
  body: { logsPayload: [7] },
});
