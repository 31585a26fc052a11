import { isAbsolute, resolve } from 'node:path';

/** The database of a store. */
export type DatabaseAddress =
  /** An absolute path. */
  | { readonly kind: 'sqlite'; readonly file: string }
  /** As node-postgres reads it; it may contain a password. */
  | { readonly kind: 'postgres'; readonly url: string };

/** The reason why a text is no address. */
type AddressFault = { readonly kind: 'fault'; readonly reason: string };

/** Other parameters are a fault: a mistyped `sslmode` would turn TLS off unnoticed. */
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'application_name'];

/** The modes of libpq that node-postgres has with the same effect, and `no-verify`: TLS with any certificate. */
const tlsModes = ['disable', 'no-verify', 'verify-full'];

/** Reads `DATABASE_URL`. */
export function readDatabaseAddress(text: string): DatabaseAddress | AddressFault {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'sqlite', file: isAbsolute(path) ? path : resolve(path) };
  if (!/^postgres(ql)?:/.test(text))
    return { kind: 'fault', reason: 'a database is sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME' };
  const reason = findFault(text);
  return reason === undefined ? { kind: 'postgres', url: text } : { kind: 'fault', reason };
}

function findFault(text: string): string | undefined {
  if (!URL.canParse(text))
    return 'it is no URL: write special characters of user and password as %XX, such as %40 for @';
  const { hostname, pathname, searchParams, hash } = new URL(text);
  if (hostname === '' && !searchParams.has('host'))
    return 'the host is missing: postgres://HOST/NAME, or ?host=FOLDER for a socket';
  if (!/^\/[^/]+$/.test(pathname)) return 'the name of the database is missing: postgres://HOST/NAME';
  if (hash !== '') return 'it has a fragment: write # as %23';
  const unknown = [...searchParams.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) return `it has the parameter ${unknown}, and none is known but ${parameters.join(', ')}`;
  const mode = searchParams.get('sslmode');
  if (mode !== null && !tlsModes.includes(mode)) return `sslmode is ${mode}, not one of ${tlsModes.join(', ')}`;
  return undefined;
}

/** The address for logs, messages and commands to paste: a path, or a URL without the password, which may also be in `PGPASSWORD`. */
export function describeDatabase(address: DatabaseAddress): string {
  if (address.kind === 'sqlite') return address.file;
  const url = new URL(address.url);
  url.password = '';
  return url.href;
}

/** Any text for `DATABASE_URL`, readable or not, without the parts that may contain a password. */
export function withoutSecrets(text: string): string {
  return text.replace(/:.*@/, ':…@').replace(/\?.*/, '?…');
}
