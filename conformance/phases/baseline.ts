// Searches one accepted request for each operation, from the surest candidates to the least likely.
import type { RunContext } from '../checks/check.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import type { DataTools } from '../data/value-candidates.ts';
import type { Domain, Scenario } from '../execute/scenario.ts';
import { toolsFor } from '../execute/session.ts';
import { dangerOf, kindOf, type OperationKind } from '../plan/operation-kinds.ts';
import { orderOperations } from '../plan/plan.ts';
import { namesIn } from '../rejections/constraints.ts';
import { bodySchemaOf } from '../rejections/find-place.ts';
import { enumOf, type Target } from '../resources/find-targets.ts';
import { isIdName, nounOf, plainPath, slotsOf, stemOf } from '../resources/slots.ts';
import { requestForm } from '../schema/canonical.ts';
import { startSearch, startTurn } from '../search/attempt.ts';
import { createRequestBuilder, type RequestBuilder } from '../search/build-request.ts';
import { allTargets } from '../search/choose-targets.ts';
import { rankOf } from '../search/ranks.ts';
import { most, type Search, strategies } from '../search/strategies.ts';
import { takeTurn } from '../search/take-turn.ts';
import { createSupply } from './own-objects.ts';

interface Setting {
  /** Whether an operation may be sent. */
  readonly isSent: (operation: Operation) => boolean;
  /** Whether probes follow, which need the objects of the baseline. */
  readonly hasProbes: boolean;
}

export function planBaseline(
  contract: Contract,
  operations: readonly Operation[],
  setting: Setting,
): readonly Scenario<RunContext>[] {
  return orderOperations(operations.filter(setting.isSent)).flatMap((level, index) =>
    level.map((operation) => baselineScenario(contract, operation, index, setting)),
  );
}

function baselineScenario(
  contract: Contract,
  operation: Operation,
  level: number,
  { isSent, hasProbes }: Setting,
): Scenario<RunContext> {
  const kind = kindOf(contract, operation);
  const danger = dangerOf(operation, kind);
  const names = referenceNames(contract, operation);
  const domain = domainOf(operation, kind, danger);
  const targetsIn = rememberTargets(operation, kind, names);
  const supply = createSupply(operation, kind, 'baseline', isSent);
  let hasSpare = kind !== 'remove' || !hasProbes;
  const hasChoice = operation.parameters.some(
    ({ in: where, schema }) => where === 'path' && enumOf(contract, schema).length > 0,
  );
  let isPromising = hasChoice || slotsOf(operation.path).length === 0;
  let state = startSearch(operation);
  let tools: DataTools | undefined;
  let builder: RequestBuilder | undefined;

  const searchIn = (context: RunContext): Search => {
    const revision = context.resources.revisionFor(operation, [...names, ...namesIn(state.constraints)]);
    return { context, operation, kind, isDestructive: danger > 0, revision };
  };
  const choose = (search: Search) => {
    for (const strategy of strategies) {
      const stage = strategy.stage(search, state);
      if (stage !== undefined) return { strategy, stage };
    }
    return undefined;
  };

  return {
    id: `baseline ${operation.id}`,
    operation,
    phase: 'baseline',
    get domain() {
      return state.isAlone ? { ...domain, kind: 'alone' as const } : domain;
    },
    mostRequests: most.turn,
    rank: (context) => {
      const search = searchIn(context);
      const chosen = choose(search);
      if (chosen === undefined) return undefined;
      // Every round ranks all searches, so this only asks whether targets may exist. The turn finds them.
      isPromising ||= kind === 'remove' || context.resources.mayAddress(operation);
      const isForeign = kind === 'remove' && targetsIn(context)[0]?.owned !== true;
      const waits = countWaits(context, operation, names);
      const standing = { level, turns: state.turns, isPromising, waits, isForeign, danger };
      return rankOf(chosen.stage, search, standing);
    },
    run: async (session, context, allowance) => {
      tools ??= toolsFor(context, operation, 'baseline', 0);
      builder ??= createRequestBuilder(tools, operation);
      const search = searchIn(context);
      const chosen = choose(search);
      if (chosen === undefined) return { exchanges: [], reasons: [] };
      if (!hasSpare && targetsIn(context)[0]?.owned === true) {
        hasSpare = true;
        // The probes of other operations still need the object that they have used.
        const created = await supply(session, context);
        if (created.length > 0) return { exchanges: created, reasons: [] };
      }
      const turn = { ...search, tools, builder, targets: targetsIn(context) };
      const taken = await takeTurn(turn, chosen.strategy, startTurn(state, search.revision), session, allowance);
      state = taken.state;
      // A rejection may have named more resources, whose revision counts now.
      const { revision } = searchIn(context);
      state = { ...state, revision, exhausted: state.exhausted === search.revision ? revision : state.exhausted };
      return { exchanges: taken.exchanges, reasons: state.progress === 'open' ? [...state.reasons] : [] };
    },
  };
}

function rememberTargets(operation: Operation, kind: OperationKind, names: readonly string[]) {
  let known: { readonly revision: number; readonly targets: readonly Target[] } | undefined;
  return (context: RunContext): readonly Target[] => {
    const revision = context.resources.revisionFor(operation, names);
    if (known?.revision !== revision) known = { revision, targets: allTargets(context, operation, kind) };
    return known.targets;
  };
}

function domainOf({ path }: Operation, kind: OperationKind, danger: number): Domain {
  const isAlone = danger > 0 || kind === 'action';
  return { path: path.replace(/\/?\{.*$/s, ''), kind: isAlone ? 'alone' : kind === 'read' ? 'reads' : 'writes' };
}

/** Number of needed ids that other operations may still find. */
function countWaits({ resources }: RunContext, { path }: Operation, names: readonly string[]): number {
  const own = plainPath(path);
  const untried = slotsOf(path).filter(({ key }) => {
    const slot = resources.slots.get(key);
    return slot?.isReadable === true && slot.proven.length === 0 && key !== own;
  });
  const unknown = names.filter((name) => !resources.knows(name) && resources.mayKnow(name));
  return Math.min(5, untried.length + unknown.length);
}

/** Plain names of other resources in required parameters and the body: ids of these may help the operation. */
function referenceNames(contract: Contract, operation: Operation): string[] {
  const asked = operation.parameters.filter(({ in: where, required }) => required && where !== 'path');
  const schema = bodySchemaOf(operation);
  const form = requestForm(contract);
  const members = schema === undefined ? [] : [...form.branch(form.at(schema)).properties.keys()];
  const nouns = nounsOf(contract);
  const own = nounOf(operation.path);
  const stems = [...asked.map(({ name }) => name), ...members.slice(0, 60)]
    .filter((name) => isIdName(name) || nouns.has(stemOf(name)))
    .map(stemOf);
  return [...new Set(stems)].filter((stem) => stem !== '' && stem !== own);
}

function nounsOf(contract: Contract): ReadonlySet<string> {
  const known = nouns.get(contract) ?? new Set(contract.operations.map(({ path }) => nounOf(path)));
  nouns.set(contract, known);
  return known;
}

const nouns = new WeakMap<Contract, ReadonlySet<string>>();
