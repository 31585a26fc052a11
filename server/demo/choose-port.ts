import { readPort } from '@lockstep/shell/read-port';
import { WrongUse } from '@lockstep/shell/wrong-use';

/** An invalid port. The message names its source and the valid range. */
export class PortFault extends WrongUse {
  override readonly name = 'PortFault';
}

/**
 * Chooses the port of the demo: that of the first source that is set and not empty.
 *
 * @param sources text by name of the option or variable, strongest first
 * @throws PortFault that names the source
 */
export function choosePort(sources: Readonly<Record<string, string | undefined>>, fallback: number): number {
  const [name, text] = Object.entries(sources).find(([, value]) => value) ?? ['', String(fallback)];
  const port = readPort(text ?? '');
  if (port === undefined) throw new PortFault(`${name} is ${text}: a port is a number from 0 to 65535.`);
  return port;
}
