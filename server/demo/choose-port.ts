import { readPort } from '@lockstep/shell/read-port';
import { WrongUse } from '@lockstep/shell/wrong-use';

/** A port that is none: with where it was given and what would do. */
export class PortFault extends WrongUse {
  override readonly name = 'PortFault';
}

/**
 * Chooses a port of the demo. The first source that is given counts; an empty one is as none.
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
