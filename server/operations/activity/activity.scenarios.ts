import type { Scenarios } from '../fixtures/scenario.ts';

export const scenarios: Scenarios = {
  getDeviceActivity: [
    {
      name: 'a range with its end before its start',
      status: 400,
      code: 'range_reversed',
      query: '?startDate=2026-11-20&endDate=2026-11-19',
    },
  ],
  pushDeviceActivity: [
    { name: 'only unreadable items', status: 400, code: 'log_unreadable', body: { logsPayload: ['rubbish'] } },
  ],
};
