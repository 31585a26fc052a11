/**
 * What the mock needs to know of one operation. The generated operation table satisfies it, so does a table
 * written by hand; nothing here belongs to a particular API.
 */
export interface Operation {
  readonly operationId: string;
  /** Lower case. */
  readonly method: string;
  /** Path part of the server's URL, without trailing slash: `/v1`, or empty. */
  readonly basePath: string;
  /** Template below the base path: `/devices/{deviceId}`. */
  readonly path: string;
  /** Place of the operation in the contract: `#/paths/~1devices~1{deviceId}/get`. */
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody: null | {
    readonly required: boolean;
    /** Media type to the pointer of its schema. */
    readonly content: Readonly<Record<string, string>>;
  };
  /** Alternatives, each scheme name to scopes; none means anonymous. */
  readonly security: readonly SecurityAlternative[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly allowEmptyValue: boolean;
  /** Pointer of the schema in the contract. */
  readonly schema: string;
  /** Status for a value that breaks the schema, where it is not 400. */
  readonly invalidStatus?: number;
}

export type SecurityAlternative = Readonly<Record<string, readonly string[]>>;

export type OperationTable = Readonly<Record<string, Operation>>;
