import { definePart, type Responses } from '@lockstep/contract/handlers';
import { type RejectionAnswer, reject } from './error-catalogue.ts';
import type { Principal } from './principal.ts';

// Read by `npm run types` alone. Each line under @ts-expect-error is a mistake that must not compile;
// if one does, TypeScript reports the unused directive.

declare const device: Responses['getDevice'] & { status: 200 };

definePart<Principal>()({
  getDevice: async ({ path }) => {
    if (path.deviceId === 'a') return reject('device_not_found');
    if (path.deviceId === 'b') return reject('no_timezone', { text: 'The property has no timezone' });
    const nearest = ['linkedDevices'];
    if (path.deviceId === 'c')
      return reject('invalid_request', { text: 'no', details: [{ in: 'query', at: 'expand', says: 'no', nearest }] });
    if (path.deviceId === 'd') return reject('unavailable', { headers: { 'Retry-After': 1 } });
    return { status: 200, body: device.body };
  },
});
definePart()({
  // @ts-expect-error 418 belongs to the algoPIN operations
  getDevice: () => reject('algopin_not_supported'),
});
definePart()({
  // @ts-expect-error 406 belongs to the jobs
  getDevice: async ({ path }) => (path.deviceId === 'a' ? reject('device_not_found') : reject('bridge_offline')),
});

reject('device_not_found') satisfies { status: 404; body: { message: string; code: 'device_not_found' } };
reject('bridge_rate', { headers: { 'Retry-After': 17 } }) satisfies { status: 429; headers: { 'Retry-After': number } };
// @ts-expect-error the body of a 404 has `message`
reject('device_not_found').body.error;
// @ts-expect-error a 429 has `Retry-After`
reject('bridge_rate');
// @ts-expect-error in seconds, as a number
reject('bridge_rate', { headers: { 'Retry-After': '17' } });
// @ts-expect-error a 404 has no details
reject('device_not_found', { details: [] });
// @ts-expect-error there is no such code
reject('device_lost');
// @ts-expect-error a rejection is not just any status
({ status: 200, body: { message: '', code: 'device_not_found' } }) satisfies RejectionAnswer<'device_not_found'>;
