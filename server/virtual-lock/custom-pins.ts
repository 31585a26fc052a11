import type { EpochMilliseconds } from '../clock.ts';

/** What a lock stores, of all types together. */
export const customPinCapacity = 199;

/** What sets one type apart from another. The numbers are the contract's. */
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

/** Digits that are stored already stay as they are, also when no other place is left: the caller learns the reason that it can mend. */
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

/** One that has ended leaves its place. It stays away when the clock is turned back: what is gone can't return. */
export function dropEndedPins(pins: readonly CustomPin[], clock: EpochMilliseconds): readonly CustomPin[] {
  return pins.some(({ endsAt }) => endsAt !== null && endsAt <= clock)
    ? pins.filter(({ endsAt }) => endsAt === null || endsAt > clock)
    : pins;
}
