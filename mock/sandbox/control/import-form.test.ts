import { createSchemaCompiler } from '@lockstep/runtime/validation/compile-schema';
import { readImportFile } from '@lockstep/server/commands/import-schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import contract from './generated/contract.gen.json' with { type: 'json' };

// The control accepts files in the format of `lockstep-server import`. Its contract specifies that format a second time.

const validate = createSchemaCompiler(contract)({ $ref: '#/components/schemas/ImportFile' });

const isTakenByControl = (file: unknown): boolean => validate(file) === undefined;
const isTakenByImport = (file: unknown): boolean => readImportFile(Buffer.from(JSON.stringify(file))).kind === 'file';

const account = { id: 'demo', name: 'Harbour View' };
const id = '66f0c2a4b1d3e5f708192a3b';
const device = { deviceId: 'LK1', deviceName: 'Front door', type: 'Lock' };
const withDevice = (change: object) => ({ account, devices: [{ ...device, ...change }] });

test.each<{ name: string; file: unknown; want: boolean }>([
  { name: 'an account alone', file: { account }, want: true },
  {
    name: 'everything',
    file: {
      account,
      properties: [{ id, name: 'Harbour 1', timezone: null }],
      devices: [
        {
          ...device,
          id,
          properties: [id],
          links: ['KP1'],
          capabilities: { algoPin: true, passagePin: false },
          batteryLevel: 100,
          online: false,
          pairedAt: '2026-01-15T09:30:00+01:00',
        },
      ],
    },
    want: true,
  },
  { name: 'no account', file: {}, want: false },
  { name: 'a list', file: [], want: false },
  { name: 'an unknown member', file: { account, device: [] }, want: false },
  { name: 'an id with a slash', file: { account: { ...account, id: 'a/b' } }, want: false },
  { name: 'an id of 65 letters', file: { account: { ...account, id: 'a'.repeat(65) } }, want: false },
  { name: 'an empty name', file: { account: { ...account, name: '' } }, want: false },
  {
    name: 'a name of 100 letters beyond the first plane',
    file: { account: { ...account, name: '🔑'.repeat(100) } },
    want: true,
  },
  { name: 'a name with a line break', file: { account: { ...account, name: 'a\nb' } }, want: false },
  { name: 'a name with half of a pair', file: { account: { ...account, name: '\ud83d' } }, want: false },
  { name: 'an empty timezone', file: { account, properties: [{ id, name: 'H', timezone: '' }] }, want: true },
  { name: 'a deviceId of 31 letters', file: withDevice({ deviceId: 'a'.repeat(31) }), want: false },
  { name: 'an unknown type', file: withDevice({ type: 'lock' }), want: false },
  { name: 'a property twice', file: withDevice({ properties: [id, id] }), want: false },
  { name: 'a link twice', file: withDevice({ links: ['KP1', 'KP1'] }), want: false },
  { name: 'an unknown capability', file: withDevice({ capabilities: { bluetooth: true } }), want: false },
  { name: 'a battery level of 101', file: withDevice({ batteryLevel: 101 }), want: false },
  { name: 'a battery level in text', file: withDevice({ batteryLevel: '87' }), want: false },
  { name: 'a day without a time', file: withDevice({ pairedAt: '2026-01-15' }), want: false },
  { name: 'a time without an offset', file: withDevice({ pairedAt: '2026-01-15T09:30:00' }), want: false },
])('$name is taken by both or by neither: $want', ({ file, want }) => {
  expect([isTakenByControl(file), isTakenByImport(file)]).toEqual([want, want]);
});

/** Values on both sides of the limits of the format. */
const some = {
  name: fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constant('a'.repeat(101)),
  ),
  objectId: fc.oneof(fc.constant(id), fc.stringMatching(/^[0-9a-gA]{23,25}$/)),
  deviceId: fc.oneof(fc.constant('LK1'), fc.stringMatching(/^[A-Za-z_ -]{0,31}$/)),
};
const anything = fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.jsonValue() });
const orAnything = <Value>(good: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 30, arbitrary: good }, { weight: 1, arbitrary: fc.jsonValue() });

const files = fc.record(
  {
    account: orAnything(fc.record({ id: orAnything(some.deviceId), name: orAnything(some.name) })),
    properties: orAnything(
      fc.array(
        fc.record(
          { id: orAnything(some.objectId), name: some.name, timezone: fc.constantFrom(null, '', 'UTC', 1) },
          { requiredKeys: ['id', 'name'] },
        ),
        { maxLength: 2 },
      ),
    ),
    devices: orAnything(
      fc.array(
        fc.record(
          {
            id: some.objectId,
            deviceId: orAnything(some.deviceId),
            deviceName: orAnything(some.name),
            type: fc.constantFrom('Lock', 'Keypad', 'Bridge', 'Door'),
            properties: orAnything(fc.array(some.objectId, { maxLength: 2 })),
            links: orAnything(fc.array(some.deviceId, { maxLength: 2 })),
            capabilities: orAnything(fc.record({ algoPin: fc.boolean(), passagePin: fc.boolean(), x: anything })),
            batteryLevel: fc.constantFrom(-1, 0, 50, 100, 101, 0.5, null),
            online: orAnything(fc.boolean()),
            pairedAt: fc.constantFrom('2026-01-15T09:30:00Z', '2026-02-30T09:30:00Z', '2016-12-31T23:59:60Z', ''),
          },
          { requiredKeys: ['deviceId', 'deviceName', 'type'] },
        ),
        { maxLength: 2 },
      ),
    ),
    more: anything,
  },
  { requiredKeys: ['account'] },
);

test('any file is taken by both or by neither', () => {
  const taken = { yes: 0, no: 0 };
  fc.assert(
    fc.property(files, (file) => {
      // As sent: JSON drops undefined members.
      const sent: unknown = JSON.parse(JSON.stringify(file));
      const want = isTakenByImport(sent);
      taken[want ? 'yes' : 'no']++;
      expect(isTakenByControl(sent)).toBe(want);
    }),
    { numRuns: 1000 },
  );
  // Otherwise the files would prove nothing.
  expect(Math.min(taken.yes, taken.no)).toBeGreaterThan(20);
});
