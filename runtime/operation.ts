/** One parameter (OpenAPI 3.1, 4.8.12). */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly allowEmptyValue: boolean;
  /** JSON pointer of the schema in the contract. */
  readonly schema: string;
  /** The status for a value that breaks the schema, if not 400. */
  readonly invalidStatus?: number;
}

/** One operation as data: the members of a row in the generated table that the runtime needs. */
export interface Operation {
  readonly operationId: string;
  /** Lower case. */
  readonly method: string;
  /** Path part of the server's address without a trailing slash: `/v1`, or empty. */
  readonly basePath: string;
  /** Template below the base path: `/devices/{deviceId}`. */
  readonly path: string;
  /** JSON pointer of the operation in the contract. */
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  /** `content` maps a media type or range to the JSON pointer of its schema. */
  readonly requestBody: null | { readonly required: boolean; readonly content: Readonly<Record<string, string>> };
  /** Alternatives: one entry must be satisfied, with every scheme in it and its scopes. No entry or an empty one allows anonymous requests. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** The operation's own `x-` members. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** By operationId. */
export type OperationTable = Readonly<Record<string, Operation>>;
