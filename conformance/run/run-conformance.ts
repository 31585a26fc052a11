import type { Contract, Operation } from '../contract/contract.ts';
import { runQueue } from '../execute/queue.ts';
import { planPhases } from '../phases/plan-phases.ts';
import { cleanUpRun } from './clean-up-run.ts';
import { concludeRun } from './conclude-run.ts';
import { prepareRun } from './prepare-run.ts';
import type { RunEvents, RunOptions, RunResult } from './run.ts';
import { shrinkFindings } from './shrink-findings.ts';
import { RunnerFailure } from './verdict.ts';

/**
 * Runs the plan against a deployment and judges every answer. Never throws because of the deployment.
 *
 * @param plan creates the scenarios
 */
export async function runConformance(
  contract: Contract,
  options: RunOptions,
  events: RunEvents = {},
  signal: AbortSignal = new AbortController().signal,
  plan: typeof planPhases = planPhases,
): Promise<RunResult> {
  const run = prepareRun(contract, options, events, signal);
  const { context, engine, ended, deadline, outages, address } = run;
  let failure: RunnerFailure | undefined;
  const sendable = new Set(run.sendable);
  const isSent = (operation: Operation): boolean => sendable.has(operation);
  const planned = plan(contract, run.selected, isSent, options);
  run.expect(planned);

  const cut = await runQueue({
    scenarios: planned.map(({ scenario }) => scenario).filter(({ operation }) => isSent(operation)),
    context,
    engine,
    needsProof: run.needsProof(),
    controls: run.controls,
    fold: (scenario, turn) => {
      run.fold(scenario, turn);
      // The rest of the plan would only wait for the same deployment.
      if (outages.goneForMs() !== undefined || address.judged().away !== undefined) run.stop();
    },
    options: { workers: options.workers, requests: options.budget.requests, deadline, signal: ended },
  }).catch((error: unknown) => {
    failure = new RunnerFailure(error);
    run.stop();
    return 'interrupted' as const;
  });
  if (signal.reason instanceof RunnerFailure) failure ??= signal.reason;

  run.judgeOutages();
  const lost = await run.findLostAddress();
  await run.close();
  if (failure === undefined && !signal.aborted && !run.isStopped() && lost === undefined)
    await shrinkFindings(run, signal)
      .catch((error: unknown) => {
        failure = new RunnerFailure(error);
      })
      .finally(run.close);
  const leftBehind = await cleanUpRun(run, signal);
  return concludeRun(run, { cut, lost, failure, leftBehind });
}
