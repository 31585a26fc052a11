import type { Scenarios } from '../fixtures/scenario.ts';

export const scenarios: Scenarios = {
  updateDevice: [{ name: 'a bridge', status: 400, code: 'no_battery', ids: { deviceId: 'BR1A00000001' } }],
};
