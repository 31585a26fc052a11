import { createMock } from '@lockstep/mock/create-mock';
import { type BadExample, findBadExamples } from '@lockstep/mock/find-bad-examples';
import type { Running } from '@lockstep/runtime/run-until-stopped';
import type { Notice } from '@lockstep/shell/printable';
import { bodyLimitBytes, type ServingOptions, serveContract } from '../serving/serve-contract.ts';
import type { Surroundings } from './command.ts';

/** Limit for validating examples before the start: a large contract has many. */
const lookForMs = 1000;

/** `lockstep mock`: answers every operation by its documented examples, or by values of its schema. */
export function mock(options: ServingOptions, around: Surroundings): Promise<Running> {
  return serveContract(options, around, async ({ document, operations, logger, unchecked }) => {
    const { listener } = createMock({ contract: document, operations, logger, unchecked, bodyLimitBytes });
    const enough = AbortSignal.timeout(lookForMs);
    const bad = await findBadExamples(document, operations, AbortSignal.any([around.stopping, enough]));
    return {
      kind: 'Mock',
      listener,
      isOpen: true,
      notices: [...bad.map(describeBad), ...(enough.aborted ? [notAll] : [])],
      notes: [
        'Only the format of credentials is checked: any bearer token passes, whatever its scopes and age.',
        'The mock stores nothing: an object that you create cannot be read back. Answers are the examples of the contract, or generated from its schemas.',
        'Select a documented answer by a header: Prefer: code=404, and example=<name> for one of several; in an address ?__code=404. An unknown one is answered 400 with a list.',
      ],
    };
  });
}

const notAll: Notice = {
  message: 'not all examples were validated at the start; no example that breaks its schema is served',
};

function describeBad({ operationId, status, example, pointer, why }: BadExample): Notice {
  const place = `${operationId} ${status}`;
  const message =
    example === undefined
      ? `no value can be generated for ${place}, which answers 500: ${why}`
      : `the example ${example} of ${place} breaks its schema and is replaced by a generated value: ${why}`;
  return { message, pointer };
}
