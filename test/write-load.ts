import { setTimeout } from 'node:timers/promises';

/** Devices with a bridge of their own: LK0 and BR0, LK1 and BR1 … */
export const places = 40;
export const callback = 'https://partner.example/callback';

const clients = 8;

/** The service that gets the requests. */
export interface LoadTarget {
  readonly origin: string;
  /** Of the clients `acme-own` and `acme-partner`. */
  readonly secrets: { readonly own: string; readonly partner: string };
  /** Issues an authorization code for the partner. */
  readonly issueCode: () => Promise<string>;
}

/** A client that gets no answer does not take the processor from the processes that start. */
const pauseMs = 100;

/** An answer, or undefined if the connection was lost. */
type Got =
  | { readonly status: number; readonly body: Readonly<Record<string, unknown>>; readonly ms: number }
  | undefined;

async function send(address: string, init: RequestInit): Promise<Got> {
  const began = performance.now();
  try {
    const answer = await fetch(address, { method: 'POST', ...init });
    const body = (await answer.json()) as Readonly<Record<string, unknown>>;
    const ms = performance.now() - began;
    if (answer.status === 503) await setTimeout(pauseMs);
    return { status: answer.status, body, ms };
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    await setTimeout(pauseMs);
    return undefined;
  }
}

/** The refresh tokens of one grant. Each is valid once. */
export interface Chain {
  token: string;
  readonly used: string[];
  /** Whether the last request had no answer: it may have happened. */
  isUnsure: boolean;
}

/** Clients that write without a pause, and remember each answer. */
export class WriteLoad {
  readonly figures = { acknowledged: 0, unavailable: 0, lost: 0, rejected: 0, slowestMs: 0 };
  /** By idempotency key, the id in each answer; empty while there was none. */
  readonly jobs = new Map<string, Set<unknown>>();
  readonly pins = new Map<string, unknown>();
  /** By authorization code or refresh token, how often it was accepted. */
  readonly accepted = new Map<string, number>();
  readonly exchanged: string[] = [];
  readonly violations: unknown[] = [];
  readonly chains: Chain[] = [];
  readonly dead: Chain[] = [];
  readonly #target: LoadTarget;
  #codes: string[] = [];
  #token = '';
  #isStopped = false;
  #running: readonly Promise<void>[] = [];
  #waiting: { readonly count: number; readonly resolve: () => void } | undefined;

  constructor(target: LoadTarget) {
    this.#target = target;
  }

  async begin(): Promise<void> {
    const got = await this.#requestToken('own', { grant_type: 'client_credentials' });
    this.#token = String(got?.body.access_token);
    this.#isStopped = false;
    this.#running = Array.from({ length: clients }, (_, client) => this.#work(client));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  /** Codes that are exchanged within their minute. */
  async addCodes(count: number): Promise<void> {
    this.#codes = await Promise.all(Array.from({ length: count }, () => this.#target.issueCode()));
  }

  /** Waits until so many further requests are acknowledged. */
  async until(further: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = { count: this.figures.acknowledged + further, resolve };
    await promise;
  }

  refresh(token: string): Promise<Got> {
    return this.#requestToken('partner', { grant_type: 'refresh_token', refresh_token: token });
  }

  exchange(code: string): Promise<Got> {
    return this.#requestToken('partner', { grant_type: 'authorization_code', code, redirect_uri: callback });
  }

  #requestToken(client: 'own' | 'partner', fields: Readonly<Record<string, string>>): Promise<Got> {
    const { origin, secrets } = this.#target;
    return send(`${origin}/auth/oauth2/token`, {
      headers: { Authorization: `Basic ${btoa(`acme-${client}:${secrets[client]}`)}` },
      body: new URLSearchParams(fields),
    });
  }

  async #work(client: number): Promise<void> {
    const acts = [() => this.#createJob(), () => this.#rotate(), () => this.#createJob(), () => this.#createPin()];
    for (let turn = client; !this.#isStopped; turn += 1) {
      await acts[turn % acts.length]?.();
    }
  }

  #note(got: Got): number {
    const { figures } = this;
    figures.slowestMs = Math.max(figures.slowestMs, Math.round(got?.ms ?? 0));
    if (got === undefined) figures.lost += 1;
    else if (got.status === 503) figures.unavailable += 1;
    else if (got.status < 300) figures.acknowledged += 1;
    else figures.rejected += 1;
    if (got !== undefined && ![200, 400, 429, 503].includes(got.status)) this.violations.push(got);
    if (this.#waiting !== undefined && figures.acknowledged >= this.#waiting.count) this.#waiting.resolve();
    return got?.status ?? 0;
  }

  /** Repeats a request without an answer, as clients do. */
  async #createJob(): Promise<void> {
    const key = `job-${this.jobs.size}`;
    const ids = new Set<unknown>();
    this.jobs.set(key, ids);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const got = await this.sendJob(key);
      const status = this.#note(got);
      if (status === 200) ids.add(got?.body.jobId);
      // Sometimes an acknowledged one is repeated too.
      if (status === 429 || (status === 200 && (attempt > 0 || this.jobs.size % 5 > 0))) return;
    }
  }

  sendJob(key: string): Promise<Got> {
    const place = Number(key.slice(4)) % places;
    return send(`${this.#target.origin}/v1/devices/LK${place}/jobs/bridges/BR${place}`, {
      headers: { ...this.#headers, 'Idempotency-Key': key },
      body: '{"jobType":"GET_BATTERY_LEVEL"}',
    });
  }

  get #headers() {
    return { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json' };
  }

  async #createPin(): Promise<void> {
    const count = this.pins.size;
    const hour = 3_600_000;
    const start = new Date((Math.floor(Date.now() / hour) + 1 + (Math.floor(count / places) % 5000)) * hour);
    const name = `guest ${count}`;
    this.pins.set(name, undefined);
    const got = await send(`${this.#target.origin}/v1/devices/LK${count % places}/algopin/onetime`, {
      headers: this.#headers,
      body: JSON.stringify({ accessName: name, startDate: start.toISOString() }),
    });
    if (this.#note(got) === 200) this.pins.set(name, got?.body.pinId);
  }

  async #rotate(): Promise<void> {
    const chain = this.chains.shift();
    if (chain === undefined) return this.#exchangeOne();
    const got = await this.refresh(chain.token);
    const status = this.#note(got);
    if (status === 200) {
      this.#accept(chain.token);
      chain.used.push(chain.token);
      chain.token = String(got?.body.refresh_token);
      chain.isUnsure = false;
    } else if (status === 400) {
      if (!chain.isUnsure) this.violations.push({ lost: 'a refresh token', got });
      this.dead.push(chain);
      return;
    } else chain.isUnsure = true;
    this.chains.push(chain);
  }

  /** Sends some codes twice at once: then at most one is accepted, and the grant is revoked. */
  async #exchangeOne(): Promise<void> {
    const code = this.#codes.pop();
    if (code === undefined) return this.#createJob();
    const isDoubled = this.#codes.length % 3 === 0;
    const all = await Promise.all(Array.from({ length: isDoubled ? 2 : 1 }, () => this.exchange(code)));
    for (const got of all)
      if (this.#note(got) === 200) {
        this.#accept(code);
        this.exchanged.push(code);
        const token = String(got?.body.refresh_token);
        if (!isDoubled) this.chains.push({ token, used: [], isUnsure: false });
      }
  }

  #accept(secret: string): void {
    this.accepted.set(secret, (this.accepted.get(secret) ?? 0) + 1);
  }
}
