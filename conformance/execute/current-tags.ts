// Entity tags that objects have at present: a write that has to send `If-Match` is rejected with the tag of an earlier state.
import type { Contract, Operation } from '../contract/contract.ts';
import { type Draft, type Exchange, headerOf, isSuccess } from './exchange.ts';
import { pathOf } from './write-request.ts';

export interface CurrentTags {
  /** Adds the tags of the earlier rounds: within a round, the order of answers depends on the number of workers. */
  readonly beginRound: () => void;
  /** The tags that one turn knows: those of earlier rounds, and its own. */
  readonly open: () => {
    /** The request with the present tag of its object in `If-Match` (RFC 9110, 13.1.1), if the draft has that parameter and a tag is known. */
    readonly update: (draft: Draft) => Draft;
    readonly observe: (exchange: Exchange) => void;
  };
}

/** By path; undefined if a write has changed the object, and its answer shows no tag. */
type Known = Map<string, string | undefined>;

export function createCurrentTags({ operations }: Contract): CurrentTags {
  const conditional = new Set(operations.filter((one) => conditionOf(one) !== undefined).map(({ path }) => path));
  const earlier: Known = new Map();
  const seen: Known = new Map();
  return {
    beginRound: () => {
      for (const [path, tag] of seen) earlier.set(path, tag);
      seen.clear();
    },
    open: () => {
      const own: Known = new Map();
      return {
        update: (draft) => {
          const condition = conditionOf(draft.operation);
          if (condition === undefined || !draft.parameters.some(({ parameter }) => parameter === condition))
            return draft;
          const path = pathOf(draft);
          const tag = own.has(path) ? own.get(path) : earlier.get(path);
          if (tag === undefined) return draft;
          const parameters = draft.parameters.map((one) =>
            one.parameter === condition ? { ...one, value: tag } : one,
          );
          return { ...draft, parameters };
        },
        observe: ({ operation, request, outcome }) => {
          if (!conditional.has(operation.path) || outcome.kind === 'none' || !isSuccess(outcome)) return;
          const path = request.path.replace(/\?.*$/s, '');
          for (const known of [own, seen]) known.set(path, headerOf(outcome, 'etag'));
        },
      };
    },
  };
}

function conditionOf({ parameters }: Operation): Operation['parameters'][number] | undefined {
  return parameters.find(({ in: where, name }) => where === 'header' && name.toLowerCase() === 'if-match');
}
