import cluster, { type Worker } from 'node:cluster';
import { WrongUse } from '@lockstep/shell/wrong-use';
import type { RunningService } from './start-service.ts';
import type { Manner, ServingProcess } from './supervise.ts';

// The two sides of a serving process, and the messages between them. The parent listens on the port and gives each new connection to the next
// process (round robin of node:cluster). With `reusePort` the kernel would do so, but it resets the connections which wait for a process that
// stops listening; processes that share a listening socket get them unevenly.

/** To the parent. */
type Report =
  /** From now on the process receives messages. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'ready'; readonly origin: string }
  /** The process can't start. `json` is the output of `--json`. */
  | { readonly kind: 'failed'; readonly text: string; readonly json: object }
  | { readonly kind: 'stopped'; readonly cut: number };

/** To the process. */
interface Order {
  readonly manner: Manner;
}

/** A process that does not start, with its own message. */
class ProcessFault extends WrongUse {
  override readonly name = 'ProcessFault';
  readonly #json: object;

  constructor(message: string, json: object = { error: message }) {
    super(message);
    this.#json = json;
  }

  override get json(): object {
    return this.#json;
  }
}

/** Whether this process was started by `startServingProcess`. */
export const isServingProcess = cluster.isWorker;

/**
 * Starts this program again, with the same arguments, as one of several processes on a port.
 *
 * @param origin that of the processes which serve already
 */
export function startServingProcess(origin: string | undefined): ServingProcess {
  // The others know the origin by the port that the first one got. With this variable a process listens last.
  const worker = cluster.fork(origin === undefined ? {} : { PUBLIC_ORIGIN: origin });
  closeUnaccepted(worker);
  const begun = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<string>();
  const exited = Promise.withResolvers<{ code: number | null; signal: string | null }>();
  let cut = 0;
  const receive: { readonly [Kind in Report['kind']]: (report: Extract<Report, { kind: Kind }>) => void } = {
    begun: () => begun.resolve(),
    ready: (report) => ready.resolve(report.origin),
    failed: ({ text, json }) => ready.reject(new ProcessFault(text, json)),
    stopped: (report) => {
      cut = report.cut;
    },
  };
  worker.on('message', (report: Report) => receive[report.kind](report as never));
  // Also when the operating system starts no further process.
  worker.on('error', (error) => {
    ready.reject(error);
    exited.resolve({ code: null, signal: null });
  });
  worker.once('exit', (code, signal) => exited.resolve({ code, signal }));
  const disconnected = new Promise<void>((resolve) => void worker.once('disconnect', resolve));
  return {
    pid: worker.process.pid ?? 0,
    ready: ready.promise,
    exited: exited.promise.then(async (exit) => {
      // The last message may arrive after the exit.
      if (worker.isConnected()) await disconnected;
      const how = exit.signal === null ? `with ${exit.code}` : `by ${exit.signal}`;
      ready.reject(new ProcessFault(`A process exited ${how} before it was ready.`));
      return { ...exit, cut };
    }),
    stop: (manner) => void begun.promise.then(() => order(worker, { manner })),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

/**
 * Closes the connections that a process was given, but did not accept before it exited. node:cluster forgets them, so that their clients would wait
 * without end: the one thing here that depends on its messages (`internal/cluster/utils.js`).
 */
function closeUnaccepted(worker: Worker): void {
  const child = worker.process as unknown as {
    send: (message: { readonly act?: string; readonly seq?: number }, ...more: unknown[]) => boolean;
    on: (name: 'internalMessage', listener: (message: { readonly ack?: number }) => void) => void;
  };
  const given = new Map<number | undefined, { readonly close: () => void }>();
  const send = child.send;
  child.send = (message, ...more) => {
    if (message.act === 'newconn') given.set(message.seq, more[0] as { readonly close: () => void });
    return send.call(child, message, ...more);
  };
  child.on('internalMessage', ({ ack }) => void given.delete(ack));
  worker.once('exit', () => {
    for (const connection of given.values()) connection.close();
  });
}

/** An order to a process that has just exited gets lost. */
function order(worker: Worker, message: Order): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/**
 * Runs the service in a process that `startServingProcess` has started, until the parent stops it. If the parent is gone, node:cluster stops
 * the process at once.
 *
 * @param describe the message about an error, as text and for `--json`
 */
export async function runServingProcess(
  start: (stopping: AbortSignal) => Promise<RunningService>,
  describe: (error: unknown) => { readonly text: string; readonly json: object },
): Promise<void> {
  // A terminal and systemd send their signals to all processes, but only the parent knows whether it is the first or the second one.
  // SIGHUP has a listener already (`listenForHangUp`).
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  const stopping = new AbortController();
  const asked = Promise.withResolvers<Manner>();
  let service: RunningService | undefined;
  process.on('message', ({ manner }: Order) => {
    stopping.abort();
    asked.resolve(manner);
    // A process that retires closes its idle connections when all stop.
    if (manner === 'close') void service?.close();
  });
  await report({ kind: 'begun' });
  try {
    service = await start(stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) return;
    process.exitCode = 2;
    const { text, json } = describe(error);
    await report({ kind: 'failed', text, json });
    return;
  }
  await report({ kind: 'ready', origin: service.origin });
  const { cut } = await ((await asked.promise) === 'retire' ? service.retire() : service.close());
  await report({ kind: 'stopped', cut });
}

function report(message: Report): Promise<void> {
  return new Promise((resolve) => void process.send?.(message, undefined, undefined, () => resolve()));
}
