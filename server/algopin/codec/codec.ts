/** Encodes numbers as digits and back, under a key. The verification of a PIN depends on this interface alone. */
export interface Codec {
  /** Count of the numbers: 0 to `size` - 1. */
  readonly size: number;
  /** @throws RangeError for any other number */
  encode(number: number): string;
  /** @returns undefined for a text that `encode` never returns */
  decode(digits: string): number | undefined;
}
