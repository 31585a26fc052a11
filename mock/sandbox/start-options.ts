// The options of `startMock`, and their checks: JavaScript may pass anything.

import type { OperationTable } from '@lockstep/runtime/operation';
import { cut, describeUnknown, listOr, showValue } from '@lockstep/runtime/validation/sentence';
import type { LevelWithSilent } from 'pino';
import { clockYears, readClockTime } from './clock.ts';
import type { ScenarioGiven } from './control/connect.ts';

interface ListenOptions {
  /** Any free one when left out. */
  readonly port?: number;
  /** Interface to listen on; `127.0.0.1` when left out: this machine alone. */
  readonly host?: string;
  /** Of the log, on standard error; `silent` when left out. */
  readonly logLevel?: LevelWithSilent;
}

export interface SandboxOptions extends ListenOptions {
  readonly contract?: undefined;
  /** By name, or files in the form that `lockstep-server import` reads, also as `{ name }` and `{ import }`; `demo` when left out. */
  readonly scenario?: ScenarioGiven;
  /** What the clock of the domain says at the start, and after each reset, from 1971 to 9990: RFC 3339 with an offset, milliseconds, or a Date. The time of the system when left out. */
  readonly clock?: string | number | Date;
  /** http addresses of this machine that partners may be called back at; the service itself takes https alone. */
  readonly loopbackCallbacks?: readonly string[];
  /**
   * Lets other machines drive it under `/_sandbox`, too: whoever reaches it can read its secrets and reset it. Also what `control` needs where
   * `host` is an address that other machines reach. False when left out.
   */
  readonly isControlOpen?: boolean;
}

/** Another contract than that of the service, as `lockstep generate` derives it. Its operations answer as documented, and keep nothing. */
export interface ContractOptions extends ListenOptions {
  readonly contract: {
    /** `contract.gen.json` */
    readonly document: Readonly<Record<string, unknown>>;
    /** Of `operations.gen.ts`. */
    readonly operations: OperationTable;
  };
}

const levels: readonly LevelWithSilent[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

interface Rule {
  readonly takes: string;
  readonly fits: (value: unknown) => boolean;
  /** The type is right where it does not fit. */
  readonly isRange?: true;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isAny = (): boolean => true;
const listening: Readonly<Record<keyof ListenOptions, Rule>> = {
  port: { takes: 'a number from 0 to 65535', fits: isPort, isRange: true },
  host: { takes: 'an address of this machine as text', fits: isText },
  logLevel: { takes: listOr(levels), fits: (value) => levels.some((level) => level === value), isRange: true },
};
const ofSandbox: Readonly<Record<keyof SandboxOptions, Rule>> = {
  ...listening,
  contract: { takes: 'nothing', fits: isAny },
  // What a scenario holds and the time are judged where they are read.
  scenario: {
    takes: 'a name, an import file as parsed JSON, or a list of them',
    fits: (value) => isText(value) || (typeof value === 'object' && value !== null),
  },
  clock: { takes: 'a time', fits: isAny },
  loopbackCallbacks: { takes: 'a list of addresses', fits: (value) => Array.isArray(value) && value.every(isText) },
  // A text that says no would open it.
  isControlOpen: { takes: 'true or false', fits: (value) => typeof value === 'boolean' },
};
const ofContract: Readonly<Record<keyof ContractOptions, Rule>> = {
  ...listening,
  contract: {
    takes:
      '{ document, operations }, what contract.gen.json and operations.gen.ts of lockstep generate hold; for a file there is lockstep mock --contract FILE',
    fits: (value) => isRecord(value) && isRecord(value.document) && isRecord(value.operations),
  },
};

/** @throws TypeError for no object, an unknown option, or a wrong type; RangeError for an impossible port or level */
export function checkStartOptions(options: unknown): asserts options is SandboxOptions | ContractOptions {
  if (!isRecord(options)) throw new TypeError(`startMock takes an object of options, not ${show(options)}`);
  const rules: Readonly<Record<string, Rule>> = options.contract === undefined ? ofSandbox : ofContract;
  const names = Object.keys(rules);
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined)
      throw new TypeError(
        `startMock${rules === ofContract ? ' with a contract' : ''}: ${describeUnknown(`the option ${cut(name)}`, name, names).says}`,
      );
    if (value === undefined || rule.fits(value)) continue;
    const says = `startMock: ${name} takes ${rule.takes}, not ${show(value)}`;
    throw rule.isRange ? new RangeError(says) : new TypeError(says);
  }
}

/** @throws RangeError for a clock that is no time, or one outside its years */
export function readStart(clock: string | number | Date): number {
  const at = readClockTime(clock);
  if (at !== undefined) return at;
  throw new RangeError(
    `clock ${clock instanceof Date ? String(clock) : showValue(clock)} is no time that it can show: use RFC 3339 with an offset, as 2026-06-01T12:00:00Z, whole milliseconds, or a Date, ${clockYears}`,
  );
}

/** Text in quotes: `"8090"` is no number. */
function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(cut(value)) : showValue(value);
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
