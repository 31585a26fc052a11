import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import type { Detail } from '@lockstep/runtime/validation/detail';
import { createControlHandlers, inBody, invalid, mostDetails, refuse } from '../../control/answer-control.ts';
import { type Sandbox, ScenarioFault, type ScenarioName } from '../sandbox.ts';
import { defineHandlers } from './generated/handlers.gen.ts';

/** A scenario to choose by its name. */
export interface NamedScenario {
  readonly name: ScenarioName;
  /** Its purpose, in one line. */
  readonly shows: string;
}

/** The handlers of the control's operations. */
export function createSandboxHandlers(sandbox: Sandbox, scenarios: readonly NamedScenario[]) {
  const readState = () => ({ status: 200, body: sandbox.readState() }) as const;
  return defineHandlers()({
    ...createControlHandlers({ contract, operations }, sandbox),
    readState,
    reset: async () => ({ status: 200, body: await sandbox.reset() }),
    listScenarios: () => ({ status: 200, body: { scenarios } }),
    useScenario: async ({ body: { name, import: files } }) => {
      try {
        if (name !== undefined) return { status: 200, body: await sandbox.useScenario({ name }) };
        if (files !== undefined) return { status: 200, body: await sandbox.useScenario({ import: files }) };
        return invalid(inBody('', 'send name or import'));
      } catch (error) {
        if (!(error instanceof ScenarioFault)) throw error;
        const [first = inBody('/import', 'is refused'), ...others] = error.faults
          .slice(0, mostDetails)
          .map(placeInImport);
        return refuse('scenario_refused', first, ...others);
      }
    },
    listLocks: async ({ query }) => ({ status: 200, body: { locks: [...(await sandbox.keypads.list(query.limit))] } }),
    enterDigits: async ({ path: { deviceId }, body: { digits } }) => {
      const entry = await sandbox.keypads.enter(deviceId, digits);
      if (entry !== undefined) return { status: 200, body: entry };
      return { status: 404, body: { error: `There is no lock or keypad ${deviceId}`, code: 'lock_not_found' } };
    },
    expireTokens: async ({ body: { what } }) => {
      await sandbox.tokens.expire(what);
      return readState();
    },
    changeTokenLifetime: ({ body: { seconds } }) => {
      sandbox.tokens.setLifetime(seconds);
      return readState();
    },
  });
}

/** Converts `#/devices/0 reason`, of a file, to a location in the body. */
function placeInImport(fault: string): Detail {
  const [, pointer = '', reason = fault] = /^#(\S*) (.*)$/s.exec(fault) ?? [];
  return inBody(`/import${pointer}`, `import${pointer} ${reason}`);
}
