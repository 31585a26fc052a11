import { Temporal } from '../../temporal.ts';
import { encodePin } from '../encode-pin.ts';
import { planCode } from '../plan-code.ts';
import { referencePin, referenceVerdict, referenceWindow } from '../reference/reference.ts';
import { verifyPin } from '../verify-pin.ts';
import type { Plan } from './any-plan.ts';

const second = 1000;

/**
 * The guarantee of the service: the code of a request opens its lock from the first to the last second of its window and at no other
 * time, by its digits, the key and a clock alone.
 *
 * The window is that of the reference, so that rules and lock can't be wrong together.
 *
 * @throws Error with the time and the verdict of each implementation
 */
export function opensInsideItsWindowOnly({ deviceKey, now, request }: Plan): void {
  const answer = planCode(request, now);
  if (answer.kind === 'fault') throw new Error(`refused: ${answer.fault.text}`);
  const { code } = answer;
  const pin = encodePin(deviceKey, code);
  const timeZone = now.timeZoneId;
  const window = referenceWindow({ ...code, start: code.startsAt.epochMilliseconds }, timeZone);
  const sent = request.endDate?.epochMilliseconds;
  if (sent !== undefined && sent !== window.end) throw new Error(`the end is ${window.end}, not ${sent}`);
  if (pin !== referencePin(deviceKey, { ...code, start: window.start }))
    throw new Error(`the reference has not ${pin}`);

  const isEverlasting = window.end === Number.POSITIVE_INFINITY;
  const last = isEverlasting ? window.start + 15 * 8766 * 3600 * second : window.end;
  const after = isEverlasting ? 'accepted' : 'expired';
  const inside = code.kind === 'onetime' ? 'spent' : 'accepted';
  const lapsed = window.activateBy < window.end ? 'lapsed' : 'expired';
  for (const { at, isUsed, want } of [
    { at: window.start - second, isUsed: false, want: 'too_early' },
    { at: window.start - second, isUsed: true, want: 'too_early' },
    { at: window.start, isUsed: false, want: 'accepted' },
    { at: window.start, isUsed: true, want: inside },
    { at: window.activateBy - second, isUsed: false, want: 'accepted' },
    { at: window.activateBy, isUsed: false, want: lapsed },
    { at: window.activateBy, isUsed: true, want: lapsed === 'lapsed' ? inside : 'expired' },
    { at: last - second, isUsed: true, want: inside },
    { at: last, isUsed: true, want: after },
    { at: last + second, isUsed: true, want: after },
  ]) {
    const clock = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
    const verdict = verifyPin(pin, deviceKey, clock, new Set(isUsed ? [pin] : []));
    const got = verdict.accepted ? 'accepted' : verdict.reason;
    if (got !== want) throw new Error(`${pin} at ${clock}, ${isUsed ? 'used' : 'unused'}: ${got}, not ${want}`);
  }
}

/** Both implementations give the same verdict on the same digits at any time. */
export function agreesWithReference(plan: Plan, pin: string): void {
  const { deviceKey, now } = plan;
  for (const isUsed of [false, true]) {
    const lock = { key: deviceKey, timeZone: now.timeZoneId, toleranceSeconds: 0 };
    const want = referenceVerdict(lock, pin, now.epochMilliseconds, isUsed);
    const verdict = verifyPin(pin, deviceKey, now, new Set(isUsed ? [pin] : []));
    const got = verdict.accepted ? 'accepted' : verdict.reason;
    if (got !== want)
      throw new Error(`${pin} at ${now}, ${isUsed ? 'used' : 'unused'}: ${got}, the reference: ${want}`);
  }
}
