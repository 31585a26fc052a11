import {
  type ContractDocument,
  followMember,
  followRef,
  isObject,
  type JsonObject,
  readPointer,
} from '@lockstep/json/json-pointer';

/** A response of the contract, chosen for one status. */
export interface DeclaredResponse {
  readonly status: number;
  /** The Response Object, after its reference. */
  readonly node: JsonObject;
}

/** A named example of a response body. `example`, which has no name, is called `default`, as in Prism. */
export interface NamedExample {
  readonly name: string;
  readonly value: unknown;
}

interface ResponseContent {
  readonly mediaType: string;
  readonly schema: unknown;
  readonly examples: readonly NamedExample[];
}

/** Keys of an operation's responses as the contract spells them: `200`, `4XX`, `default`. */
export function responseKeys(document: ContractDocument, pointer: string): string[] {
  return Object.keys(responsesOf(document, pointer));
}

/** Headers that Node writes, or that describe a body which only a real service has (RFC 9110, 6 and 8). */
export const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A header value (RFC 9110, 5.5) that Node accepts, without surrounding white space, which is not part of the value. */
export const headerText = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;

/** The response for a status: declared exactly, by its range (`4XX`), or by `default`. */
export function findResponse(
  document: ContractDocument,
  pointer: string,
  status: number,
): DeclaredResponse | undefined {
  const responses = responsesOf(document, pointer);
  const key = [String(status), `${String(status).charAt(0)}XX`, 'default'].find((name) =>
    Object.hasOwn(responses, name),
  );
  return key === undefined ? undefined : { status, node: followRef(document, responses[key]) };
}

/** The contents of a response, one entry for each media type, in the contract's order. */
export function listContents(document: ContractDocument, response: JsonObject): ResponseContent[] {
  return Object.entries(followMember(document, response, 'content')).map(([mediaType, content]) => {
    const media = isObject(content) ? content : {};
    return { mediaType, schema: media.schema, examples: listExamples(document, media) };
  });
}

/**
 * Header values of a response from its examples, without those that Node writes. A header uses the example with the name of the body's
 * example, so that a challenge fits its error; else its first example, else that of its schema.
 *
 * @param make makes the value of a required header without an example
 */
export function exampleHeaders(
  document: ContractDocument,
  response: JsonObject,
  exampleName: string | undefined,
  isRequiredOnly = false,
  make: (schema: unknown) => unknown = () => undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, node] of Object.entries(followMember(document, response, 'headers'))) {
    const header = followRef(document, node);
    if (framing.has(name.toLowerCase()) || (isRequiredOnly && header.required !== true)) continue;
    const examples = [...listExamples(document, header), ...listSchemaExamples(document, header.schema)].filter(
      ({ value }) => headerText.test(String(value)),
    );
    const chosen = examples.find((example) => example.name === exampleName) ?? examples[0];
    const value = chosen?.value ?? (header.required === true ? make(header.schema) : undefined);
    if (value !== undefined && headerText.test(String(value))) headers[name] = String(value);
  }
  return headers;
}

/** Example values of the headers for answers outside all operations (`x-unrouted`), for any status. */
export function ambientHeaders(document: ContractDocument): Record<string, string> {
  const unrouted = followMember(document, document, 'x-unrouted');
  const [first = {}, ...others] = Object.values(unrouted).map((node) =>
    exampleHeaders(document, followRef(document, node), undefined),
  );
  return Object.fromEntries(
    Object.entries(first).filter(([name]) => others.every((headers) => Object.hasOwn(headers, name))),
  );
}

function responsesOf(document: ContractDocument, pointer: string): JsonObject {
  const operation = readPointer(document, pointer);
  return isObject(operation) ? followMember(document, operation, 'responses') : {};
}

/** The examples of a Media Type or Header Object, without external ones (`externalValue`). */
export function listExamples(document: ContractDocument, node: JsonObject): NamedExample[] {
  if (Object.hasOwn(node, 'example')) return [{ name: 'default', value: node.example }];
  return Object.entries(isObject(node.examples) ? node.examples : {}).flatMap(([name, entry]) => {
    const example = followRef(document, entry);
    return Object.hasOwn(example, 'value') ? [{ name, value: example.value }] : [];
  });
}

function listSchemaExamples(document: ContractDocument, schema: unknown): NamedExample[] {
  const { example, examples, const: constant } = followRef(document, schema);
  const values = [example, ...(Array.isArray(examples) ? examples : []), constant];
  return values.filter((value) => value !== undefined).map((value) => ({ name: '', value }));
}
