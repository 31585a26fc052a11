import { escapeControls } from '@lockstep/json/escape-controls';
import type { ContractOptions } from '@lockstep/toolkit/contract/file-rule';
import type { Logger } from 'pino';

/** What a command hands back; printing and exiting is the rim's. Exit code 0 fine, 1 found failures, 2 wrong usage or broken input. */
export interface CommandResult {
  readonly exitCode: 0 | 1 | 2;
  readonly text: string;
  /** The same for machines, printed by `--json` as one value. */
  readonly json: object;
  /** What was decided for whoever wrote the contract: told beside the result, among the JSON where that is asked for. */
  readonly notices?: readonly Notice[];
}

/** A contract, and the files that it may refer to. */
export interface ContractTarget extends ContractOptions {
  /** File or http address. */
  readonly contract: string;
}

/** Which contract, and where its derivation lies. */
export interface Target extends ContractTarget {
  readonly out: string;
}

export const defaults: Target = { contract: 'openapi/service.yaml', out: 'generated' };

/** A command prints to these. */
export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly error: { write(text: string): unknown };
}

/** Given to a command that runs until it is stopped. */
export interface Surroundings {
  readonly logger: Logger;
  readonly streams: Streams;
  /** Gives the start up. */
  readonly stopping: AbortSignal;
}

/** Something of the contract that was decided, or left out, and where. */
export interface Notice {
  readonly says: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly pointer?: string;
}

/** `openapi.yaml:12:5 says #/paths/…`: what was told, with its place where it has one. */
export function formatNotice({ says, file, line, column, pointer }: Notice): string {
  const place = file === undefined ? '' : `${[file, line, column].filter((part) => part !== undefined).join(':')} `;
  return oneLine(`note: ${place}${says}${pointer === undefined ? '' : ` (${pointer})`}`);
}

/** One JSON value on one line, its control characters escaped. */
export function formatJson(value: object): string {
  return escapeControls(JSON.stringify(value));
}

/** A text of the contract on a line of its own. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/[\s\u0085]+/g, ' '));
}

/** Text that may be a contract's, its control characters escaped, but for line breaks and tabs. */
export function printable(text: string): string {
  return escapeControls(text, '\n\t');
}

/** What whoever gave the command can mend: its text is all that is shown. Exit code 2. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse';
}
