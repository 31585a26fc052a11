/** Numbers as digits and back, under a key. What verifies a PIN knows no more of a scheme than this. */
export interface Codec {
  /** How many numbers there are: 0 to `size` - 1. */
  readonly size: number;
  /** @throws RangeError for anything but such a number */
  encode(number: number): string;
  /** @returns undefined for a text that `encode` never makes */
  decode(digits: string): number | undefined;
}
