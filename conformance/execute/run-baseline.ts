import type { Operation } from '../contract/contract.ts';
import type { Draft } from '../data/draft.ts';
import type { Known } from '../data/records.ts';
import { restoreBody } from '../data/restore-body.ts';
import { draftBaseline, explainGap, type Ladder, type Target } from '../plan/draft-baseline.ts';
import { isSafe, refuseValues } from '../plan/may-send.ts';
import { type Exchange, isSuccess } from './exchange.ts';
import type { Scenario } from './scenario.ts';
import { type SendCase, toolsFor } from './send-case.ts';
import { seenOf } from './write-request.ts';

/** Most requests for one operation before it counts as out of reach. */
export const mostAttempts = 6;

/** Statuses that speak of the data sent; others of the object, the state or the way in. */
const aboutData = new Set([400, 413, 415, 422]);

/** Statuses after which trying other data proves nothing. */
const aboutAccess = new Set([401, 402, 403, 405, 429, 501]);

/** One valid request until it is accepted, from the surest values to the boldest. */
export function baselineScenario(operation: Operation): Scenario {
  return {
    operation,
    phase: 'baseline',
    mostRequests: mostAttempts,
    run: async (context, known, allowance) => {
      const tools = toolsFor(context, operation, 'baseline', 0);
      const ladder = draftBaseline(tools, operation, known);
      const exchanges: Exchange[] = [];
      const reasons = new Set<string>();
      const sent = new Set<string>();
      let [target, rung] = [0, 0];
      while (target < ladder.targets.length && sent.size < allowance) {
        const step = stepOf(ladder, target, rung);
        const refusal = step === undefined ? explainGap(operation) : undefined;
        const prepared = step === undefined ? undefined : prepare(context, tools, step, known);
        if (refusal !== undefined) reasons.add(refusal);
        if (typeof prepared === 'string') reasons.add(prepared);
        let answered: number | undefined;
        if (prepared !== undefined && typeof prepared !== 'string') {
          const key = JSON.stringify(seenOf(prepared));
          if (!sent.has(key)) {
            sent.add(key);
            const found = await context.sendCase(prepared, 'baseline');
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
      return { operation, exchanges, reasons: [...reasons] };
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
  context: SendCase,
  tools: ReturnType<typeof toolsFor>,
  { draft, target }: { draft: Draft; target: Target },
  known: readonly Known[],
): Draft | string {
  const { operation } = draft;
  const { permissions } = context;
  const seen = seenOf(draft);
  const isForeign = !isSafe(operation) && operation.method !== 'post' && !target.owned && permissions.writes !== 'all';
  if (isForeign) {
    const hint = 'pass --writes all to try it on others';
    if (operation.method === 'delete') return `this run has made nothing that it could delete: ${hint}`;
    const isPut = draft.body !== undefined && permissions.writes === 'restore';
    const value = isPut && draft.body ? restoreBody(tools, operation, draft.body.content, seen.path, known) : undefined;
    if (value === undefined || draft.body === undefined) return `what it would change could not be put back: ${hint}`;
    return checkValues({ ...draft, label: `${target.label}, as it was read`, body: { ...draft.body, value } }, context);
  }
  return checkValues(draft, context);
}

function checkValues(draft: Draft, { permissions }: SendCase): Draft | string {
  return refuseValues(draft.operation, seenOf(draft), permissions) ?? draft;
}
