import type { Code } from '../../algopin/code.ts';
import { deriveDeviceKey } from '../../algopin/derive-device-key.ts';
import { derivePinId } from '../../algopin/derive-pin-id.ts';
import { encodePin } from '../../algopin/encode-pin.ts';
import type { CodeKind } from '../../algopin/kinds.ts';
import { planCode, type WindowFault } from '../../algopin/plan-code.ts';
import type { Clock } from '../../clock.ts';
import { refuse } from '../../error-catalogue.ts';
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

/** What tells one operation from the other four. */
export interface AlgoPinRow<Extra extends { readonly durationHours?: number }> {
  readonly kind: CodeKind;
  /** What a device that takes algoPIN codes may lack for this kind: an answer, or undefined where it lacks nothing. */
  readonly refuseDevice: (device: Device) => ReturnType<typeof refuse<'passage_not_supported'>> | undefined;
  /** What the answer says of such a code alone. */
  readonly describe: (code: Code) => Extra;
}

interface AlgoPinRequest {
  readonly path: { readonly deviceId: string };
  readonly body: AlgoPinBody;
  readonly principal: Principal;
}

/**
 * Issues a code of any kind. The same device, kind, window and variance give the same code: it is kept once, with the time of its first
 * issue and the name of the latest call. Its digits leave in this answer and are kept nowhere. After a change of the timezone the same
 * digits stand for another window: the answer and what is kept tell the present one, which is what the lock does once it has the zone.
 *
 * The generation is read before the code is kept: a device that is paired anew between the two answers as if asked before.
 */
export async function createAlgoPin<Extra extends { readonly durationHours?: number }>(
  { store, clock, keys }: AlgoPinNeeds,
  row: AlgoPinRow<Extra>,
  { path, body, principal: { accountId } }: AlgoPinRequest,
) {
  const device = await store.devices.find(accountId, path.deviceId);
  if (device === undefined) return refuse('device_not_found');
  const { timezone } = device;
  if (timezone === null) return refuse('no_timezone');
  const { deviceId, pairingGeneration: generation } = device;
  if (!device.supportsAlgoPin)
    return refuse('algopin_not_supported', { text: `The device ${deviceId} does not support algoPIN codes` });
  const refusal = row.refuseDevice(device);
  if (refusal !== undefined) return refusal;

  const now = clock.now();
  const plan = planCode(
    { ...readCodeRequest(body), kind: row.kind },
    Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone),
  );
  if (plan.kind === 'fault') return refuseWindow(plan.fault);

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

function refuseWindow({ rule, text, field, says, nearest }: WindowFault) {
  return refuse(rule, { text, details: [{ in: 'body', at: `/${field}`, says, nearest }] });
}
