import { defineHandlers, definePart, type Handler, type Handlers, type Responses } from '@lockstep/contract/handlers';
import type { components } from '@lockstep/contract/types';

// Read by `npm run types` alone. Each line under @ts-expect-error is a mistake that must not compile;
// where one does, TypeScript reports the unused directive.

interface Account {
  readonly id: string;
}

type Job = components['schemas']['Job'];
declare const job: Job;
declare const device: Responses['getDevice'] & { status: 200 };
const created = { jobId: '6920f3a2b1c4d5e6f7a8b9c0' };

// Every operation.
declare const written: Handlers<Account>;
defineHandlers<Account>()({ ...written });
defineHandlers<Account>()({
  ...written,
  getJobStatus: async ({ path, principal }) => {
    path.jobId satisfies string;
    principal.id satisfies string;
    return { status: 200, body: job };
  },
});

// A forgotten operation.
const { getDevice: _, ...withoutDevice } = written;
// @ts-expect-error getDevice is missing
defineHandlers<Account>()(withoutDevice);
// @ts-expect-error getDevice is missing
({ ...withoutDevice }) satisfies Handlers<Account>;

// A part has the operations whose handlers it is given, and no others.
const part = definePart<Account>()({ getDevice: written.getDevice, getJwks: (request) => written.getJwks(request) });
part satisfies Handlers<Account, 'getDevice' | 'getJwks'>;
// @ts-expect-error getJobStatus is in no part
defineHandlers<Account, 'getDevice' | 'getJobStatus'>()({ ...part });
definePart<Account>()({
  // @ts-expect-error no operation is called that
  getDevise: written.getDevice,
});
// @ts-expect-error a handler is a function
definePart<Account>()({ getDevice: undefined });

// A status that the operation doesn't declare, and one that no contract declares.
definePart()({
  // @ts-expect-error 418 belongs to the algoPIN operations
  getDevice: () => ({ status: 418, body: device.body }),
});
definePart()({
  // @ts-expect-error 501 belongs to no operation
  getDevice: () => ({ status: 501, mediaType: 'application/json', body: { message: 'x', code: 'not_implemented' } }),
});

// An answer is built step by step. What a handler is given is nobody's to change.
definePart()({
  getJobStatus: () => {
    const built: Job = { ...job };
    built.status = 'queued';
    if (built.jobResponse) built.jobResponse = { ...built.jobResponse };
    return { status: 200, body: built };
  },
  updateDevice: ({ body }) => {
    // @ts-expect-error it is read-only
    body.batteryLevel = '5';
    return { status: 200, body: { message: 'device updated' } };
  },
});

// A required header left out, misspelt, of the wrong type.
declare const busy: (Responses['createBridgeTargetedJob'] & { status: 429 })['body'];
definePart()({
  createBridgeTargetedJob: () => ({ status: 429, headers: { 'Retry-After': 17 }, body: busy }),
});
definePart()({
  // @ts-expect-error Retry-After is missing
  createBridgeTargetedJob: () => ({ status: 429, body: busy }),
});
definePart()({
  // @ts-expect-error Retry-After is a number of seconds
  createBridgeTargetedJob: () => ({ status: 429, headers: { 'Retry-After': 'soon' }, body: busy }),
});
definePart()({
  // @ts-expect-error X-Made-Up is not declared
  createBridgeTargetedJob: () => ({ status: 200, headers: { 'X-Made-Up': 'a' }, body: created }),
});

// A field that the body doesn't declare: at the top, deep inside, in an item of a list, behind a promise, in a variable.
definePart()({
  // @ts-expect-error queue is not declared
  createBridgeTargetedJob: () => ({ status: 200, body: { ...created, queue: 3 } }),
});
definePart()({
  // @ts-expect-error secret is not declared
  getJobStatus: async () => ({ status: 200, body: { ...job, jobResponse: { ...job.jobResponse, secret: 'x' } } }),
});
definePart()({
  // @ts-expect-error owner is not declared
  getDevices: async () => ({ status: 200, body: { payload: [{ ...device.body, owner: 'x' }], nextCursor: '' } }),
});
const row = { ...created, internal: 1 };
definePart()({
  // @ts-expect-error internal is not declared
  createBridgeTargetedJob: async () => ({ status: 200, body: row }),
});

// A field of the wrong type or left out.
definePart()({
  // @ts-expect-error jobId is a string
  createBridgeTargetedJob: () => ({ status: 200, body: { jobId: 7 } }),
});
definePart()({
  // @ts-expect-error jobId is missing
  createBridgeTargetedJob: () => ({ status: 200, body: {} }),
});

// The request id is filled in around the handlers.
definePart()({
  getDevice: () => ({ status: 404, body: { message: 'not found device', code: 'device_not_found' } }),
});
definePart()({
  // @ts-expect-error no handler knows it
  getDevice: () => ({ status: 404, body: { message: 'not found device', code: 'device_not_found', requestId: 'a' } }),
});

// The wrong media type.
definePart()({
  // @ts-expect-error answers are JSON
  createBridgeTargetedJob: () => ({ status: 200, mediaType: 'text/plain', body: created }),
});

// The request: parsed, defaults filled in, anonymous if the contract allows it.
((request) => {
  request.body.variance satisfies number;
  request.body.accessName satisfies string;
  request.path.deviceId satisfies string;
  // @ts-expect-error endDate belongs to daily and hourly codes
  request.body.endDate;
  // @ts-expect-error no query is declared
  request.query.limit;
  return written.createOneTimeAlgoPin(request);
}) satisfies Handler<'createOneTimeAlgoPin', Account>;
((request) => {
  request.principal satisfies undefined;
  return written.getJwks(request);
}) satisfies Handler<'getJwks', Account>;

// Requests are read-only at any depth, lists too. An answer may contain lists that its handler keeps.
((request) => {
  // @ts-expect-error the body belongs to nobody
  request.body.logsPayload = [];
  // @ts-expect-error nor do its lists
  request.body.logsPayload?.push('{}');
  return written.pushDeviceActivity(request);
}) satisfies Handler<'pushDeviceActivity', Account>;
declare const kept: readonly components['schemas']['Device'][];
definePart()({
  getDevices: () => ({ status: 200, body: { payload: kept, nextCursor: '' } }),
});

// Nothing has become `any`: each of these would compile if it had.
declare const anyRequest: Parameters<Handler<'getDevices', Account>>[0];
// @ts-expect-error limit is a number
anyRequest.query.limit satisfies string;
// @ts-expect-error deviceName is a string
device.body.deviceName satisfies number;
// @ts-expect-error an account has no name
anyRequest.principal.name;
