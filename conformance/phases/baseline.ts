import type { Operation } from '../contract/contract.ts';
import type { Draft } from '../data/draft.ts';
import type { Known } from '../data/records.ts';
import { restoreBody } from '../data/restore-body.ts';
import { type Exchange, isSuccess } from '../execute/exchange.ts';
import { toolsFor } from '../execute/session.ts';
import { seenOf } from '../execute/write-request.ts';
import { draftBaseline, explainGap, type Ladder, type Target } from '../plan/draft-baseline.ts';
import { orderOperations } from '../plan/order-operations.ts';
import { isSafe, refuseValues } from '../plan/permissions.ts';
import type { World } from '../run/world.ts';
import type { Scenario } from './phase.ts';

/** Most requests for one operation before it counts as out of reach. */
export const mostAttempts = 6;

/** Statuses that speak of the data sent; others of the object, the state or the way in. */
const aboutData = new Set([400, 413, 415, 422]);

/** Statuses after which trying other data proves nothing. */
const aboutAccess = new Set([401, 402, 403, 405, 429, 501]);

/** One valid request until it is accepted, from the surest values to the boldest. */
export function planBaseline(operations: readonly Operation[]): readonly Scenario[] {
  return orderOperations(operations).flatMap((level, index) =>
    level.map((operation) => baselineScenario(operation, -index)),
  );
}

function baselineScenario(operation: Operation, rank: number): Scenario {
  let isOver = false;
  return {
    id: `baseline ${operation.id}`,
    operation,
    phase: 'baseline',
    domain: {
      path: operation.path.replace(/\/?\{.*$/s, ''),
      kind: isSafe(operation) ? 'reads' : 'writes',
    },
    mostRequests: mostAttempts,
    rank: () => (isOver ? undefined : rank),
    run: async (session, world, allowance) => {
      isOver = true;
      const { known } = world;
      const tools = toolsFor(world, operation, 'baseline', 0);
      const ladder = draftBaseline(tools, operation, known);
      const exchanges: Exchange[] = [];
      const reasons = new Set<string>();
      const sent = new Set<string>();
      let [target, rung] = [0, 0];
      while (target < ladder.targets.length && sent.size < allowance) {
        const step = stepOf(ladder, target, rung);
        const refusal = step === undefined ? explainGap(operation) : undefined;
        const prepared = step === undefined ? undefined : prepare(world, tools, step, known);
        if (refusal !== undefined) reasons.add(refusal);
        if (typeof prepared === 'string') reasons.add(prepared);
        let answered: number | undefined;
        if (prepared !== undefined && typeof prepared !== 'string') {
          const key = JSON.stringify(seenOf(prepared));
          if (!sent.has(key)) {
            sent.add(key);
            const found = await session.send(prepared);
            exchanges.push(...found);
            const last = found.at(-1)?.outcome;
            if (last === undefined || last.kind === 'none' || isSuccess(last)) break;
            answered = last.status;
            if (aboutAccess.has(answered)) break;
          }
        }
        const stays = ladder.hasRung(rung + 1) && (answered === undefined || aboutData.has(answered));
        [target, rung] = stays ? [target, rung + 1] : [target + 1, 0];
      }
      return { exchanges, reasons: [...reasons] };
    },
  };
}

function stepOf(ladder: Ladder, target: number, rung: number): { draft: Draft; target: Target } | undefined {
  const about = ladder.targets[target];
  const draft = about === undefined ? undefined : ladder.draft(about, rung);
  return about === undefined || draft === undefined ? undefined : { draft, target: about };
}

/** The draft as it may be sent, or why it must not be. */
function prepare(
  world: World,
  tools: ReturnType<typeof toolsFor>,
  { draft, target }: { draft: Draft; target: Target },
  known: readonly Known[],
): Draft | string {
  const { operation } = draft;
  const { permissions } = world;
  const seen = seenOf(draft);
  const isForeign = !isSafe(operation) && operation.method !== 'post' && !target.owned && permissions.writes !== 'all';
  if (isForeign) {
    const hint = 'pass --writes all to try it on others';
    if (operation.method === 'delete') return `this run has made nothing that it could delete: ${hint}`;
    const isPut = draft.body !== undefined && permissions.writes === 'restore';
    const value = isPut && draft.body ? restoreBody(tools, operation, draft.body.content, seen.path, known) : undefined;
    if (value === undefined || draft.body === undefined) return `what it would change could not be put back: ${hint}`;
    return checkValues({ ...draft, label: `${target.label}, as it was read`, body: { ...draft.body, value } }, world);
  }
  return checkValues(draft, world);
}

function checkValues(draft: Draft, { permissions }: World): Draft | string {
  return refuseValues(draft.operation, seenOf(draft), permissions) ?? draft;
}
