import { createRandom } from '@lockstep/values/random';
import { createAnswers, unknownItem } from './answer-operation.ts';
import type { ContractTools } from './contract-tools.ts';
import { createDocumentedPage } from './documented-page.ts';
import { inferRoles, type Plan, pathValues, type Role } from './infer-roles.ts';
import { createMemory, type ItemMemory } from './memory.ts';
import { createStateMover } from './move-state.ts';
import { once } from './once.ts';
import { createScenarioReader, type Filling, type Scenario, type ScenarioFault } from './read-scenario.ts';
import { createSchemaReader } from './read-schemas.ts';
import type { StateAnswer, StateRequest } from './request.ts';
import { createSeeds } from './seed-items.ts';
import { createStore, type Limits, type Store, usualLimits } from './store.ts';

export type { Role, RoleName } from './infer-roles.ts';
export type { Scenario, ScenarioFault } from './read-scenario.ts';
export type { StateAnswer, StateRequest } from './request.ts';
export type { Store } from './store.ts';

export interface MemoryOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Decides the ids of new items. */
  readonly seed?: number;
  readonly limits?: Limits;
  /** Before the path of each item, where an answer has it: `/w/test-7`. */
  readonly prefix?: string;
}

/** One set of items. Memories of one contract share nothing that changes. */
export interface Memory {
  /** @returns undefined for an operation of the role `none`, and for an answer that the contract allows no value for: it answers as documented */
  readonly answer: (operationId: string, request: StateRequest) => StateAnswer | undefined;
  /** Restores the items of the scenario, or of the contract's examples. */
  readonly reset: () => void;
  /**
   * Replaces all items by those of a scenario. A collection that it does not name has the items of the contract's examples.
   *
   * @returns its faults; nothing has changed if there are any
   */
  readonly use: (scenario: Scenario) => readonly ScenarioFault[];
  readonly prefix: string;
  readonly size: () => { readonly items: number; readonly bytes: number };
}

export interface State {
  /** One for each operation, in the order of the contract. */
  readonly roles: readonly Role[];
  readonly createMemory: (options: MemoryOptions) => Memory;
  /** Cuts documented lists to the page that a request asks for. */
  readonly documentedPage: ReturnType<typeof createDocumentedPage>;
  /** Answers from a store that already has items, or none. Each answer is one change of the store. */
  readonly answerFrom: (store: Store, options: MemoryOptions) => Memory['answer'];
}

/**
 * Infers the resources of a contract and the role of each operation.
 *
 * ```ts
 * const state = createState(tools);
 * const memory = state.createMemory({ now: Date.now });
 * memory.answer('createPet', { path: {}, query: {}, headers: {}, body: { name: 'Rex' }, url: '/pets', origin: 'http://localhost' });
 * ```
 */
export function createState(tools: ContractTools): State {
  const reader = createSchemaReader(tools);
  const model = inferRoles(tools, reader);
  const seeds = createSeeds(tools, reader, model);
  const answers = createAnswers(tools, reader, model);
  const { builder } = answers;
  const mover = createStateMover(reader, model, builder);
  const readScenario = createScenarioReader(tools, reader, model);
  const createOn = (store: Store, { now, seed = 1, limits = usualLimits, prefix = '' }: MemoryOptions): ItemMemory =>
    createMemory({ reader, model, seeds, builder, mover, now, random: createRandom(seed), limits, store, prefix });
  /** RFC 9110, 9.3.2: HEAD has the headers of GET, and a tag depends on the body. HEAD may declare fewer of them. */
  const readOf = once(({ operation: head, success }: Plan): Plan | undefined => {
    const isRead = ({ operation: { method, basePath, path } }: Plan): boolean =>
      method === 'get' && basePath === head.basePath && path === head.path;
    const read = head.method === 'head' ? [...model.plans.values()].find(isRead) : undefined;
    if (read?.content === undefined || success === undefined) return undefined;
    return { ...read, success: { ...success, contents: read.success?.contents ?? [] } };
  });
  const answer = (operationId: string, request: StateRequest, memory: ItemMemory): StateAnswer | undefined => {
    const plan = model.plans.get(operationId);
    const read = plan && readOf(plan);
    if (read !== undefined) return withoutBody(answers.answer(read, request, memory));
    if (plan !== undefined) return answers.answer(plan, request, memory);
    const below = model.below.get(operationId);
    const missing =
      below && memory.change(() => memory.findMissingOwner(below, pathValues(request.path, below.parameters)));
    return missing === undefined ? undefined : { kind: 'rejected', statuses: unknownItem, text: missing };
  };
  return {
    roles: model.roles,
    documentedPage: createDocumentedPage(tools, reader),
    answerFrom: (store, options) => {
      const memory = createOn(store, options);
      return (operationId, request) => answer(operationId, request, memory);
    },
    createMemory: (options) => {
      const { limits = usualLimits, prefix = '' } = options;
      const create = () => createOn(createStore(limits), options);
      let fillings: readonly Filling[] = [];
      let memory = create();
      return {
        prefix,
        answer: (operationId, request) => answer(operationId, request, memory),
        reset: () => {
          memory = create();
          for (const { resource, parents, items } of fillings) memory.fill(resource, parents, items);
        },
        use: (scenario) => {
          const read = readScenario(scenario);
          if ('faults' in read) return read.faults;
          const filled = create();
          const full = read.fillings.find(({ resource, parents, items }) => !filled.fill(resource, parents, items));
          if (full !== undefined) return [{ at: full.at, text: 'the store has no room for all items' }];
          const orphans = read.fillings.flatMap(({ resource, parents, at }) => {
            const address = { name: resource.name, resource, parents: resource.parents };
            const text = filled.findMissingOwner(address, parents);
            return text === undefined ? [] : [{ at, text }];
          });
          if (orphans.length > 0) return orphans;
          fillings = read.fillings;
          memory = filled;
          return [];
        },
        size: () => memory.size(),
      };
    },
  };
}

function withoutBody(answer: StateAnswer | undefined): StateAnswer | undefined {
  if (answer?.kind !== 'answer') return answer;
  const { status, headers, mediaType } = answer;
  return { kind: 'answer', status, headers: { ...headers, ...(mediaType && { 'Content-Type': mediaType }) } };
}
