import { StoreUnavailable } from '../store.ts';
import { isBusy } from './sqlite-error.ts';

/** Longer than any transaction of this code. A request that waits longer waits for a stuck process, and is answered 503. */
const patienceMs = 500;

/** Further writers are refused at once. When the lock is released, this many commits take a second on a disk that needs 1 ms for each. */
const longestQueue = 1000;

/** The first pauses of SQLite's own busy handler. One attempt takes some 10 µs. */
const pollMs = [1, 2, 5] as const;

interface Waiter {
  readonly since: number;
  /** Whether the turn is kept until `leave`. */
  readonly keeps: boolean;
  /** @throws StoreUnavailable while the database is busy: the queue tries again */
  readonly attempt: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Lets writers of a SQLite file run one at a time, in the order of arrival. SQLite's own wait for another process's lock blocks the event
 * loop, for one writer after the other: ten of them delayed `/healthz` by 6 s. Here all of them wait by one timer.
 */
export class WriteQueue {
  readonly #waiting: Waiter[] = [];
  readonly #elapsed: () => number;
  #turn: PromiseWithResolvers<void> | undefined;
  #isScheduled = false;
  #polls = 0;

  /** @param elapsed a monotonic clock in milliseconds */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /**
   * Runs `act` when its turn comes, again while another process has the lock, and passes the turn on.
   *
   * @param act one statement; its errors are thrown, except that the database is busy
   * @throws StoreUnavailable when the database is busy for 500 ms, or 1,000 writers wait already
   */
  run<Result>(act: () => Result): Promise<Result> {
    return this.#enter(act, false);
  }

  /** The same for the first statement of a transaction: if it succeeds, no other writer has a turn until `leave`. */
  enter<Result>(act: () => Result): Promise<Result> {
    return this.#enter(act, true);
  }

  /** Finishes the turn of `enter`. Readers that waited for the end of the transaction run before the next writer. */
  leave(): void {
    this.#turn?.resolve();
    this.#turn = undefined;
    this.#goOn();
  }

  /** Waits until no transaction of this process is open: readers must not see its changes before the commit. */
  async whenFree(): Promise<void> {
    while (this.#turn !== undefined) await this.#turn.promise;
  }

  /** Whether a statement that changes nothing may run now. */
  get isFree(): boolean {
    return this.#turn === undefined;
  }

  async #enter<Result>(act: () => Result, keeps: boolean): Promise<Result> {
    if (this.#turn === undefined && this.#waiting.length === 0) {
      try {
        const result = act();
        if (keeps) this.#turn = Promise.withResolvers();
        return result;
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
    if (this.#waiting.length >= longestQueue)
      throw new StoreUnavailable(`the database is unavailable: ${longestQueue} writers wait for it`);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const attempt = () => resolve(act());
    this.#waiting.push({ since: this.#elapsed(), keeps, attempt, refuse: reject });
    if (this.#waiting.length === 1 && this.#turn === undefined) this.#pollAgain();
    return promise;
  }

  /** Runs the next writer in a new turn of the event loop, so that requests are answered between two writers. */
  #goOn(): void {
    if (this.#waiting.length === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isScheduled = false;
    const [first] = this.#waiting;
    if (first === undefined || this.#turn !== undefined) return;
    try {
      first.attempt();
      if (first.keeps) this.#turn = Promise.withResolvers();
    } catch (error) {
      if (isBusy(error)) {
        this.#refuseLongest(error);
        this.#pollAgain();
        return;
      }
      first.refuse(error);
    }
    this.#polls = 0;
    this.#waiting.shift();
    if (this.#turn === undefined) this.#goOn();
  }

  #pollAgain(): void {
    if (this.#waiting.length === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => this.#takeTurn(), pollMs[Math.min(this.#polls, pollMs.length - 1)]);
    this.#polls += 1;
  }

  /** Waiters are in the order of their arrival. */
  #refuseLongest(error: StoreUnavailable): void {
    const now = this.#elapsed();
    for (
      let first = this.#waiting[0];
      first !== undefined && now - first.since >= patienceMs;
      first = this.#waiting[0]
    ) {
      this.#waiting.shift();
      const waitedMs = Math.round(now - first.since);
      first.refuse(new StoreUnavailable(`${error.message}, for ${waitedMs} ms by now`, { cause: error.cause }));
    }
  }
}
