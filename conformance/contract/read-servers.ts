import type { Target } from './contract.ts';
import { arrayAt, isObject, type JsonObject, objectAt, textAt } from './json.ts';

/**
 * An operation with servers of its own, none of them the document's, belongs to another party: in practice its
 * authorization server. It goes to `--auth-url`.
 */
export function readServers(
  root: JsonObject,
  holders: readonly unknown[],
): { readonly target: Target; readonly servers: readonly string[] } {
  const own = holders.map((holder) => arrayAt(holder, 'servers')).find((servers) => servers.length > 0);
  if (own === undefined) return { target: 'api', servers: [] };
  const servers = own.map(addressOf);
  const shared = readAddresses(root).map(withoutScheme);
  return { target: servers.some((server) => shared.includes(withoutScheme(server))) ? 'api' : 'auth', servers };
}

/** Addresses of a document's own servers with defaults filled in. */
export function readAddresses(root: JsonObject): readonly string[] {
  return arrayAt(root, 'servers').map(addressOf);
}

/** `//api.example` is the same party as `https://api.example` (RFC 3986, 4.2). */
function withoutScheme(address: string): string {
  return address.replace(/^[a-z][a-z0-9+.-]*:(?=\/\/)/i, '');
}

/** The address with each variable at its default, without a trailing slash. */
function addressOf(server: unknown): string {
  const variables = objectAt(server, 'variables');
  const url = textAt(isObject(server) ? server : {}, 'url') ?? '/';
  return url
    .replaceAll(/\{([^}]+)\}/g, (whole, name: string) => textAt(variables[name], 'default') ?? whole)
    .replace(/\/$/, '');
}
