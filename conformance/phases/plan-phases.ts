import type { RunContext } from '../checks/check.ts';
import { inputCheck } from '../checks/invalid-input.ts';
import { serverError } from '../checks/server-failure.ts';
import { validRefused } from '../checks/valid-refused.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import type { PhaseName } from '../execute/exchange.ts';
import type { Scenario } from '../execute/scenario.ts';
import { isLogIn, isTokenEndpoint } from '../plan/operation-kinds.ts';
import type { RunOptions } from '../run/run.ts';
import type { Means } from './access-probe.ts';
import { planAuth } from './auth.ts';
import { planBaseline } from './baseline.ts';
import { planBoundary } from './boundary.ts';
import { planChildren } from './children.ts';
import { planDetails } from './detail-lists.ts';
import { planDoubtedWrites } from './doubted-writes.ts';
import { planFilters } from './filter-lists.ts';
import { planIdempotency } from './idempotency.ts';
import { planJobs } from './jobs.ts';
import { planLifecycle } from './lifecycle.ts';
import { planNegative } from './negative.ts';
import { planOrders } from './order-lists.ts';
import { planPrecedence } from './precedence.ts';
import { type OperationProbes, type Probe, probeScenario, wantedProbes } from './probe.ts';
import { planProtocol } from './protocol.ts';
import { createRandomEnd, planRandom, randomScenario } from './random.ts';
import { planRandomStories } from './random-stories.ts';
import { planRateLimits } from './rate-limits.ts';
import { planReadOnly } from './read-only.ts';
import { planSettings } from './settings.ts';
import { planText } from './text.ts';
import { planPages } from './walk-lists.ts';

/** A scenario, with the probes that are obligations of its operation. */
export interface PlannedScenario {
  readonly scenario: Scenario<RunContext>;
  readonly probes: readonly Probe[];
}

/** Checks that judge random requests, apart from those of every answer. */
const ofRandom = [serverError.name, inputCheck.invalid, inputCheck.required];

type PlanOptions = Pick<RunOptions, 'phases' | 'checks' | 'second' | 'credentials' | 'permissions' | 'budget'>;

/**
 * Scenarios of the chosen phases. The baseline is always among them: every probe differs from an accepted request.
 *
 * @param operations operations of the run, of which the options may exclude some
 * @param isSent whether an operation may be sent; the probes of any other are only obligations
 */
export function planPhases(
  contract: Contract,
  operations: readonly Operation[],
  isSent: (operation: Operation) => boolean,
  { phases, checks, second, credentials, permissions, budget }: PlanOptions,
): readonly PlannedScenario[] {
  const { clientId, clientSecret, user, byScheme, expiredToken } = credentials;
  const means: Means = {
    hasSecond: second !== undefined,
    hasExpired: expiredToken !== undefined,
    hasClient: clientId !== undefined && clientSecret !== undefined && user === undefined && byScheme === undefined,
  };
  const isWanted = (check: string): boolean => checks.length === 0 || checks.includes(check);
  // A wrong log-in may count against an account; a token endpoint locks none.
  const asked = operations.filter((one) => !isLogIn(contract, one) || isTokenEndpoint(contract, one));
  const plans: Partial<Record<PhaseName, () => readonly OperationProbes[]>> = {
    story: () =>
      joinProbes([
        planLifecycle(contract, asked, permissions),
        planSettings(contract, asked, permissions),
        planIdempotency(contract, asked),
        planChildren(contract, asked, permissions),
        planJobs(contract, asked, permissions),
        planPages(contract, asked, permissions),
        planFilters(contract, asked, permissions),
        planOrders(contract, asked, permissions),
        planDetails(contract, asked),
        planDoubtedWrites(contract, asked, permissions),
        planRandomStories(contract, asked, permissions),
        planRateLimits(contract, asked),
      ]),
    auth: () => planAuth(contract, operations, means, permissions),
    protocol: () => planProtocol(contract, operations, permissions),
    negative: () =>
      joinProbes([
        planNegative(contract, operations),
        planReadOnly(contract, asked, permissions),
        planPrecedence(contract, asked, permissions),
      ]),
    text: () => planText(contract, operations, permissions),
    random: () => (ofRandom.some(isWanted) ? planRandom(contract, operations, permissions) : []),
  };
  const hasProbes = phases.some((phase) => phase !== 'baseline');
  const baseline = planBaseline(contract, operations, { isSent, hasProbes }).map((scenario) => ({
    scenario,
    probes: [],
  }));
  const hasBudget = budget.requests !== undefined || budget.milliseconds !== undefined;
  const randomEnd = createRandomEnd(operations.length, hasBudget);
  const others = phases.flatMap((phase) =>
    (plans[phase]?.() ?? []).map((given) => {
      const probes = wantedProbes(given.probes, isWanted);
      const scenario = probeScenario(contract, { ...given, probes }, phase, { isWanted, isSent });
      return { scenario: phase === 'random' ? randomScenario(scenario, randomEnd) : scenario, probes };
    }),
  );
  const isBoundary = phases.includes('boundary') && isWanted(validRefused.name);
  const boundary = isBoundary ? planBoundary(contract, operations, permissions, isSent) : [];
  return [...baseline, ...others, ...boundary.map((scenario) => ({ scenario, probes: [] }))];
}

/** The probes of several plans, by operation: a phase has one scenario for each. */
function joinProbes(plans: readonly (readonly OperationProbes[])[]): readonly OperationProbes[] {
  const byOperation = Map.groupBy(plans.flat(), ({ operation }) => operation);
  return [...byOperation].map(([operation, parts]) => {
    const more = parts.find((part) => part.more !== undefined)?.more;
    return { operation, probes: parts.flatMap(({ probes }) => probes), ...(more && { more }) };
  });
}
