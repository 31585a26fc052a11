import type { Code } from '../../algopin/code.ts';
import { deriveDeviceKey } from '../../algopin/derive-device-key.ts';
import { derivePinId } from '../../algopin/derive-pin-id.ts';
import { encodePin } from '../../algopin/encode-pin.ts';
import type { CodeKind } from '../../algopin/kinds.ts';
import { planCode, type WindowFault } from '../../algopin/plan-code.ts';
import type { Clock } from '../../clock.ts';
import { reject } from '../../error-catalogue.ts';
import type { Keys } from '../../keys.ts';
import type { Principal } from '../../principal.ts';
import type { Device } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { Temporal } from '../../temporal.ts';
import { formatLocalTime } from '../local-time.ts';
import { type AlgoPinBody, readCodeRequest } from './read-code-request.ts';

export interface AlgoPinNeeds {
  readonly store: Pick<Store, 'devices' | 'accessCodes'>;
  readonly clock: Clock;
  readonly keys: Pick<Keys, 'deviceKey'>;
}

/** The differences between the five operations. */
export interface AlgoPinRow<Extra extends { readonly durationHours?: number }> {
  readonly kind: CodeKind;
  /** The rejection of a device that supports algoPIN but not this kind; undefined for others. */
  readonly rejectDevice: (device: Device) => ReturnType<typeof reject<'passage_not_supported'>> | undefined;
  /** Members of the answer for this kind alone. */
  readonly describe: (code: Code) => Extra;
}

interface AlgoPinRequest {
  readonly path: { readonly deviceId: string };
  readonly body: AlgoPinBody;
  readonly principal: Principal;
}

/**
 * Issues a code of any kind. The same device, kind, window and variance give the same code: the store keeps it once, with the time of its
 * first issue and the name of the latest call. Its digits are in this answer only and are never stored. After a change of the timezone the
 * same digits have another window: answer and record contain the new one, and so does the lock once it has the new timezone.
 *
 * The generation is read before the code is stored: for a new pairing between the two, the answer is the one from before the pairing.
 */
export async function createAlgoPin<Extra extends { readonly durationHours?: number }>(
  { store, clock, keys }: AlgoPinNeeds,
  row: AlgoPinRow<Extra>,
  { path, body, principal: { accountId } }: AlgoPinRequest,
) {
  const device = await store.devices.find(accountId, path.deviceId);
  if (device === undefined) return reject('device_not_found');
  const { timezone } = device;
  if (timezone === null) return reject('no_timezone');
  const { deviceId, pairingGeneration: generation } = device;
  if (!device.supportsAlgoPin)
    return reject('algopin_not_supported', { text: `The device ${deviceId} does not support algoPIN codes` });
  const rejection = row.rejectDevice(device);
  if (rejection !== undefined) return rejection;

  const now = clock.now();
  const plan = planCode(
    { ...readCodeRequest(body), kind: row.kind },
    Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone),
  );
  if (plan.kind === 'fault') return rejectWindow(plan.fault);

  const { code, window } = plan;
  const extra = row.describe(code);
  const pin = encodePin(deriveDeviceKey(keys.deviceKey, deviceId, generation), code);
  const issued = await store.accessCodes.issue({
    pinId: derivePinId(keys.deviceKey, deviceId, pin),
    deviceId,
    generation,
    kind: code.kind,
    startsAt: window.start.epochMilliseconds,
    endsAt: window.end?.epochMilliseconds ?? null,
    activateBy: window.activateBy.epochMilliseconds,
    variance: code.variance,
    durationHours: extra.durationHours ?? null,
    accessName: body.accessName.trim(),
    issuedAt: now,
  });
  return {
    status: 200,
    body: {
      pin,
      pinId: issued.pinId,
      startDate: formatLocalTime(window.start.epochMilliseconds, timezone),
      endDate: window.end && formatLocalTime(window.end.epochMilliseconds, timezone),
      activateBy: formatLocalTime(window.activateBy.epochMilliseconds, timezone),
      ...extra,
      variance: code.variance,
      issuedAt: new Date(issued.issuedAt).toISOString(),
    },
  } as const;
}

function rejectWindow({ rule, text, field, says, nearest }: WindowFault) {
  return reject(rule, { text, details: [{ in: 'body', at: `/${field}`, says, nearest }] });
}
