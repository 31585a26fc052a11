import { createMock } from '@lockstep/mock/create-mock';
import type { Running } from '@lockstep/runtime/run-until-stopped';
import { type ServingOptions, serveContract } from '../serving/serve-contract.ts';
import type { Surroundings } from './command.ts';

/** `lockstep mock`: every operation answered by its documented examples, or by what its schema describes. */
export function mock(options: ServingOptions, around: Surroundings): Promise<Running> {
  return serveContract(options, around, ({ document, operations, logger, unchecked }) => ({
    kind: 'Mock',
    listener: createMock({ contract: document, operations, logger, unchecked }),
    isOpen: true,
    notes: [
      'Credentials are looked at for their form alone: any bearer token passes, whatever its scopes and age.',
      'Nothing is kept: what you create cannot be read back. Answers are the examples of the contract, or made from its schemas.',
      'Ask for any documented answer by a header: Prefer: code=404, and example=<name> for one of several; in an address ?__code=404. An unknown one is a 400 that lists them.',
    ],
  }));
}
