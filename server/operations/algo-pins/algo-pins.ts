import { definePart } from '@lockstep/contract/handlers';
import { refuse } from '../../error-catalogue.ts';
import type { Principal } from '../../principal.ts';
import { type AlgoPinNeeds, type AlgoPinRow, createAlgoPin } from './create-algo-pin.ts';

type Plain = Readonly<Record<never, never>>;

/** What every device that takes codes can do, and nothing more to say of it. */
const plain = { refuseDevice: () => undefined, describe: () => ({}) } as const;

const daily: AlgoPinRow<Plain> = { kind: 'daily', ...plain };
const hourly: AlgoPinRow<Plain> = { kind: 'hourly', ...plain };
const onetime: AlgoPinRow<Plain> = { kind: 'onetime', ...plain };
const permanent: AlgoPinRow<Plain> = { kind: 'permanent', ...plain };
const passage: AlgoPinRow<{ readonly durationHours: number }> = {
  kind: 'passage',
  refuseDevice: ({ deviceId, supportsPassagePin }) =>
    supportsPassagePin
      ? undefined
      : refuse('passage_not_supported', {
          text: `The device ${deviceId} needs newer firmware for passage codes`,
          details: [{ in: 'path', at: 'deviceId', says: 'needs newer firmware', nearest: [] }],
        }),
  describe: ({ duration }) => ({ durationHours: duration }),
};

/** The five operations that create offline codes, as handlers: one function, one row each. */
export function createAlgoPinOperations(needs: AlgoPinNeeds) {
  return definePart<Principal>()({
    createDailyAlgoPin: (request) => createAlgoPin(needs, daily, request),
    createHourlyAlgoPin: (request) => createAlgoPin(needs, hourly, request),
    createOneTimeAlgoPin: (request) => createAlgoPin(needs, onetime, request),
    createPassageAlgoPin: (request) => createAlgoPin(needs, passage, request),
    createPermanentAlgoPin: (request) => createAlgoPin(needs, permanent, request),
  });
}
