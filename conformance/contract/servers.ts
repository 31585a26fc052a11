// An operation belongs to the servers of the document, to its own server on the same host, or to the server of another party.
import type { Contract, Operation } from './contract.ts';
import { arrayAt, isObject, type JsonObject, objectAt, textAt } from './document.ts';

/**
 * An operation that shares no server with the document belongs to another party, usually an authorization server. Its address is
 * `--auth-url` or that of `--server`, unless it is on the host of the document's servers.
 */
export function readServers(
  root: JsonObject,
  holders: readonly unknown[],
): Pick<Operation, 'target' | 'servers' | 'address'> {
  const own = holders.map((holder) => arrayAt(holder, 'servers')).find((servers) => servers.length > 0);
  if (own === undefined) return { target: 'api', servers: [] };
  const servers = own.map(addressOf);
  const shared = readAddresses(root).map(withoutScheme);
  if (servers.some((server) => shared.includes(withoutScheme(server)))) return { target: 'api', servers };
  const origins = new Set(shared.length === 0 ? [''] : shared.map(originOf));
  const near = servers.map(withoutScheme).find((server) => origins.has(originOf(server)));
  return { target: 'auth', servers, address: near?.slice(originOf(near).length) };
}

/** Addresses of a document's own servers with defaults filled in. */
export function readAddresses(root: JsonObject): readonly string[] {
  return arrayAt(root, 'servers').map(addressOf);
}

/** The address of a server in the contract, and the address of its deployment. */
export type ServerPlace = readonly [written: string, address: string];

/**
 * Sets the addresses of operations at other servers: the one that the user gave, or the declared one if it is on the host of the
 * base URL.
 */
export function placeOperations(contract: Contract, baseUrl: string, places: readonly ServerPlace[]): Contract {
  const own = originOf(withoutScheme(baseUrl));
  const operations = contract.operations.map((operation): Operation => {
    const given = places.find(([written]) => isAt(contract, operation, written));
    if (given !== undefined) return { ...operation, address: given[1] };
    if (operation.target === 'api' || operation.address !== undefined) return operation;
    const here = operation.servers.find((server) => originOf(withoutScheme(server)) === own);
    return here === undefined ? operation : { ...operation, address: withoutScheme(here).slice(own.length) };
  });
  return { ...contract, operations };
}

/** Servers of the user's options that no operation has. */
export function unknownServers(contract: Contract, places: readonly ServerPlace[]): readonly string[] {
  return places.flatMap(([written]) =>
    contract.operations.some((one) => isAt(contract, one, written)) ? [] : [written],
  );
}

/** Every server that the contract names. */
export function serversOf({ servers, operations }: Contract): readonly string[] {
  return [...new Set([...servers, ...operations.flatMap((operation) => operation.servers)])];
}

/** The base address for an operation's requests; undefined if no option gives it. */
export function baseOf(
  { target, address }: Operation,
  { baseUrl, authUrl }: { readonly baseUrl: string; readonly authUrl: string | undefined },
): string | undefined {
  if (address !== undefined && /^https?:/.test(address)) return address;
  if (target === 'api') return baseUrl;
  return authUrl ?? (address === undefined ? undefined : `${new URL(baseUrl).origin}${address}`);
}

/** The options that an operation of another server needs. */
export function explainServer({ schemes }: Contract, { servers: [server = ''] }: Operation): string {
  const isOAuth = Object.values(schemes).some(({ type }) => type === 'oauth2' || type === 'openIdConnect');
  return `the operation is at another server: pass ${isOAuth ? '--auth-url URL, or ' : ''}--server ${server}=URL`;
}

function isAt({ servers }: Contract, operation: Operation, written: string): boolean {
  const own = operation.servers.length > 0 ? operation.servers : servers;
  return own.includes(written.replace(/\/$/, ''));
}

/** `//api.example` of an address without its scheme; empty for a path of the same host. */
function originOf(address: string): string {
  return /^\/\/[^/]*/.exec(address)?.[0] ?? '';
}

/** `//api.example` names the same server as `https://api.example` (RFC 3986, 4.2). */
function withoutScheme(address: string): string {
  return address.replace(/^[a-z][a-z0-9+.-]*:(?=\/\/)/i, '');
}

/** The address with the defaults of its variables, without a trailing slash. */
function addressOf(server: unknown): string {
  const variables = objectAt(server, 'variables');
  const url = textAt(isObject(server) ? server : {}, 'url') ?? '/';
  return url
    .replaceAll(/\{([^}]+)\}/g, (whole, name: string) => textAt(variables[name], 'default') ?? whole)
    .replace(/\/$/, '');
}
