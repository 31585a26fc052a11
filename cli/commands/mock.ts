import { createMock } from '@lockstep/mock/create-mock';
import { type BadExample, findBadExamples } from '@lockstep/mock/find-bad-examples';
import type { Running } from '@lockstep/runtime/run-until-stopped';
import type { Notice } from '@lockstep/shell/printable';
import { bodyLimitBytes, type ServingOptions, serveContract } from '../serving/serve-contract.ts';
import type { Surroundings } from './command.ts';

/** Of a large contract not all examples are looked at before it starts. */
const lookForMs = 1000;

/** `lockstep mock`: every operation answered by its documented examples, or by what its schema describes. */
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
        'Credentials are looked at for their form alone: any bearer token passes, whatever its scopes and age.',
        'Nothing is kept: what you create cannot be read back. Answers are the examples of the contract, or made from its schemas.',
        'Ask for any documented answer by a header: Prefer: code=404, and example=<name> for one of several; in an address ?__code=404. An unknown one is a 400 that lists them.',
      ],
    };
  });
}

const notAll: Notice = {
  message: 'not all examples were held against their schemas at the start; none that its schema refuses is served',
};

function describeBad({ operationId, status, example, pointer, why }: BadExample): Notice {
  const place = `${operationId} ${status}`;
  const message =
    example === undefined
      ? `no value can be made for ${place}, which answers 500: ${why}`
      : `the example ${example} of ${place} breaks its schema, and a value is made in its place: ${why}`;
  return { message, pointer };
}
