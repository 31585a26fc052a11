import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Command, type ForeignServer, readServers } from '../servers.ts';

/** The kind of a change to the code. */
export type Kind =
  | 'validation removed'
  | 'guard removed'
  | 'ownership test removed'
  | 'bound shifted'
  | 'check dropped'
  | 'required made optional';

/** One mechanical change to an installed package: a place, and its new text. */
export interface Mutation {
  readonly id: string;
  readonly kind: Kind;
  /** Relative to the package. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** A part of the line that the line contains once. */
  readonly anchor: string;
  readonly replacement: string;
  /** The operation that behaves differently, as in `GET /devices/{id}`, or all operations that match. */
  readonly at: string | RegExp;
  /** Sends requests to a server, until one answers differently under the mutation. */
  readonly prove: (send: Send) => Promise<Answer | string | number | boolean>;
  /** The result of `prove` without and with the mutation; an answer counts by its status. */
  readonly shows: readonly [clean: string | number | boolean, mutated: string | number | boolean];
}

/** @param request as in `GET /devices?limit=1`, beneath the base path of the contract */
export type Send = (request: string, options?: SendOptions) => Promise<Answer>;

export interface SendOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Credentials other than those of the owner; null for none. */
  readonly token?: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: proofs read members of foreign answers, and a wrong one fails the proof.
  readonly json: any;
}

/** A server of others, and changes to its source. */
export interface Subject {
  readonly server: ForeignServer;
  /** The folder of the installed package that is changed. */
  readonly package: string;
  /** The header that carries a credential. */
  readonly credential: (token: string) => Readonly<Record<string, string>>;
  readonly mutations: readonly Mutation[];
}

export function serverNamed(name: string): ForeignServer {
  const server = readServers.find((one) => one.name === name);
  if (server === undefined) throw new Error(`there is no server ${name}`);
  return server;
}

/**
 * Replaces the anchor in its line.
 *
 * @throws Error when the line does not contain the anchor exactly once: another version of the package is installed
 */
export function applyMutation(source: string, { id, file, line, anchor, replacement }: Mutation): string {
  const lines = source.split('\n');
  const text = lines[line - 1];
  const found = text === undefined ? 0 : text.split(anchor).length - 1;
  if (text === undefined || found !== 1) {
    const elsewhere = lines.flatMap((other, index) => (other.includes(anchor) ? [index + 1] : []));
    const nearest = elsewhere.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line))[0];
    throw new Error(
      `${id}: ${file}:${line} contains ${JSON.stringify(anchor)} ${found} times, expected once; ` +
        (nearest === undefined ? 'no line contains it' : `the nearest line that contains it is ${nearest}`),
    );
  }
  lines[line - 1] = text.replace(anchor, () => replacement);
  return lines.join('\n');
}

/** The server, with its package replaced by a changed copy. */
export interface Mutated {
  readonly server: ForeignServer;
  readonly remove: () => Promise<void>;
}

/** Copies the package into a folder next to it, where it finds the same dependencies, and changes the copy. */
export async function mutate(subject: Subject, mutation: Mutation): Promise<Mutated> {
  const parent = await mkdtemp(join(dirname(subject.package), '.mutated-'));
  const remove = (): Promise<void> => rm(parent, { recursive: true, force: true });
  const copy = join(parent, basename(subject.package));
  try {
    // Compiled files of Python are valid for the time of their source.
    await cp(subject.package, copy, { recursive: true, preserveTimestamps: true });
    const file = join(copy, mutation.file);
    await writeFile(file, applyMutation(await readFile(file, 'utf8'), mutation));
  } catch (error) {
    await remove();
    throw error;
  }
  const { server } = subject;
  const redirect = ({ file, args, env }: Command): Command =>
    server.registry === 'PyPI'
      ? { file, args, env: { ...env, PYTHONPATH: parent } }
      : { file, args: args.map((text) => text.replace(`${subject.package}/`, `${copy}/`)), ...(env && { env }) };
  return { server: { ...server, start: async (instance) => redirect(await server.start(instance)) }, remove };
}

/** @param origin of the server that the proof is sent to */
export function createSend({ server, credential }: Subject, origin: string, owner: string): Send {
  return async (request, { body, token = owner } = {}) => {
    const [method = '', target = ''] = request.split(' ');
    const response = await fetch(`${origin}${server.basePath}${target}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== null && credential(token)),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    return { status, headers, json: parse(await response.text()) };
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns what the proof shows on a server; an answer by its status */
export async function observe({ prove }: Mutation, send: Send): Promise<string | number | boolean> {
  const shown = await prove(send);
  return typeof shown === 'object' ? shown.status : shown;
}
