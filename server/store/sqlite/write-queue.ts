import { StoreUnavailable } from '../store.ts';
import { isBusy } from './sqlite-error.ts';

/** Longer than any transaction of ours; who waits longer waits for something that is stuck, and is answered 503. */
const patienceMs = 500;

/** Beyond it a writer is refused at once. When the lock comes free this many commits take a second on a disk that needs 1 ms for each. */
const longestQueue = 1000;

/** As SQLite's own busy handler begins. One attempt takes some 10 µs. */
const pollMs = [1, 2, 5] as const;

interface Waiter {
  readonly since: number;
  /** Whether the turn is kept until `leave`. */
  readonly keeps: boolean;
  /** @throws what a busy database throws, to be tried again */
  readonly attempt: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Who writes to a SQLite file: one at a time, first come first served. SQLite's own wait for a lock that another process holds stops the
 * event loop, and one writer after the other: ten of them kept `/healthz` from an answer for 6 s. Here they wait by a timer, together.
 */
export class WriteQueue {
  readonly #waiting: Waiter[] = [];
  readonly #elapsed: () => number;
  #turn: PromiseWithResolvers<void> | undefined;
  #isScheduled = false;
  #polls = 0;

  /** @param elapsed what waiting is timed by, in milliseconds */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /**
   * Runs `act` when its turn comes, as often as another process holds the lock, and passes the turn on.
   *
   * @param act one statement; what it throws is thrown, unless it says that the database is busy
   * @throws StoreUnavailable when that lasts for 500 ms, or 1,000 wait already
   */
  run<Result>(act: () => Result): Promise<Result> {
    return this.#enter(act, false);
  }

  /** The same for the first statement of a transaction: where it succeeds, nobody else has a turn until `leave`. */
  enter<Result>(act: () => Result): Promise<Result> {
    return this.#enter(act, true);
  }

  /** Ends the turn that `enter` took. Who wants to read has waited for the end of a transaction, and comes before the next writer. */
  leave(): void {
    this.#turn?.resolve();
    this.#turn = undefined;
    this.#goOn();
  }

  /** Until no transaction of this process is open: its changes are nobody else's to read before they are committed. */
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
      throw new StoreUnavailable(`the database does not answer: ${longestQueue} writers wait for it`);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const attempt = () => resolve(act());
    this.#waiting.push({ since: this.#elapsed(), keeps, attempt, refuse: reject });
    if (this.#waiting.length === 1 && this.#turn === undefined) this.#pollAgain();
    return promise;
  }

  /** The next writer, in a turn of the event loop of its own: however many have waited, requests are answered in between. */
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

  /** They stand in the order in which they came. */
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
