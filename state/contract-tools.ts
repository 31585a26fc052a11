import type { ContractDocument, JsonObject } from '@lockstep/json/json-pointer';
import { describedBy } from './example-schema.ts';

/** The members of an operation that the inference needs. */
export interface StateOperation {
  readonly operationId: string;
  /** Lower case. */
  readonly method: string;
  readonly basePath: string;
  /** `/pets/{petId}` */
  readonly path: string;
  /** JSON pointer of the operation. */
  readonly pointer: string;
  readonly parameters: readonly StateParameter[];
  /** `content` maps a media type to the JSON pointer of its schema. */
  readonly requestBody: null | { readonly content: Readonly<Record<string, string>> };
  /** The `x-` members of the operation. */
  readonly extensions: Readonly<Record<string, unknown>>;
}

export interface StateParameter {
  readonly name: string;
  readonly in: string;
  /** JSON pointer of the schema. */
  readonly schema: string;
}

export interface ResponseContent {
  readonly mediaType: string;
  readonly schema: unknown;
  /** Values of the examples, whether valid or not. */
  readonly examples: readonly unknown[];
}

/** A documented answer. `default` has the status that it is sent with. */
export interface StateResponse {
  readonly status: number;
  readonly contents: readonly ResponseContent[];
  /** Header Objects by name. */
  readonly headers: Readonly<Record<string, JsonObject>>;
  readonly links: Readonly<Record<string, JsonObject>>;
}

/** A contract as its answers are read, with the means of the caller to judge and to make values. */
export interface ContractTools {
  /** Every reference in it points into itself. */
  readonly document: ContractDocument;
  readonly operations: readonly StateOperation[];
  /** @returns the first fault of a value; undefined if its schema accepts it */
  readonly judge: (value: unknown, schema: unknown) => { readonly at: string; readonly why: string } | undefined;
  /** @param seed 0 gives the plainest value */
  readonly makeValue: (
    schema: unknown,
    seed?: number,
  ) => { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'hopeless' };
  /** The documented answers, by ascending status. */
  readonly responsesOf: (operation: StateOperation) => readonly StateResponse[];
  /** The value of a path parameter in the sample request of an operation. */
  readonly sampleParameter: (operation: StateOperation, name: string) => unknown;
}

export function isJsonType(mediaType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(mediaType) || mediaType === '*/*';
}

function isXmlType(mediaType: string): boolean {
  return /^(?:application|text)\/(?:[\w.-]+\+)?xml\s*(?:;|$)/i.test(mediaType);
}

/** The lowest documented success. */
export function successOf(tools: ContractTools, operation: StateOperation): StateResponse | undefined {
  return tools.responsesOf(operation).find(({ status }) => status < 300);
}

/**
 * The JSON of an answer, else its XML: both show values. One type may have the schema, and the same type with a parameter the examples. An example
 * describes it if no schema does.
 */
export function jsonContentOf(response: StateResponse | undefined): ResponseContent | undefined {
  const all = response?.contents ?? [];
  const json = all.filter(({ mediaType }) => isJsonType(mediaType));
  const contents = json.length > 0 ? json : all.filter(({ mediaType }) => isXmlType(mediaType));
  const content = contents.find(({ schema }) => schema !== undefined) ?? contents[0];
  const examples = contents.flatMap((one) => one.examples);
  return content && { ...content, schema: describedBy(content.schema, examples), examples };
}

/** The media type of an answer: a range such as any type is sent as JSON. */
export function sentType({ mediaType }: ResponseContent): string {
  return mediaType.includes('*') ? 'application/json' : mediaType;
}
