import type { Codec } from './codec.ts';
import { createFf1Codec } from './create-ff1-codec.ts';

/** The current scheme: nine digits. */
export function pinCodec(deviceKey: Uint8Array): Codec {
  return createFf1Codec({ digits: 9, key: deviceKey });
}
