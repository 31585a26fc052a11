import type { Scenarios } from '../fixtures/scenario.ts';

export const scenarios: Scenarios = {
  createBridgeProxiedJob: [
    {
      name: 'LOCK for a keypad',
      status: 400,
      code: 'job_not_supported',
      ids: { deviceId: 'KP1A00000001' },
      body: { jobType: 'LOCK' },
    },
    { name: "another bridge's device", status: 400, code: 'not_linked', ids: { deviceId: 'LK2A00000004' } },
    {
      name: 'a code with its end before its start',
      status: 400,
      code: 'window_length',
      body: {
        jobType: 'CREATE_PIN',
        jobData: {
          accessName: 'Cleaner',
          pin: '246810',
          pinType: 4,
          startDate: '2026-11-21T12:00:00Z',
          endDate: '2026-11-21T11:00:00Z',
        },
      },
    },
  ],
};
