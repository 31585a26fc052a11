import type { EpochMilliseconds } from '../clock.ts';

/** Number of custom PINs that a lock stores, all types together. */
export const customPinCapacity = 199;

/** The properties of each type. The numbers are the contract's. */
export const customPinTypes = {
  1: { hasEnd: false, isSpentByUse: true },
  2: { hasEnd: false, isSpentByUse: false },
  4: { hasEnd: true, isSpentByUse: false },
} as const;

export type CustomPinType = keyof typeof customPinTypes;

/** Four to six digits that a person chose and a job stored. */
export interface CustomPin {
  /** 24 hexadecimal digits. */
  readonly accessId: string;
  readonly accessName: string;
  readonly pin: string;
  readonly pinType: CustomPinType;
  /** Half-open, by the lock's clock. */
  readonly startsAt: EpochMilliseconds;
  readonly endsAt: EpochMilliseconds | null;
}

export type Stored =
  | { readonly kind: 'stored'; readonly pins: readonly CustomPin[] }
  | { readonly kind: 'exists' | 'full' };

/** If the digits are stored already, nothing changes, and `exists` is returned even by a full lock: the caller can fix that fault. */
export function storeCustomPin(pins: readonly CustomPin[], pin: CustomPin): Stored {
  if (pins.some((stored) => stored.pin === pin.pin)) return { kind: 'exists' };
  if (pins.length >= customPinCapacity) return { kind: 'full' };
  return { kind: 'stored', pins: [...pins, pin] };
}

export function findCustomPin(
  pins: readonly CustomPin[],
  by: { readonly pin: string } | { readonly accessId: string },
): CustomPin | undefined {
  return pins.find((stored) => ('pin' in by ? stored.pin === by.pin : stored.accessId === by.accessId));
}

export function removeCustomPin(pins: readonly CustomPin[], { accessId }: CustomPin): readonly CustomPin[] {
  return pins.filter((stored) => stored.accessId !== accessId);
}

/** Removes PINs that have ended. They stay removed when the clock is turned back. */
export function dropEndedPins(pins: readonly CustomPin[], clock: EpochMilliseconds): readonly CustomPin[] {
  return pins.some(({ endsAt }) => endsAt !== null && endsAt <= clock)
    ? pins.filter(({ endsAt }) => endsAt === null || endsAt > clock)
    : pins;
}
