import type { World } from '../checks/check.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { placeAt } from '../contract/document.ts';
import { flattenSchema } from '../data/flatten-schema.ts';
import { type Exchange, isCounted } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { type Deed, deedOf, perilOf } from '../plan/permissions.ts';
import { orderOperations } from '../plan/plan.ts';
import { enumOf, type Target } from '../resources/find-targets.ts';
import { isIdName, nounOf, plainPath, slotsOf, stemOf } from '../resources/slots.ts';
import { allTargets, isOfAccess } from './choose-targets.ts';
import { steps, type Turning } from './climb.ts';
import { createDrafter, type Drafter } from './draft-valid.ts';
import type { Domain, Scenario } from './phase.ts';
import { createProgress, mayDraw, mayTryLate, most, type Progress, tryLate } from './progress.ts';

/**
 * Ranks: reads and creates by their level, changes after what they may change was read, second turns, what nobody handed an id
 * to, requests with what may be left out, actions, a last try of what was refused while less was known, bodies drawn by lot,
 * deletions from the deepest on, those of others after the run's own, and at the very end what may take away the credentials or
 * the deployment itself.
 */
const ranks = {
  wait: -20,
  change: -200,
  turn: -400,
  noTarget: -3_000,
  complete: -5_000,
  again: -7_900,
  action: -10_000,
  late: -30_000,
  draw: -40_000,
  remove: -100_000,
  foreign: -600_000,
  perilous: -400_000,
} as const;

/** One valid request until it is accepted, from the surest values to the boldest. */
export function planBaseline(contract: Contract, operations: readonly Operation[]): readonly Scenario[] {
  return orderOperations(operations).flatMap((level, index) =>
    level.map((operation) => baselineScenario(contract, operation, index)),
  );
}

function baselineScenario(contract: Contract, operation: Operation, level: number): Scenario {
  const deed = deedOf(contract, operation);
  const progress = createProgress(operation, deed);
  const names = referenceNames(contract, operation);
  const namesNow = (): readonly string[] => [...names, ...namesOfLessons(progress)];
  /** Nothing is left to try with what is known. */
  const isDone = ({ resources }: World): boolean =>
    progress.requests >= progress.most ||
    (progress.isSpent && resources.revisionFor(operation, namesNow()) === progress.revision);
  const first = firstRank(contract, operation, deed, level);
  const domain = domainOf(operation, deed);
  let targets: { readonly revision: number; readonly found: readonly Target[] } | undefined;
  const hasChoice = operation.parameters.some(
    ({ in: where, schema }) => where === 'path' && enumOf(contract, schema).length > 0,
  );
  let isPromising = slotsOf(operation.path).length === 0;
  const targetsIn = (world: World): readonly Target[] => {
    const revision = world.resources.revisionFor(operation, names);
    if (targets?.revision !== revision) targets = { revision, found: allTargets(world, operation, deed) };
    return targets.found;
  };
  let drafter: Drafter | undefined;
  return {
    id: `baseline ${operation.id}`,
    operation,
    phase: 'baseline',
    get domain() {
      return progress.busy > 0 || progress.isAlone ? { ...domain, kind: 'alone' as const } : domain;
    },
    mostRequests: most.turn,
    rank: (world) => {
      const { state, turns } = progress;
      if (state === 'accepted') {
        // A list that showed nothing is read again once something was created.
        if (progress.emptyAt !== undefined && world.resources.createdAt(operation.path) > progress.emptyAt)
          return first;
        if (!progress.isCompleteSent) return ranks.complete - level;
        // Some show what was made only after a while.
        const isShown = progress.emptyAt === undefined || world.resources.createdAt('') === 0;
        return isShown || progress.isAskedLate ? undefined : ranks.again;
      }
      if (state === 'over') return undefined;
      if (isDone(world)) {
        if (mayTryLate(world, progress, operation, deed)) return ranks.late - level;
        return mayDraw(progress, operation, deed) ? ranks.draw - level : undefined;
      }
      // Every round asks for the rank of all: that there may be a target is enough, which it is is found in its turn.
      isPromising ||= hasChoice || world.resources.mayAddress(operation);
      const waits = waitsFor(world, operation, names) * ranks.wait;
      const isForeign =
        deed === 'remove' && targetsIn(world)[0]?.owned !== true ? (isOfAccess(operation) ? 1.2 : 1) : 0;
      const lacks = isPromising || deed === 'remove' ? 0 : ranks.noTarget;
      // What was made last may hang on what was made first.
      const age = deed === 'remove' ? ageOf(world, operation) : 0;
      return first + turns * ranks.turn + waits + lacks + age + isForeign * ranks.foreign;
    },
    run: async (session, world, allowance) => {
      const tools = toolsFor(world, operation, 'baseline', 0);
      drafter ??= createDrafter(tools, operation);
      const revision = world.resources.revisionFor(operation, namesNow());
      if (progress.state === 'open' && isDone(world)) {
        if (mayTryLate(world, progress, operation, deed)) tryLate(progress);
        else progress.isDrawing = true;
      }
      const turn: Turning = {
        world,
        tools,
        drafter,
        operation,
        deed,
        progress,
        revision,
        get targets() {
          return targetsIn(world);
        },
      };
      const exchanges: Exchange[] = [];
      progress.turns += 1;
      progress.reasons.clear();
      for (const step of steps(turn)) {
        if (exchanges.filter(isCounted).length >= allowance) break;
        progress.requests += 1;
        const found = await session.send(step.draft);
        exchanges.push(...found);
        const last = found.at(-1);
        if (last === undefined) break;
        step.answered(last);
      }
      progress.revision = world.resources.revisionFor(operation, namesNow());
      return { exchanges, reasons: progress.state === 'open' ? [...progress.reasons] : [] };
    },
  };
}

