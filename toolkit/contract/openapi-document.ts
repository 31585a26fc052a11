/**
 * The parts of an OpenAPI 3.1 document that the toolkit reads, after bundling: every `$ref` points into the same document.
 * Names are those of the specification. Parts that the toolkit only copies are `unknown`.
 */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers?: readonly ServerObject[];
  readonly security?: readonly SecurityRequirement[];
  readonly paths?: Readonly<Record<string, Ref<PathItemObject>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface ServerObject {
  readonly url: string;
  readonly variables?: Readonly<Record<string, { readonly default: string }>>;
}

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export type Ref<T> = T | { readonly $ref: string };

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type Method = (typeof methods)[number];

export type PathItemObject = {
  readonly parameters?: readonly Ref<ParameterObject>[];
  readonly servers?: readonly ServerObject[];
} & { readonly [M in Method]?: OperationObject };

export interface OperationObject {
  readonly operationId?: string;
  readonly parameters?: readonly Ref<ParameterObject>[];
  readonly servers?: readonly ServerObject[];
  readonly requestBody?: Ref<RequestBodyObject>;
  readonly responses?: Readonly<Record<string, Ref<ResponseObject>>>;
  readonly security?: readonly SecurityRequirement[];
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema?: Ref<SchemaObject>;
  readonly content?: unknown;
}

export interface RequestBodyObject {
  readonly required?: boolean;
  readonly content: Readonly<Record<string, { readonly schema?: Ref<SchemaObject> }>>;
}

export interface ResponseObject {
  readonly headers?: Readonly<Record<string, Ref<HeaderObject>>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Ref<SchemaObject> }>>;
}

export interface HeaderObject {
  readonly required?: boolean;
  readonly schema?: Ref<SchemaObject>;
}

export interface SchemaObject {
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  /** `true` and `false` are schemas too (JSON Schema 2020-12, 4.3.2). */
  readonly properties?: Readonly<Record<string, Ref<SchemaObject> | boolean>>;
  readonly allOf?: readonly (Ref<SchemaObject> | boolean)[];
}
