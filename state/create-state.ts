import { createRandom } from '@lockstep/values/random';
import { createAnswers } from './answer-operation.ts';
import type { StateAnswer, StateRequest } from './call.ts';
import type { ContractTools } from './contract-tools.ts';
import { inferRoles, type Role } from './infer-roles.ts';
import { createMemory } from './memory.ts';
import { createSchemaReader } from './read-schemas.ts';
import { createSeeds } from './seed-items.ts';
import { type Limits, usualLimits } from './store.ts';

export type { StateAnswer, StateRequest } from './call.ts';
export type { Role, RoleName } from './infer-roles.ts';

export interface MemoryOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Decides the ids of new items. */
  readonly seed?: number;
  readonly limits?: Limits;
}

/** One set of items. Memories of one contract share nothing that changes. */
export interface Memory {
  /** @returns undefined for an operation of the role `none`, and for an answer that the contract allows no value for: it answers as documented */
  readonly answer: (operationId: string, request: StateRequest) => StateAnswer | undefined;
  /** Restores the items of the contract's examples. */
  readonly reset: () => void;
  readonly size: () => { readonly items: number; readonly bytes: number };
}

export interface State {
  /** One for each operation, in the order of the contract. */
  readonly roles: readonly Role[];
  readonly createMemory: (options: MemoryOptions) => Memory;
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
  return {
    roles: model.roles,
    createMemory: ({ now, seed = 1, limits = usualLimits }) => {
      const create = () =>
        createMemory({ reader, model, seeds, builder: answers.builder, now, random: createRandom(seed), limits });
      let memory = create();
      return {
        answer: (operationId, request) => {
          const plan = model.plans.get(operationId);
          return plan === undefined ? undefined : answers.answer(plan, request, memory);
        },
        reset: () => {
          memory = create();
        },
        size: () => memory.size(),
      };
    },
  };
}
