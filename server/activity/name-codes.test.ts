import { expect, test } from 'vitest';
import type { AccessCode } from '../store/access-codes/access-code-store.ts';
import type { NewActivity } from '../store/activity/activity-store.ts';
import { nameCodes } from './name-codes.ts';

const entry: NewActivity = {
  id: 'a'.repeat(24),
  deviceId: 'LK1',
  at: 0,
  receivedAt: 0,
  type: 'UNLOCK',
  method: 'pin',
  rawType: 18,
  firstUse: null,
  pinId: null,
  accessName: null,
  details: '{}',
};
const code: AccessCode = {
  pinId: 'cleaner',
  deviceId: 'LK1',
  generation: 1,
  kind: 'permanent',
  startsAt: 0,
  endsAt: null,
  activateBy: 1,
  variance: 1,
  durationHours: null,
  accessName: 'Cleaner',
  issuedAt: 0,
};
const codes = [
  code,
  { ...code, pinId: 'party', accessName: 'Party', kind: 'passage', durationHours: 3 } as const,
  { ...code, pinId: 'foreign', deviceId: 'LK2' },
];

const cases = [
  { name: 'of a code', given: { pinId: 'cleaner' }, want: { pinId: 'cleaner', accessName: 'Cleaner', details: '{}' } },
  { name: 'without a code', given: {}, want: { pinId: null, accessName: null } },
  { name: 'of a code that was never issued', given: { pinId: 'wrong' }, want: { pinId: null, accessName: null } },
  { name: "of another device's code", given: { pinId: 'foreign' }, want: { pinId: null, accessName: null } },
  {
    name: 'of a passage',
    given: { pinId: 'party', type: 'PASSAGE_STARTED' },
    want: { accessName: 'Party', details: '{"hours":3}' },
  },
  { name: 'of a passage code that unlocks', given: { pinId: 'party' }, want: { accessName: 'Party', details: '{}' } },
  {
    name: 'of a passage by a code without hours',
    given: { pinId: 'cleaner', type: 'PASSAGE_STARTED' },
    want: { accessName: 'Cleaner', details: '{}' },
  },
];

test.each(cases)('an entry $name', async ({ given, want }) => {
  const findAll = async (pinIds: readonly string[]) => codes.filter(({ pinId }) => pinIds.includes(pinId));
  expect(await nameCodes({ findAll }, [{ ...entry, ...given }])).toEqual([expect.objectContaining(want)]);
});

test('looks up all codes at once, each once, and none if there is none', async () => {
  const asked: (readonly string[])[] = [];
  const findAll = async (pinIds: readonly string[]) => {
    asked.push(pinIds);
    return [];
  };
  await nameCodes({ findAll }, [entry, { ...entry, pinId: 'x' }, { ...entry, pinId: 'y' }, { ...entry, pinId: 'x' }]);
  await nameCodes({ findAll }, [entry, entry]);
  expect(asked).toEqual([['x', 'y']]);
});
