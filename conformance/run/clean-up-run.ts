import type { Contract } from '../contract/contract.ts';
import type { CleanUp, Left } from '../ledger/clean-up.ts';
import type { LedgerLine } from '../ledger/ledger.ts';
import { prepareRun, type Run } from './prepare-run.ts';
import type { RunEvents, RunOptions } from './run.ts';
import { RunnerFailure } from './verdict.ts';

/** Time for the clean-up without that of `--rate`; and after an interruption, as `docker stop` kills a process after 10 s. */
const [mostMs, interruptedMs] = [30_000, 8_000];

/** Requests of one write: most need one, a search in a list two or three. */
const mostRequests = 3;

/**
 * Undoes the writes of a run within bounds, and deletes the ledger if no later clean-up could undo more.
 *
 * @param interrupted leaves less time
 */
export async function cleanUpRun(run: Run, interrupted: AbortSignal): Promise<readonly Left[]> {
  const { left } = await cleanUpWithin(run, interrupted);
  if (left.some(({ isOpen }) => isOpen)) run.ledger.close();
  else run.ledger.remove();
  return left;
}

/**
 * Undoes the writes of a ledger after a crash. The file stays, so that a second clean-up finds nothing to do.
 *
 * @param options as for a run; `ledger` is the file, `seed` that of the ledger
 */
export async function cleanLedger(
  contract: Contract,
  options: RunOptions,
  lines: readonly LedgerLine[],
  events: RunEvents,
  interrupted: AbortSignal,
): Promise<CleanUp> {
  const run = prepareRun(contract, options, events, interrupted, lines);
  const done = await cleanUpWithin(run, interrupted);
  run.ledger.close();
  await run.close();
  return done;
}

async function cleanUpWithin(run: Run, interrupted: AbortSignal): Promise<CleanUp> {
  const { ledger, options, outages, lostAccess } = run;
  const { length } = ledger.entries();
  if (length === 0) return { undone: 0, left: [] };
  const useless =
    (interrupted.reason instanceof RunnerFailure && 'the runner failed') ||
    (outages.goneForMs() !== undefined && 'the deployment no longer answers') ||
    (lostAccess.length > 0 && 'the deployment no longer accepts the credentials');
  if (useless !== false) return await run.cleanUp(AbortSignal.abort(useless));
  const end = new AbortController();
  const stopAfter = (ms: number): unknown => setTimeout(() => end.abort('the time was up'), ms).unref();
  const hurry = (): unknown => stopAfter(interruptedMs);
  stopAfter(
    mostMs + (options.ratePerSecond === undefined ? 0 : (mostRequests * length * 1_000) / options.ratePerSecond),
  );
  if (interrupted.aborted) hurry();
  else interrupted.addEventListener('abort', hurry, { once: true });
  try {
    return await run.cleanUp(end.signal);
  } finally {
    interrupted.removeEventListener('abort', hurry);
  }
}
