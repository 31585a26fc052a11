// The types of operations.gen.ts: `generated/` imports nothing written by hand.

// Copied from here on.

/** How one parameter is written into a request (OpenAPI 3.1, 4.8.12). */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly allowEmptyValue: boolean;
  /** JSON pointer of the schema in contract.gen.json. */
  readonly schema: string;
  /** `x-invalid-status`: the status for a value that breaks the schema, if it is not 400. */
  readonly invalidStatus?: number;
}

/** One operation of the contract as data, for routers, validators and clients. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';
  /** Path part of the server's address without a trailing slash; `''` for none. */
  readonly basePath: string;
  readonly path: string;
  /** JSON pointer of the operation in contract.gen.json. */
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  /** Content: media type to JSON pointer of its schema. */
  readonly requestBody: null | { readonly required: boolean; readonly content: Readonly<Record<string, string>> };
  /** Alternatives: all schemes of one entry must hold. No entry: anonymous. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** Statuses of its declared answers, in the order of the contract; a range or `default` as it is written there. */
  readonly statuses: readonly (number | '1XX' | '2XX' | '3XX' | '4XX' | '5XX' | 'default')[];
  /** The operation's own `x-` members. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

export type OperationTable = Readonly<Record<string, Operation>>;