function firstRank(contract: Contract, operation: Operation, deed: Deed, level: number): number {
  const { path } = operation;
  const peril = perilOf(operation, deed);
  if (peril > 0) return ranks.perilous * peril - level;
  // A child is deleted before its parent, and one by itself before all of its kind: `/tasks/{id}`, then `/projects/{id}/tasks`.
  if (deed === 'remove') {
    const own = plainPath(path);
    const isOne = own.endsWith('{}');
    const ofAll = contract.operations
      .filter((other) => other.method === 'delete' && !plainPath(other.path).endsWith('{}'))
      .filter((other) => nounOf(other.path) === nounOf(path))
      .map((other) => plainPath(other.path).split('/').length + 0.5);
    return ranks.remove + Math.max(own.split('/').length, ...(isOne ? ofAll : [])) * 2_000;
  }
  if (deed === 'action') return ranks.action - level;
  return (deed === 'change' ? ranks.change : 0) - level;
}

function domainOf(operation: Operation, deed: Deed): Domain {
  const { path } = operation;
  const kind =
    perilOf(operation, deed) > 0 ? 'alone' : deed === 'read' ? 'reads' : deed === 'action' ? 'alone' : 'writes';
  return { path: path.replace(/\/?\{.*$/s, ''), kind };
}

/** Place of its collection among those seen, the first 0. */
function ageOf({ resources }: World, { path }: Operation): number {
  const collection = slotsOf(path).at(-1)?.collection ?? '';
  return Math.min(399, resources.collections.get(collection)?.age ?? 0);
}

/** How many are still to be found of the ids that it needs: others come first, who may show them or try them at less cost. */
function waitsFor({ resources }: World, { path }: Operation, names: readonly string[]): number {
  const own = plainPath(path);
  const untried = slotsOf(path).filter(({ key }) => {
    const state = resources.slots.get(key);
    return state?.isReadable === true && state.proven.length === 0 && key !== own;
  });
  const unknown = names.filter((name) => !resources.knows(name) && resources.mayKnow(name));
  return Math.min(5, untried.length + unknown.length);
}

/** Plain names of what the operation speaks of outside of its path: news of these may help it. */
function referenceNames(contract: Contract, operation: Operation): string[] {
  const { root } = contract;
  const names = operation.parameters.filter(({ in: where, required }) => required && where !== 'path');
  const schema = operation.body?.contents.find((content) => content.schema !== undefined)?.schema;
  const properties = schema === undefined ? [] : [...flattenSchema(root, placeAt(root, schema), 0).properties.keys()];
  const all = [...names.map(({ name }) => name), ...properties.slice(0, 60)];
  const known = nounsOf(contract);
  const own = nounOf(operation.path);
  return [...new Set(all.filter((name) => isIdName(name) || known.has(stemOf(name))).map(stemOf))].filter(
    (stem) => stem !== '' && stem !== own,
  );
}

/** Plain names of what refusals asked for besides. */
function namesOfLessons({ lessons }: Progress): string[] {
  return [...lessons.values()].flatMap(({ about, required, reference }) => {
    const name = about.kind === 'parameter' ? about.parameter.name : (about.tokens.at(-1) ?? '');
    return required || reference > 0 ? [stemOf(name)].filter((stem) => stem !== '') : [];
  });
}

function nounsOf(contract: Contract): ReadonlySet<string> {
  const known = nouns.get(contract) ?? new Set(contract.operations.map(({ path }) => nounOf(path)));
  nouns.set(contract, known);
  return known;
}

const nouns = new WeakMap<Contract, ReadonlySet<string>>();
