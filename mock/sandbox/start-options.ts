// The options of `startMock`. They are validated, since JavaScript callers may pass other types.

import type { OperationTable } from '@lockstep/runtime/operation';
import { cut, describeUnknown, listOr, showValue } from '@lockstep/runtime/validation/sentence';
import type { LevelWithSilent } from 'pino';
import { clockYears, readClockTime } from '../control/clock.ts';
import type { ScenarioGiven } from './control/connect.ts';

interface ListenOptions {
  /** Any free port by default. */
  readonly port?: number;
  /** Interface to listen on; by default `127.0.0.1`, this machine only. */
  readonly host?: string;
  /** Level of the log on standard error; `silent` by default. */
  readonly logLevel?: LevelWithSilent;
}

export interface SandboxOptions extends ListenOptions {
  readonly contract?: undefined;
  /** A name, or files in the format of `lockstep-server import`, also as `{ name }` and `{ import }`; `demo` by default. */
  readonly scenario?: ScenarioGiven;
  /** Time of the domain's clock at the start and after each reset, from 1971 to 9990: RFC 3339 with an offset, milliseconds, or a Date. By default the time of the system. */
  readonly clock?: string | number | Date;
  /** http addresses of this machine that partners may use as callbacks; the service itself accepts only https. */
  readonly loopbackCallbacks?: readonly string[];
  /**
   * Lets other machines use `/_sandbox` too: everyone who reaches the port can read its secrets and reset it. `control` needs this as well if
   * `host` is an address that other machines reach. False by default.
   */
  readonly isControlOpen?: boolean;
  /** The greatest number of worlds at `/w/NAME`; 100 by default, and 0 for none. */
  readonly worlds?: number;
}

/** A contract other than the service's, as `lockstep generate` derives it. The mock keeps items in memory, as `lockstep mock` does. */
export interface ContractOptions extends ListenOptions {
  readonly contract: {
    /** `contract.gen.json` */
    readonly document: Readonly<Record<string, unknown>>;
    /** `operations` of `operations.gen.ts` */
    readonly operations: OperationTable;
  };
  /** Decides the ids of new items; 1 by default. */
  readonly seed?: number;
  /** The greatest number of worlds at `/w/NAME`; 100 by default, and 0 for none. */
  readonly worlds?: number;
  /** Whether `/_sandbox` answers. True by default. */
  readonly control?: boolean;
}

const levels: readonly LevelWithSilent[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

interface Rule {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  /** Whether an invalid value may have the right type, which makes the error a RangeError. */
  readonly isRange?: true;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isAny = (): boolean => true;
const listening: Readonly<Record<keyof ListenOptions, Rule>> = {
  port: { expected: 'a number from 0 to 65535', fits: isPort, isRange: true },
  host: { expected: 'an address of this machine as text', fits: isText },
  logLevel: { expected: listOr(levels), fits: (value) => levels.some((level) => level === value), isRange: true },
};
const ofSandbox: Readonly<Record<keyof SandboxOptions, Rule>> = {
  ...listening,
  contract: { expected: 'nothing', fits: isAny },
  // The content of a scenario and the time are validated when they are read.
  scenario: {
    expected: 'a name, an import file as parsed JSON, or a list of them',
    fits: (value) => isText(value) || (typeof value === 'object' && value !== null),
  },
  clock: { expected: 'a time', fits: isAny },
  loopbackCallbacks: { expected: 'a list of addresses', fits: (value) => Array.isArray(value) && value.every(isText) },
  // The text 'false' would be true.
  isControlOpen: { expected: 'true or false', fits: (value) => typeof value === 'boolean' },
  worlds: { expected: 'a whole number from 0', fits: isCount },
};
const ofContract: Readonly<Record<keyof ContractOptions, Rule>> = {
  ...listening,
  contract: {
    expected:
      '{ document, operations } from contract.gen.json and operations.gen.ts of lockstep generate; for a file, use lockstep mock --contract FILE',
    fits: (value) => isRecord(value) && isRecord(value.document) && isRecord(value.operations),
  },
  seed: { expected: 'a whole number from 0', fits: isCount },
  worlds: { expected: 'a whole number from 0', fits: isCount },
  control: { expected: 'true or false', fits: (value) => typeof value === 'boolean' },
};

/** @throws TypeError if options are not an object, contain an unknown option, or have a wrong type; RangeError for an impossible port or level */
export function checkStartOptions(options: unknown): asserts options is SandboxOptions | ContractOptions {
  if (!isRecord(options)) throw new TypeError(`startMock: options must be an object, not ${show(options)}`);
  const rules: Readonly<Record<string, Rule>> = options.contract === undefined ? ofSandbox : ofContract;
  const names = Object.keys(rules);
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined)
      throw new TypeError(
        `startMock${rules === ofContract ? ' with a contract' : ''}: ${describeUnknown(`the option ${cut(name)}`, name, names).says}`,
      );
    if (value === undefined || rule.fits(value)) continue;
    const message = `startMock: ${name} must be ${rule.expected}, not ${show(value)}`;
    throw rule.isRange ? new RangeError(message) : new TypeError(message);
  }
}

/** @throws RangeError for an invalid time, or one outside the range of the clock */
export function readStart(clock: string | number | Date): number {
  const at = readClockTime(clock);
  if (at !== undefined) return at;
  throw new RangeError(
    `clock ${clock instanceof Date ? String(clock) : showValue(clock)} is not a valid time: use RFC 3339 with an offset, as 2026-06-01T12:00:00Z, whole milliseconds, or a Date, ${clockYears}`,
  );
}

/** Quotes text, so that `"8090"` does not look like a number. */
function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(cut(value)) : showValue(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
