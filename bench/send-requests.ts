import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import type { RunContext } from '../conformance/checks/check.ts';
import type { Contract, Operation } from '../conformance/contract/contract.ts';
import { readContract } from '../conformance/contract/read-contract.ts';
import type { Exchange } from '../conformance/execute/exchange.ts';
import type { Scenario } from '../conformance/execute/scenario.ts';
import { toolsFor } from '../conformance/execute/session.ts';
import { planBaseline } from '../conformance/phases/baseline.ts';
import type { PlannedScenario } from '../conformance/phases/plan-phases.ts';
import { noConstraints } from '../conformance/rejections/constraints.ts';
import { exampleTarget } from '../conformance/resources/find-targets.ts';
import type { RunEvents, RunOptions, RunResult } from '../conformance/run/run.ts';
import { runConformance } from '../conformance/run/run-conformance.ts';
import { plainVariant } from '../conformance/search/attempt.ts';
import { createRequestBuilder } from '../conformance/search/build-request.ts';
import { oneItem, writeContract } from './conform-contract.ts';

// One side of `conform-speed` as a process of its own, or its server. A side prints one JSON value, the server its address.

const inFlight = 16;
const warmUpMs = 1_000;
const measuredMs = 3_000;
const heapAt = [10_000, 100_000] as const;
/** Behind everything that the baseline has to send. */
const lastRank = 99;

const sides: Readonly<Record<string, (base: string) => Promise<unknown>>> = {
  undici: loadWithUndici,
  runner: loadWithRunner,
  'first sight': meetAll,
  heap: measureHeap,
};

const [side = '', base = ''] = process.argv.slice(2);
if (side === 'server') serveOneBody();
else process.stdout.write(`${JSON.stringify(await sides[side]?.(base))}\n`);

/** The same small body for every request, whose content it reads and drops. */
function serveOneBody(): void {
  const body = JSON.stringify(oneItem);
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  }).listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
}

/** Milliseconds for 1,000 requests, after the first second. */
async function loadWithUndici(base: string): Promise<number> {
  const pool = new Pool(base, { connections: inFlight, pipelining: 1 });
  const began = performance.now();
  let sent = 0;
  let isOver = false;
  const work = async (): Promise<void> => {
    while (!isOver) {
      const { body } = await pool.request({ path: '/things0?q=a', method: 'GET' });
      await body.json();
      sent += 1;
    }
  };
  const working = Array.from({ length: inFlight }, work);
  const result = await measure(began, () => sent);
  isOver = true;
  await Promise.all(working);
  await pool.close();
  return result;
}

async function measure(began: number, sent: () => number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, warmUpMs));
  const [from, before] = [performance.now(), sent()];
  await new Promise((resolve) => setTimeout(resolve, began + warmUpMs + measuredMs - performance.now()));
  return (1_000 * (performance.now() - from)) / (sent() - before);
}

/** Milliseconds for 1,000 requests, after the first second. */
async function loadWithRunner(base: string): Promise<number> {
  let sent = 0;
  const running = runRepeatedly(
    base,
    { requests: undefined, milliseconds: warmUpMs + measuredMs + 500 },
    (requests) => {
      sent = requests;
    },
  );
  const result = await measure(performance.now(), () => sent);
  requireAccepted(await running);
  return result;
}

/** Bytes of the heap after a collection, at each of two numbers of requests. */
async function measureHeap(base: string): Promise<readonly number[]> {
  const found: number[] = [];
  const budget = { requests: heapAt[1] + 20, milliseconds: undefined };
  const see = (requests: number): void => {
    if (requests < (heapAt[found.length] ?? Number.POSITIVE_INFINITY)) return;
    globalThis.gc?.();
    found.push(process.memoryUsage().heapUsed);
  };
  requireAccepted(await runRepeatedly(base, budget, see));
  return found;
}

/** Milliseconds for 1,000 requests, from the start of a run on 3,000 operations to its end. */
async function meetAll(base: string): Promise<number> {
  const contract = readContract('things.json', writeContract(3_000));
  const budget = { requests: undefined, milliseconds: undefined };
  const result = await runConformance(contract, optionsFor(base, budget));
  requireAccepted(result);
  return (1_000 * result.durationMs) / result.requests;
}

function runRepeatedly(
  base: string,
  budget: RunOptions['budget'],
  see: (requests: number) => void,
): Promise<RunResult> {
  const contract = readContract('things.json', writeContract(20));
  const events: RunEvents = { onProgress: ({ requests }) => see(requests) };
  return runConformance(contract, optionsFor(base, budget), events, new AbortController().signal, planCases);
}

/**
 * The baseline, and once an operation has been accepted case after case of it: values are made anew for each, judged and encoded, and the
 * request is sent, as the cases of a later phase are. The baseline's searches are over by then.
 */
function planCases(contract: Contract, operations: readonly Operation[]): readonly PlannedScenario[] {
  const setting = { isSent: () => true, hasProbes: false };
  const scenarios = planBaseline(contract, operations, setting).map((baseline, index): Scenario<RunContext> => {
    const { operation, phase } = baseline;
    let sent = 0;
    return {
      ...baseline,
      get domain() {
        return baseline.domain;
      },
      rank: (context) => baseline.rank(context) ?? [lastRank],
      run: async (session, context, allowance) => {
        if (baseline.rank(context) !== undefined) return baseline.run(session, context, allowance);
        const exchanges: Exchange[] = [];
        while (exchanges.length < allowance) {
          sent += 1;
          const tools = toolsFor(context, operation, phase, sent * operations.length + index);
          const builder = createRequestBuilder(tools, operation);
          const draft = builder.build(exampleTarget, plainVariant, context.resources, noConstraints);
          if (draft === undefined) throw new Error(`no case of ${operation.id}`);
          const came = await session.send(draft);
          // The run is over.
          if (came.length === 0) break;
          exchanges.push(...came);
        }
        return { exchanges, reasons: [] };
      },
    };
  });
  return scenarios.map((scenario) => ({ scenario, probes: [] }));
}

function optionsFor(baseUrl: string, budget: RunOptions['budget']): RunOptions {
  return {
    baseUrl,
    authUrl: undefined,
    credentials: { token: 'x', clientId: undefined, clientSecret: undefined },
    permissions: { effects: [], readOnly: false, writes: 'all' },
    selection: { only: [], exclude: [] },
    checks: [],
    phases: ['baseline'],
    budget,
    seed: 1,
    now: Date.parse('2026-04-01T09:30:00Z'),
    workers: inFlight,
    ratePerSecond: undefined,
    timeoutMs: 10_000,
    maxWaitMs: 1_000,
    slowMs: 5_000,
    headers: [],
  };
}

/** @throws Error when the run was about something else than valid answers */
function requireAccepted({ findings, coverage, message }: RunResult): void {
  const missed = coverage.operations.filter(({ isReached }) => !isReached);
  if (findings.length > 0 || missed.length > 0) throw new Error(`${missed.length} operations not reached: ${message}`);
}
