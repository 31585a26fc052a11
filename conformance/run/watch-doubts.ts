// Doubts: accepted writes of any phase whose answers show another value than was sent. One answer alone proves nothing, as a read may
// show the value, so a story sends the same content to two objects of its own.
import type { RunContext } from '../checks/check.ts';
import { agrees, comparableMembers, isEmpty, namesState, objectIn, shownIn } from '../checks/compare-objects.ts';
import type { Contract, Operation } from '../contract/contract.ts';
import { type Draft, type Exchange, isAccepted } from '../execute/exchange.ts';
import { kindOf } from '../plan/operation-kinds.ts';
import { plainPath } from '../resources/slots.ts';

/** Doubts of one operation, each about a member of its own. */
export const mostDoubts = 3;

export function watchDoubts(context: Pick<RunContext, 'contract' | 'judge'>) {
  const doubts = new Map<Operation, Draft[]>();
  /** By operation: members that some answer has shown, and those in doubt. */
  const shown = new Map<Operation, { readonly known: Set<string>; readonly doubtful: Set<string> }>();
  return {
    doubts,
    onExchange: (exchange: Exchange): void => {
      const { operation, draft } = exchange;
      const key = draft === undefined || !isPlain(exchange) ? undefined : keyOf(context.contract, operation);
      if (key === undefined || draft === undefined) return;
      const own = shown.get(operation) ?? { known: new Set(), doubtful: new Set() };
      shown.set(operation, own);
      const found = doubts.get(operation) ?? [];
      if (found.length >= mostDoubts) return;
      const names = [...comparableMembers(context, exchange, key).keys()].filter((name) => !namesState.test(name));
      const [sent, read] = [objectIn(exchange.seen.requestBody, names), shownIn(exchange, names)];
      if (sent === undefined || read === undefined) return;
      const isDoubtful = (name: string): boolean => {
        // The phase `text` judges texts.
        if (typeof sent[name] === 'string' && !startsWithDay.test(sent[name])) return false;
        if (isEmpty(sent[name]) || agrees(sent[name], read[name])) return false;
        // Some answers show only a part of the object.
        return !isEmpty(read[name]) || own.known.has(name);
      };
      const doubtful = names.filter((name) => isDoubtful(name) && !own.doubtful.has(name));
      for (const name of names) if (!isEmpty(read[name])) own.known.add(name);
      if (doubtful.length === 0) return;
      for (const name of doubtful) own.doubtful.add(name);
      doubts.set(operation, [...found, draft]);
    },
  };
}

const startsWithDay = /^\d{4}-\d\d-\d\d/;

/** Whether the server has carried out a valid write without conditions. */
function isPlain(exchange: Exchange): boolean {
  const { intent, draft, operation, outcome, isPause, isControl } = exchange;
  if (intent.polarity !== 'valid' || intent.identity !== 'own' || isPause || isControl === true) return false;
  if (intent.phase === 'story' || intent.phase === 'text' || draft?.edits !== undefined || operation.method === 'get')
    return false;
  return isAccepted(exchange) && outcome.kind === 'answer' && outcome.status !== 202;
}

/** The objects that a write creates or changes; undefined for an action. */
function keyOf(contract: Contract, operation: Operation): string | undefined {
  const kind = kindOf(contract, operation);
  if (kind === 'create' && operation.method === 'post') return `${plainPath(operation.path)}/{}`;
  return kind === 'change' ? plainPath(operation.path) : undefined;
}
