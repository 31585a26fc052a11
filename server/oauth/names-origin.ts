/** Names of this machine itself, which are interchangeable. */
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Compares the host name of a request with the published one.
 *
 * @param asked `Host` header, name and port
 * @param address absolute URL under which the service is published
 * @returns undefined if they are equal, or both are loopback names with the same port; otherwise a message with the right name
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
