import type { JsonObject, Pointer } from './document.ts';
import type { OperationExtensions } from './extensions.ts';
import { printable } from './printable.ts';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';

/** `auth`: the operation has servers other than those of the document, such as an authorization server. */
export type Target = 'api' | 'auth';

export interface Contract {
  readonly file: string;
  readonly title: string;
  readonly root: JsonObject;
  /** Addresses of the document's servers with defaults filled in. */
  readonly servers: readonly string[];
  readonly operations: readonly Operation[];
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Parts that could not be read. The rest is still tested. */
  readonly problems: readonly ContractProblem[];
  readonly lineOf: (pointer: Pointer) => number;
  readonly excerptAt: (pointer: Pointer) => Excerpt;
}

/** Lines of a document around the value of a pointer. */
export interface Excerpt {
  /** A further file of the contract, relative to the contract's folder; undefined for the contract itself. */
  readonly file?: string;
  /** 1-based line of the value. */
  readonly line: number;
  /** 1-based number of the first of the lines. */
  readonly first: number;
  /** Long ones are cut around the value. */
  readonly lines: readonly string[];
}

export interface Operation {
  /** `operationId`; method and path if it is missing or not unique. */
  readonly id: string;
  readonly method: Method;
  /** Path template of the contract, `/devices/{deviceId}`. */
  readonly path: string;
  readonly pointer: Pointer;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  readonly target: Target;
  /** Addresses of the operation's own servers with defaults filled in; empty if those of the document apply. */
  readonly servers: readonly string[];
  /** Overrides the address of the target: an address, or a path at the origin of the base URL. */
  readonly address?: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly responses: readonly ResponseObject[];
  /** Alternatives, each of which needs all its schemes. An empty list or an empty alternative needs no credentials. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly extensions: OperationExtensions;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Whether it may have an empty value, whatever its schema is. */
  readonly allowEmptyValue?: boolean;
  readonly pointer: Pointer;
  /** If undefined, any text is valid. */
  readonly schema: Pointer | undefined;
  /** Set if the value is a document, such as JSON in a query parameter. */
  readonly mediaType: string | undefined;
  readonly examples: readonly unknown[];
  readonly rule: unknown;
  /** The status of the answer to an invalid value, if the contract declares it. */
  readonly invalidStatus: number | undefined;
}

export interface Body {
  readonly pointer: Pointer;
  readonly required: boolean;
  readonly contents: readonly MediaContent[];
}

export interface MediaContent {
  /** As the contract spells it, with wildcards and parameters. */
  readonly mediaType: string;
  readonly pointer: Pointer;
  readonly schema: Pointer | undefined;
  readonly examples: readonly unknown[];
  readonly encoding: JsonObject;
}

export interface ResponseObject {
  /** `200`, `4XX` or `default`. */
  readonly status: string;
  readonly pointer: Pointer;
  readonly headers: readonly HeaderObject[];
  readonly contents: readonly MediaContent[];
  readonly links: readonly Link[];
  /** Empty if the response lists none. */
  readonly errorCodes: readonly string[];
}

export interface HeaderObject {
  readonly name: string;
  readonly pointer: Pointer;
  readonly required: boolean;
  readonly explode: boolean;
  readonly schema: Pointer | undefined;
  /** Whether the value is a document described by `content`. */
  readonly hasContent: boolean;
}

export interface Link {
  readonly pointer: Pointer;
  /** Id of the target operation. */
  readonly to: string;
  /** Maps a name, optionally prefixed with `path.`, to a runtime expression or constant. */
  readonly parameters: JsonObject;
}

export interface SecurityScheme {
  readonly name: string;
  readonly pointer: Pointer;
  readonly type: string;
  /** For `http`: the scheme in lower case, `bearer`, `basic`. */
  readonly scheme: string | undefined;
  /** For `apiKey`: the place and name of the key. */
  readonly key: { readonly in: string; readonly name: string } | undefined;
  /** For `oauth2` with client credentials. */
  readonly tokenUrl: string | undefined;
}

/** The Response Object of a status: the exact one, else its range, else `default`. */
export function responseFor(operation: Operation, status: number): ResponseObject | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  return [String(status), range, 'default']
    .map((key) => operation.responses.find((response) => response.status.toUpperCase() === key.toUpperCase()))
    .find((response) => response !== undefined);
}

/** A fault in a contract. A `ContractError` stops the run with exit code 2; other problems are reported, and their parts skipped. */
export interface ContractProblem {
  readonly pointer: string;
  /** 1-based line of the file; 0 if the file could not be read that far. */
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** The MUST of OpenAPI or JSON Schema that the problem breaks: the contract is defective. */
  readonly breaks?: string | undefined;
}

/** All reasons why a contract cannot be read. */
export class ContractError extends Error {
  readonly problems: readonly ContractProblem[];

  constructor(file: string, problems: readonly ContractProblem[]) {
    super(`${file} cannot be tested as a contract:\n${problems.map((p) => formatProblem(file, p)).join('\n')}`);
    this.name = 'ContractError';
    this.problems = problems;
  }
}

function formatProblem(file: string, problem: ContractProblem): string {
  const { line } = problem;
  const [pointer, message, fix] = [problem.pointer, problem.message, problem.fix].map(printable);
  return `${file}${line > 0 ? `:${line}` : ''} ${pointer}\n  ${message}\n  ${fix}`;
}

/** `type/subtype` in lower case, without parameters; undefined for any other text (RFC 9110, 8.3.1). */
export function essenceOf(text: string): string | undefined {
  const match = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(;.*)?$/s.exec(text);
  return match?.[1]?.toLowerCase();
}

/** Whether a declared type or range, such as `text/*`, covers the one that was sent. Parameters and case are ignored. */
export function coversMediaType(declared: string, sent: string): boolean {
  const range = essenceOf(declared);
  const essence = essenceOf(sent);
  if (range === undefined || essence === undefined) return false;
  return range === '*/*' || range === essence || (range.endsWith('/*') && essence.startsWith(range.slice(0, -1)));
}

/** The entry of `content` that describes a media type: the exact type first, then ranges such as `text/*`. */
export function contentFor(contents: readonly MediaContent[], mediaType: string): MediaContent | undefined {
  const fitting = contents.filter((content) => coversMediaType(content.mediaType, mediaType));
  return fitting.find((content) => essenceOf(content.mediaType) === essenceOf(mediaType)) ?? fitting[0];
}

export function isJson(mediaType: string): boolean {
  return /^(application|text)\/json$|\+json$/.test(essenceOf(mediaType) ?? '');
}
