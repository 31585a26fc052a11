import type { Code } from './code.ts';
import { toIndex } from './codec/code-index.ts';
import { pinCodec } from './codec/pin-codec.ts';

/**
 * The digits of a code: different for each code of a device, the same on every call.
 *
 * @param deviceKey 32 bytes from `deriveDeviceKey`
 * @returns nine digits, the first not 0. They repeat after 32 years.
 * @throws RangeError when the key is not 32 bytes, or the code has a duration or variance that its kind does not have: bugs of the caller
 * @see docs/algopin.md, "Encoding"; NIST SP 800-38G, algorithm 7
 */
export function encodePin(deviceKey: Uint8Array, code: Code): string {
  return pinCodec(deviceKey).encode(toIndex(code));
}
