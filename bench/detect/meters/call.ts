import type { IncomingMessage } from 'node:http';
import type { Store } from './store.ts';
import { decodeSegment, type Json, type Rule } from './values.ts';

// A request with the switch of its fault, and the ways to read it.

export type Headers = Record<string, string>;

export interface Outcome {
  readonly status: number;
  readonly headers?: Headers;
  readonly body?: unknown;
  readonly csv?: string;
}

export interface Identity {
  /** Null stands for all accounts, and exists only by a fault. */
  readonly account: number | null;
  readonly readOnly: boolean;
}

/** An answer that is not a success, thrown from anywhere. */
export class Rejection extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Headers;
  readonly fields: readonly Json[];
  constructor(status: number, code: string, message: string, headers = {}, fields: readonly Json[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.fields = fields;
  }
}

export const notFound = () => new Rejection(404, 'not_found', 'There is no such object.');

/** Values that a request and its twin on the clean state have in common, so that equal answers are equal. */
interface Shared {
  readonly now: string;
  readonly nowMs: number;
  /** Of the objects that the request creates, in their order. */
  readonly ids: number[];
  readonly sequence: Store;
}

/** One request with everything that its handler may ask for. */
export class Call {
  readonly store: Store;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly query: URLSearchParams;
  readonly raw: Buffer | null;
  readonly #fault: string | undefined;
  readonly #shared: Shared;
  #idCount = 0;
  readonly fields: Json[] = [];
  triggered = false;
  path: string[];
  identity: Identity = { account: null, readOnly: true };

  /** @param original the call that this one is the twin of */
  constructor(store: Store, request: IncomingMessage, raw: Buffer | null, fault?: string, original?: Call) {
    const target = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
    const [path = '', ...query] = target.split('?');
    this.store = store;
    this.method = request.method ?? 'GET';
    this.headers = request.headers;
    this.query = new URLSearchParams(query.join('?'));
    this.path = path.split('/').map(decodeSegment);
    this.raw = raw;
    this.#fault = fault;
    const times = { now: new Date().toISOString(), nowMs: performance.now() };
    this.#shared = original === undefined ? { ...times, ids: [], sequence: store } : original.#shared;
  }

  get now(): string {
    return this.#shared.now;
  }

  /** Milliseconds since the start of the process. */
  get nowMs(): number {
    return this.#shared.nowMs;
  }

  newId(): number {
    const { ids, sequence } = this.#shared;
    const index = this.#idCount++;
    ids[index] ??= sequence.nextId++;
    return ids[index];
  }

  /** Whether the fault is on. Its effect shows in the answers of this and of later requests. */
  has(id: string): boolean {
    return this.#fault === id;
  }

  /** Asked only where the fault changes something: the request counts as triggered. */
  on(id: string): boolean {
    if (this.#fault !== id) return false;
    this.triggered = true;
    return true;
  }

  /** The value, or the faulty one when its fault is on. */
  broken<T>(id: string, faulty: () => T, value: T): T {
    if (this.#fault !== id) return value;
    const other = faulty();
    if (JSON.stringify(other) !== JSON.stringify(value)) this.triggered = true;
    return other;
  }

  /** A rule, or the faulty one when its fault is on. */
  rule(id: string, faulty: Rule, rule: Rule): Rule {
    return (value) => {
      const problem = rule(value);
      const isSame = this.#fault !== id || (faulty(value) === undefined) === (problem === undefined);
      if (isSame) return problem;
      this.triggered = true;
      return faulty(value);
    };
  }

  check(name: string, problem: string | undefined): void {
    if (problem !== undefined) this.fields.push({ name, message: problem });
  }

  rejectInvalid(): void {
    if (this.fields.length === 0) return;
    throw new Rejection(400, 'validation_failed', 'A parameter or the body is invalid.', {}, this.fields);
  }

  owns(account: number): boolean {
    return this.identity.account === null || this.identity.account === account;
  }
}

/** An object of the body. */
export interface Form {
  readonly call: Call;
  readonly path: string;
  readonly members: Json;
}

/** Unknown and missing members are problems. */
export function readForm(
  call: Call,
  value: unknown,
  path: string,
  required: string[],
  optional: string[],
  extra = '',
): Form {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    call.check(path.slice(0, -1) || 'body', 'must be an object');
    call.rejectInvalid();
  }
  const members = value as Json;
  for (const name of Object.keys(members)) {
    if (!required.includes(name) && !optional.includes(name) && !call.on(extra)) call.check(path + name, 'is unknown');
  }
  for (const name of required) if (!Object.hasOwn(members, name)) call.check(path + name, 'is required');
  return { call, path, members };
}

export function take<T>({ call, path, members }: Form, name: string, rule: Rule, fallback?: T): T {
  if (!Object.hasOwn(members, name)) return fallback as T;
  call.check(path + name, rule(members[name]));
  return members[name] as T;
}

/** A parameter of the query that may be given once. */
export function readParameter<T>(
  call: Call,
  name: string,
  convert: (value: string) => unknown,
  rule: Rule,
  fallback: T,
): T {
  const values = call.query.getAll(name);
  if (values.length === 0) return fallback;
  if (values.length > 1) call.check(name, 'must not be repeated');
  const value = convert(values[0] ?? '');
  call.check(name, rule(value));
  return value as T;
}
