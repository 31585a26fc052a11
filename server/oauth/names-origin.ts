/** Names of this machine itself: whoever reaches it by one may use the others. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Judges the host name that a request was sent to.
 *
 * @param asked `Host` header, name and port
 * @param address absolute URL under which the service is published
 * @returns undefined where it is the published one, or where both are loopback names with the same port; else a text
 *   that names the right one
 */
export function nameMismatch(asked: string | undefined, address: string): string | undefined {
  const published = new URL(address);
  const url = /^[A-Za-z0-9.:[\]-]+$/.test(asked ?? '') ? URL.parse(`${published.protocol}//${asked}`) : null;
  const isSame = url?.host === published.host;
  const isLoopback =
    loopback.has(published.hostname) && loopback.has(url?.hostname ?? '') && url?.port === published.port;
  if (isSame || isLoopback) return undefined;
  return `This server is ${published.host}, not ${printable(asked)}: use ${published.href.replace(/\/$/, '')}`;
}

function printable(asked: string | undefined): string {
  return asked === undefined || asked === ''
    ? 'a request without Host'
    : asked.replaceAll(/[^A-Za-z0-9.:[\]-]/g, '?').slice(0, 100);
}
