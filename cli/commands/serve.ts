import { createRuntime } from '@lockstep/runtime/create-runtime';
import type { OperationTable } from '@lockstep/runtime/operation';
import { notImplemented } from '@lockstep/runtime/rejection';
import type { Running } from '@lockstep/runtime/run-until-stopped';
import { keepShown } from '@lockstep/runtime/security/keep-shown';
import { lookForCredentials } from '@lockstep/runtime/security/presence';
import { type LoadedHandlers, loadHandlers } from '../serving/load-handlers.ts';
import { bodyLimitBytes, type ServingOptions, serveContract } from '../serving/serve-contract.ts';
import type { Surroundings } from './command.ts';

export interface ServeOptions extends ServingOptions {
  /** A module with `handlers` and `security`; without it every operation answers 501. */
  readonly handlers?: string;
  readonly checkResponses: boolean;
}

const none: LoadedHandlers = { handlers: {}, security: {} };

/** `lockstep serve`: serves the contract by the runtime. A request without a handler is validated like others, then answered 501. */
export function serve(
  { handlers: file, checkResponses, ...options }: ServeOptions,
  around: Surroundings,
): Promise<Running> {
  return serveContract(options, around, async ({ document, operations, logger, unchecked, step }) => {
    if (file !== undefined) step(`Loading ${file}`);
    const { handlers, security } = file === undefined ? none : await loadHandlers(file, document, operations);
    const presence = lookForCredentials(document, operations);
    // An operation with a handler is protected as the contract specifies; without one it requires credentials of the right format.
    const table: OperationTable = Object.fromEntries(
      Object.entries(operations).map(([id, operation]) => [
        id,
        Object.hasOwn(handlers, id) ? keepShown(document, operation) : (presence.operations[id] ?? operation),
      ]),
    );
    const all: LoadedHandlers['handlers'] = Object.fromEntries(
      Object.keys(table).map((id) => [
        id,
        Object.hasOwn(handlers, id) ? (handlers[id] ?? notImplemented) : notImplemented,
      ]),
    );
    const { listener } = createRuntime({
      contract: document,
      operations: table,
      handlers: all,
      security: { ...presence.security, ...security },
      logger,
      checkResponses,
      bodyLimitBytes,
      unchecked,
    });
    const implemented = new Set(Object.keys(handlers));
    const where =
      file === undefined
        ? 'Write a module that exports handlers by operationId, and name it: --handlers handlers.ts'
        : `The handlers are those of ${file}.`;
    return {
      kind: 'Server',
      listener,
      implemented,
      isOpen: false,
      notes: [where, `Requests${checkResponses ? ' and answers are' : ' are'} validated by the contract.`],
    };
  });
}
