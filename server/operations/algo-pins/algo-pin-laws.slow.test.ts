import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { opensInItsWindow, openZones, requests } from './fixtures/code-laws.ts';

const fixture = await openZones();
afterAll(() => fixture.store.close());

test('10,000 random codes, in every zone, open in their window and a second outside it do not', () =>
  fc.assert(
    fc.asyncProperty(requests, (request) => opensInItsWindow(fixture, request)),
    { numRuns: 10_000 },
  ));
