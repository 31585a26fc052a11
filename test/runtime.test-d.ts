import type { ContractDocument } from '@lockstep/json/json-pointer';
import { createRuntime } from '@lockstep/runtime/create-runtime';
import type { ReplyLog } from '@lockstep/runtime/reply';
import type { Scheme } from '@lockstep/runtime/security/scheme';
import type { Handlers as MuseumHandlers } from '../toolkit/fixtures/museum/generated/handlers.gen.ts';
import { operations as museum } from '../toolkit/fixtures/museum/generated/operations.gen.ts';
import type { Handlers as PaymentsHandlers } from '../toolkit/fixtures/payments/generated/handlers.gen.ts';
import { operations as payments } from '../toolkit/fixtures/payments/generated/operations.gen.ts';

// Read by `npm run types` alone. Each line under @ts-expect-error is a mistake that must not compile;
// where one does, TypeScript reports the unused directive.

interface Curator {
  readonly name: string;
}

interface Visitor {
  readonly ticket: number;
}

declare const contract: ContractDocument;
declare const logger: ReplyLog;
declare const handlers: MuseumHandlers<Curator>;
declare const scheme: Scheme<Curator>;
declare const visitorScheme: Scheme<Visitor>;

// Every handler, and a check for every scheme.
createRuntime({ contract, operations: museum, handlers, security: { Badge: scheme, Seal: scheme }, logger });

// A forgotten handler.
const { readPhoto: _, ...withoutPhoto } = handlers;
createRuntime({
  contract,
  operations: museum,
  // @ts-expect-error readPhoto is missing
  handlers: withoutPhoto,
  security: { Badge: scheme, Seal: scheme },
  logger,
});

// A handler that answers nothing a response could be.
createRuntime({
  contract,
  operations: museum,
  // @ts-expect-error an answer has a status
  handlers: { ...handlers, readPhoto: () => 'nothing' },
  security: { Badge: scheme, Seal: scheme },
  logger,
});

// A forgotten scheme, all of them, and one that the contract does not have.
createRuntime({
  contract,
  operations: museum,
  handlers,
  // @ts-expect-error Seal is missing
  security: { Badge: scheme },
  logger,
});
// @ts-expect-error security is missing
createRuntime({ contract, operations: museum, handlers, logger });
createRuntime({
  contract,
  operations: museum,
  handlers,
  // @ts-expect-error Crown is no scheme of the contract
  security: { Badge: scheme, Seal: scheme, Crown: scheme },
  logger,
});

// A scheme that finds somebody the handlers do not act for.
createRuntime({
  contract,
  operations: museum,
  handlers,
  // @ts-expect-error Badge finds visitors, handlers want curators
  security: { Badge: visitorScheme, Seal: scheme },
  logger,
});

// A part of a contract asks for the handlers and schemes of that part.
declare const paying: PaymentsHandlers<Curator, 'createPayment'>;
const { createPayment, listModifications } = payments;
createRuntime({
  contract,
  operations: { createPayment },
  handlers: paying,
  security: { ApiKey: scheme, OAuth: scheme },
  logger,
});
createRuntime({
  contract,
  operations: { createPayment, listModifications },
  // @ts-expect-error listModifications is missing
  handlers: paying,
  security: { ApiKey: scheme, OAuth: scheme },
  logger,
});

// Nothing has become `any`: the callbacks of an exchange have the type of the principal.
createRuntime({
  contract,
  operations: museum,
  handlers,
  security: { Badge: scheme, Seal: scheme },
  logger,
  authenticated: ({ principal }) => {
    principal satisfies Curator | undefined;
    // @ts-expect-error a curator has no ticket
    principal?.ticket;
  },
});
