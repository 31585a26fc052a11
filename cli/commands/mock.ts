import { createControlledMock } from '@lockstep/mock/control/create-controlled-mock';
import { createMock } from '@lockstep/mock/create-mock';
import { type BadExample, findBadExamples } from '@lockstep/mock/find-bad-examples';
import type { Running } from '@lockstep/runtime/run-until-stopped';
import { explainRoles, type Role } from '@lockstep/runtime/stateful/answer-from-state';
import { type CommandResult, done } from '@lockstep/shell/command-result';
import { type Notice, oneLine } from '@lockstep/shell/printable';
import { bodyLimitBytes, readServed, type ServingOptions, serveContract } from '../serving/serve-contract.ts';
import type { Surroundings } from './command.ts';

/** Limit for validating examples before the start: a large contract has many. */
const lookForMs = 1000;

export interface MockCommandOptions extends ServingOptions {
  /** Whether every answer is the documented one. */
  readonly stateless?: true;
  /** The only tokens, keys and `name:password` pairs that pass. Any pass by default. */
  readonly token?: readonly string[];
}

/**
 * `lockstep mock`: keeps the items that requests create, change and delete. Operations without such a role, and all operations with
 * `--stateless`, answer by their documented examples, or by values of their schemas.
 */
export function mock({ stateless, token, ...options }: MockCommandOptions, around: Surroundings): Promise<Running> {
  return serveContract(options, around, async ({ document, operations, origin, logger, unchecked }) => {
    const parts = { contract: document, operations, logger, tokens: token, unchecked, bodyLimitBytes };
    const controlled = stateless === true ? undefined : createControlledMock({ ...parts, origin });
    const { listener } = controlled ?? createMock(parts);
    const enough = AbortSignal.timeout(lookForMs);
    const bad = await findBadExamples(document, operations, AbortSignal.any([around.stopping, enough]));
    return {
      kind: 'Mock',
      listener,
      isOpen: true,
      ...(controlled && { isClosed: controlled.isForControl, hasWorlds: controlled.hasWorlds }),
      notices: [...bad.map(describeBad), ...(enough.aborted ? [notAll] : [])],
      notes: [
        token === undefined
          ? 'Only the format of credentials is checked: any bearer token passes, whatever its scopes and age.'
          : 'Only the credentials of --token pass, for every operation that requires some: put them into the samples.',
        describeMemory(controlled?.roles),
        ...(controlled ? [describeControl(controlled.hasWorlds)] : []),
        'Select a documented answer by a header: Prefer: code=404, and example=<name> for one of several; in an address ?__code=404. An unknown one is answered 400 with a list.',
      ],
    };
  });
}

/** The note about the store: the operations that use it, and those that do not. */
function describeMemory(roles: readonly Role[] | undefined): string {
  const documented = 'examples of the contract, or generated from its schemas';
  if (roles === undefined)
    return `The mock stores nothing: an object that you create cannot be read back. Answers are ${documented}.`;
  const kept = roles.filter(({ role }) => role !== 'none' && role !== 'below').length;
  return `${kept} of ${roles.length} operations share a store in memory: what you create can be read, listed, changed and deleted, until the mock stops. Answers of the others are ${documented}: --explain lists both.`;
}

function describeControl(hasWorlds: boolean): string {
  const control =
    'Control it at /_sandbox/, a page, and an API that /_sandbox/openapi.json describes: GET state, POST reset, PUT scenario, clock, faults, requests.';
  return hasWorlds
    ? `${control} /w/NAME before any path selects a world, with items, clock, faults and journal of its own.`
    : `${control} There are no worlds at /w/NAME: the contract has paths below /w itself.`;
}

/** `lockstep mock --explain`: the role of each operation, without a start. */
export async function explain(options: MockCommandOptions): Promise<CommandResult> {
  const { document, operations, notices } = await readServed(options.contract, options);
  const roles = explainRoles(document, operations);
  const widths = [
    Math.max(0, ...roles.map(({ operationId }) => operationId.length)),
    'singleton-write'.length,
  ] as const;
  const lines = roles.map(
    ({ operationId, role, why }) =>
      `${oneLine(operationId).padEnd(widths[0])}  ${role.padEnd(widths[1])}  ${oneLine(why)}`,
  );
  return { ...done(lines.join('\n'), { roles }), notices };
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
