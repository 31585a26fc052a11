import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../contract/contract.ts';
import { counted, printable } from '../contract/printable.ts';
import type { planPhases } from '../phases/plan-phases.ts';
import { createLiveProgress, formatProgress } from '../reports/console.ts';
import type { RunEvents, RunOptions, RunResult } from '../run/run.ts';
import { runConformance } from '../run/run-conformance.ts';

export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly error: { readonly isTTY?: boolean; write(text: string): unknown };
}

export interface RunSignals {
  readonly interrupted: AbortSignal;
  /** Aborted by an uncaught failure of the runner, with a `RunnerFailure` as its reason. */
  readonly failed: AbortSignal;
}

/** Longest wait for the end of a run after the runner failed: a promise may stay pending. */
const patienceMs = 5_000;

interface Watched {
  readonly contract: Contract;
  readonly run: RunOptions;
  readonly events: RunEvents;
  readonly streams: Streams;
  readonly signals: RunSignals;
  readonly plan?: typeof planPhases;
}

/** The deployment, the permissions and the seed of a run, in one line. */
export function describeStart({ title }: Contract, run: RunOptions, config: string | undefined): string {
  const effects = run.permissions.effects.join(', ') || 'none';
  const writes = run.permissions.readOnly ? 'read-only' : run.permissions.writes;
  const options = config === undefined ? '' : `, options of ${config}`;
  return `${printable(title)} at ${run.baseUrl}: writes ${writes}, effects ${effects}, seed ${run.seed}, now ${new Date(run.now).toISOString()}${options}`;
}

/**
 * Runs the plan, and shows its progress and that of its clean-up.
 *
 * @throws the failure of the runner, if the run does not end after it
 */
export async function watchRun({ contract, run, events, streams, signals, plan }: Watched): Promise<RunResult> {
  const { interrupted, failed } = signals;
  const live = createLiveProgress(streams.error);
  const cleaning = showCleanUp(streams);
  const running = runConformance(
    contract,
    run,
    {
      ...events,
      onProgress: (progress) => {
        live.show(() => formatProgress(progress));
        events.onProgress?.(progress);
      },
      onCleanUp: cleaning.show,
      onFinding: (finding) => {
        live.clear();
        events.onFinding?.(finding);
      },
    },
    AbortSignal.any([interrupted, failed]),
    plan,
  );
  const result = await Promise.race([running, timeOutAfter(failed)]);
  live.clear();
  cleaning.clear();
  if (result !== undefined) return result;
  if (run.ledger !== undefined && existsSync(run.ledger))
    streams.error.write(`To undo the writes of this run, use its options: clean ${run.ledger}\n`);
  throw failed.reason;
}

/** Reports the progress of a clean-up after two seconds. */
export function showCleanUp({ error }: Streams) {
  let live: ReturnType<typeof createLiveProgress> | undefined;
  return {
    show: (done: number, all: number): void => {
      live ??= createLiveProgress(error, 2_000);
      live.show(() => `clean-up: ${done} of ${counted(all, 'write')}`);
    },
    clear: (): void => live?.clear(),
  };
}

/** Settles some time after the runner has failed, else never. */
function timeOutAfter(failed: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const begin = (): unknown => sleep(patienceMs, undefined, { ref: false }).then(resolve);
    if (failed.aborted) begin();
    else failed.addEventListener('abort', begin, { once: true });
  });
}
