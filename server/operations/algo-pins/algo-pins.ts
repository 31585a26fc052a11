import { definePart } from '@lockstep/contract/handlers';
import { reject } from '../../error-catalogue.ts';
import type { Principal } from '../../principal.ts';
import { type AlgoPinNeeds, type AlgoPinRow, createAlgoPin } from './create-algo-pin.ts';

type Plain = Readonly<Record<never, never>>;

/** A kind that every device with algoPIN supports, and whose answer has no members of its own. */
const plain = { rejectDevice: () => undefined, describe: () => ({}) } as const;

const daily: AlgoPinRow<Plain> = { kind: 'daily', ...plain };
const hourly: AlgoPinRow<Plain> = { kind: 'hourly', ...plain };
const onetime: AlgoPinRow<Plain> = { kind: 'onetime', ...plain };
const permanent: AlgoPinRow<Plain> = { kind: 'permanent', ...plain };
const passage: AlgoPinRow<{ readonly durationHours: number }> = {
  kind: 'passage',
  rejectDevice: ({ deviceId, supportsPassagePin }) =>
    supportsPassagePin
      ? undefined
      : reject('passage_not_supported', {
          text: `The device ${deviceId} needs newer firmware for passage codes`,
          details: [{ in: 'path', at: 'deviceId', says: 'needs newer firmware', nearest: [] }],
        }),
  describe: ({ duration }) => ({ durationHours: duration }),
};

/** Handlers of the five operations that create offline codes: one function with a row for each. */
export function createAlgoPinOperations(needs: AlgoPinNeeds) {
  return definePart<Principal>()({
    createDailyAlgoPin: (request) => createAlgoPin(needs, daily, request),
    createHourlyAlgoPin: (request) => createAlgoPin(needs, hourly, request),
    createOneTimeAlgoPin: (request) => createAlgoPin(needs, onetime, request),
    createPassageAlgoPin: (request) => createAlgoPin(needs, passage, request),
    createPermanentAlgoPin: (request) => createAlgoPin(needs, permanent, request),
  });
}
