import { expect, test } from 'vitest';
import { readRecorder } from '../foreign/run-tools.ts';
import { detectionsOf } from './tools.ts';

/** A line of the peer's events: two requests, of which the one sent later failed. */
const scenario = (seconds: number, type: string): string =>
  JSON.stringify({
    ScenarioFinished: {
      recorder: {
        cases: {
          a: { value: { method: 'POST', path: '/kites' } },
          b: { value: { method: 'GET', path: '/kites/{kite}' } },
        },
        checks: {
          a: [{ name: 'not_a_server_error', status: 'success' }],
          b: [
            {
              name: 'status_code_conformance',
              status: 'failure',
              failure_info: { failure: { type, message: 'Received: 418\nDocumented: 200' } },
            },
          ],
        },
        interactions: {
          b: { timestamp: seconds + 0.5, response: { status_code: 418 } },
          a: { timestamp: seconds, response: { status_code: 201 } },
        },
      },
    },
  });

test('reports of the peer get the number and the time of their request, and equal ones count once', () => {
  const lines = [
    '{"EngineStarted":{}}',
    scenario(2000, 'UndefinedStatusCode'),
    scenario(1000, 'UndefinedStatusCode'),
    scenario(3000, 'Other'),
  ];
  const common = { check: 'status_code_conformance', severity: 'defect', operation: 'GET /kites/{kite}' };
  expect(detectionsOf(lines.map(readRecorder), 900_000)).toEqual([
    { ...common, place: 'UndefinedStatusCode 418 Received: 0', atRequest: 2, atMs: 100_500 },
    { ...common, place: 'Other 418 Received: 0', atRequest: 6, atMs: 2_100_500 },
  ]);
});
