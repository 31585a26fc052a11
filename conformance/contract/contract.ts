import type { JsonObject, Pointer } from './document.ts';
import type { OperationExtensions } from './extensions.ts';
import { printable } from './printable.ts';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';

/** `auth`: the operation's servers are not those of the document, as with an authorization server. */
export type Target = 'api' | 'auth';

export interface Contract {
  readonly file: string;
  readonly title: string;
  readonly root: JsonObject;
  /** Addresses of the document's servers with defaults filled in. */
  readonly servers: readonly string[];
  readonly operations: readonly Operation[];
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Parts that could not be read. The rest is tested all the same. */
  readonly problems: readonly ContractProblem[];
  readonly lineOf: (pointer: Pointer) => number;
}

export interface Operation {
  /** `operationId`, else method and path; so too where another operation has taken it. */
  readonly id: string;
  readonly method: Method;
  /** As the contract writes it, `/devices/{deviceId}`. */
  readonly path: string;
  readonly pointer: Pointer;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  readonly target: Target;
  /** Addresses of the operation's own servers with defaults filled in; empty where the document's hold. */
  readonly servers: readonly string[];
  /** Its place, if not the address of its target: an address, or a path at the origin of the base URL. */
  readonly address?: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly responses: readonly ResponseObject[];
  /** Alternatives; every scheme of one alternative is needed. Empty, or an empty alternative: open. */
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
  readonly pointer: Pointer;
  /** Undefined: any text will do. */
  readonly schema: Pointer | undefined;
  /** Set where the value is a document of its own, as JSON in a query parameter. */
  readonly mediaType: string | undefined;
  readonly examples: readonly unknown[];
  readonly rule: unknown;
}

export interface Body {
  readonly pointer: Pointer;
  readonly required: boolean;
  readonly contents: readonly MediaContent[];
}

export interface MediaContent {
  /** As written, with wildcards and parameters. */
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
}

export interface HeaderObject {
  readonly name: string;
  readonly pointer: Pointer;
  readonly required: boolean;
  readonly explode: boolean;
  readonly schema: Pointer | undefined;
  /** It is a document of its own, described by `content`. */
  readonly hasContent: boolean;
}

export interface Link {
  readonly pointer: Pointer;
  /** Id of the operation it leads to. */
  readonly to: string;
  /** Name, perhaps with `path.` before it, to runtime expression or constant. */
  readonly parameters: JsonObject;
}

export interface SecurityScheme {
  readonly name: string;
  readonly pointer: Pointer;
  readonly type: string;
  /** Of `http`, in lower case: `bearer`, `basic`. */
  readonly scheme: string | undefined;
  /** Of `apiKey`: where it goes and what it is called. */
  readonly key: { readonly in: string; readonly name: string } | undefined;
  /** Of `oauth2` with client credentials. */
  readonly tokenUrl: string | undefined;
}

/** Response Object of a status: the exact one, else its range, else `default`. */
export function responseFor(operation: Operation, status: number): ResponseObject | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  return [String(status), range, 'default']
    .map((key) => operation.responses.find((response) => response.status.toUpperCase() === key.toUpperCase()))
    .find((response) => response !== undefined);
}

/** One thing wrong with a contract. `fatal` ones end the run with exit code 2, the others are told and stepped over. */
export interface ContractProblem {
  readonly pointer: string;
  /** 1-based line of the file; 0 where the file could not be read that far. */
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** The sentence of OpenAPI or JSON Schema that it breaks, where one says MUST: it is a defect of the contract then. */
  readonly breaks?: string | undefined;
}

/** The contract cannot be read at all: all reasons at once. */
export class ContractError extends Error {
  readonly problems: readonly ContractProblem[];

  constructor(file: string, problems: readonly ContractProblem[]) {
    super(`${file} is not a contract that can be tested:\n${problems.map((p) => formatProblem(file, p)).join('\n')}`);
    this.name = 'ContractError';
    this.problems = problems;
  }
}

function formatProblem(file: string, problem: ContractProblem): string {
  const { line } = problem;
  const [pointer, message, fix] = [problem.pointer, problem.message, problem.fix].map(printable);
  return `${file}${line > 0 ? `:${line}` : ''} ${pointer}\n  ${message}\n  ${fix}`;
}

/** `type/subtype` in lower case, without parameters; undefined for text that is no media type (RFC 9110, 8.3.1). */
export function essenceOf(text: string): string | undefined {
  const match = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(;.*)?$/s.exec(text);
  return match?.[1]?.toLowerCase();
}

/** Whether a declared type, perhaps `text/*`, covers the one that was sent. Parameters and case don't count. */
export function coversMediaType(declared: string, sent: string): boolean {
  const range = essenceOf(declared);
  const essence = essenceOf(sent);
  if (range === undefined || essence === undefined) return false;
  return range === '*/*' || range === essence || (range.endsWith('/*') && essence.startsWith(range.slice(0, -1)));
}

export function isJson(mediaType: string): boolean {
  return /^(application|text)\/json$|\+json$/.test(essenceOf(mediaType) ?? '');
}
