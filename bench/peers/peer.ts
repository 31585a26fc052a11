import type { AddressInfo, Server } from 'node:net';

/** Settings of each peer, as JSON in its one argument. */
export interface PeerOptions {
  /** Any free one when left out. */
  readonly port?: number;
  /** The SQLite file of ours, which is only read. */
  readonly database: string;
  readonly accountId: string;
  /** Characters of ours, so that answers are equally long. */
  readonly cursorLength: number;
  /** Of the tokens that ours issues. */
  readonly issuer: string;
  readonly audience: string;
  /** The public keys of ours, read before anything is timed. */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, string>>[] };
  /** The bundled contract. */
  readonly contract: string;
}

/** A statement of ours as it was sent, with its values. Bytes are in base64. */
export interface Sent {
  readonly sql: string;
  readonly parameters: readonly (string | number | null | { readonly bytes: string })[];
}

export interface PostgresPeerOptions {
  readonly port: number;
  readonly processes: number;
  readonly database: string;
  readonly cursorLength: number;
  /** The names in the statements, which requests replace. */
  readonly sample: {
    readonly deviceId: string;
    readonly bridgeId: string;
    readonly jobId: string;
    readonly pinId: string;
    readonly now: number;
  };
  readonly sent: Readonly<Record<'page' | 'device' | 'code' | 'lockBridge' | 'job' | 'push', Sent>>;
  /** The answer to a code. */
  readonly code: Readonly<Record<string, unknown>>;
}

export const options: PeerOptions = JSON.parse(process.argv[2] ?? '{}');

/** Prints the port, by which the bench knows that the peer listens. */
export function tellPort(server: { address(): ReturnType<Server['address']> }): void {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
}
