import { type ContractDocument, followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';
import type { Answer } from '@lockstep/runtime/exchange';
import { oncePerDocument } from '@lockstep/runtime/once-per-document';
import type { Operation } from '@lockstep/runtime/operation';
import { Rejection } from '@lockstep/runtime/rejection';
import { findResponse, listContents, type NamedExample } from '@lockstep/runtime/rejection/declared-response';
import { type FaultMember, findFaultMembers, replaceRole } from '@lockstep/runtime/rejection/fault-members';
import type { AnswerOtherwise } from '@lockstep/runtime/stateful/answer-from-state';
import { createValueMaker, type MadeValue } from '@lockstep/runtime/stateful/make-value';
import { writeHeaders } from '@lockstep/runtime/stateful/write-headers';
import { dropUnusable } from '@lockstep/runtime/validation/drop-unusable';
import { createJudge } from '@lockstep/runtime/validation/judge-value';
import { readDirection } from '@lockstep/runtime/validation/one-direction';
import { isJsonType } from '@lockstep/runtime/validation/parse-body';
import { type Choice, successStatus } from './choose-example.ts';
import { encodeBody, nameConcreteType } from './encode-body.ts';
import type { AskPrism } from './prism.ts';

/** Answers an operation as documented. The request has already passed every check. */
export type AnswerAsDocumented = (operation: Operation, choice: Choice, request: Asked) => Promise<Answer>;

/** The parts of a request that its answer depends on. */
interface Asked {
  readonly requestId: string;
  readonly accept: string | undefined;
}

/** An answer without the id of its request. */
interface Finished {
  readonly answer: Answer;
  /** The roles of members of its body, `request-id` among them. */
  readonly members: readonly FaultMember[];
}

/** The response and content that the contract declares for one status of an operation. */
interface Declared {
  readonly response: JsonObject;
  readonly contents: readonly Content[];
}

type Content = ReturnType<typeof listContents>[number];

/** Values of Prism are checked for discriminators down to this depth. */
const deepestTag = 8;

/** Limit of the cache of answers. Only `default`, which covers any status, could make it grow further. */
const mostKept = 5_000;

/** RFC 9110, 11.6.1 requires a challenge with every 401, whether or not the contract declares one. */
function challenge(status: number, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isThere = Object.keys(headers).some((name) => name.toLowerCase() === 'www-authenticate');
  return status !== 401 || isThere ? headers : { ...headers, 'WWW-Authenticate': 'Bearer realm="api"' };
}

/**
 * Creates the answers of a contract: the requested example, or the first. A value that its schema rejects is never served. If no example fits, or a new
 * value is requested, Prism invents one. If the schema rejects the invented value, values are generated until one is valid.
 *
 * The promise of an answer rejects with a `Rejection` if no value can be generated from the schema.
 */
export const createAnswers = oncePerDocument((contract) =>
  answersBy(contract, async (document) => (await import('./prism.ts')).createPrism(document)),
);

/** The documented answers of operations that store items. */
export function answerOtherwise(contract: ContractDocument): AnswerOtherwise {
  const answer = createAnswers(contract);
  return (operation, code, request) =>
    answer(operation, { dynamic: false, ...(code !== undefined && { code }) }, request);
}

/** @param loadPrism called at the first answer that needs Prism: loading it is slow */
export function answersBy(
  contract: ContractDocument,
  loadPrism: (document: ContractDocument) => Promise<AskPrism>,
): AnswerAsDocumented {
  const document = readDirection(dropUnusable(contract).document, 'response');
  const judge = createJudge(document);
  const judgeTags = createTagJudge(document);
  const makeValue = createValueMaker(document, judge, 'response');
  const kept = new Map<string, Finished>();
  const declared = new Map<string, Declared>();

  return async (operation, choice, { requestId, accept }) => {
    const status = choice.code ?? successStatus(document, operation.pointer);
    const { response, contents } = readDeclared(operation.pointer, status);
    const content = pickContent(contents, accept, choice);
    const key = `${operation.operationId} ${status} ${content?.mediaType} ${choice.example}`;
    const known = isInvented(choice) ? undefined : kept.get(key);
    const finished = known ?? (await finish(operation, choice, status, response, content));
    if (!isInvented(choice) && kept.size < mostKept) kept.set(key, finished);
    const { answer, members } = finished;
    return { ...answer, body: replaceRole(members, answer.body, 'request-id', requestId) };
  };

  function readDeclared(pointer: string, status: number): Declared {
    const key = `${status} ${pointer}`;
    const known = declared.get(key);
    if (known !== undefined) return known;
    const response = findResponse(document, pointer, status)?.node ?? {};
    const read = { response, contents: hasContent(status) ? listContents(document, response) : [] };
    if (declared.size < mostKept) declared.set(key, read);
    return read;
  }

  async function finish(
    operation: Operation,
    choice: Choice,
    status: number,
    response: JsonObject,
    content: Content | undefined,
  ): Promise<Finished> {
    const exampleName = choice.example ?? content?.examples[0]?.name;
    const headers = challenge(status, writeHeaders({ document, judge, makeValue }, response, exampleName));
    if (content === undefined) return { answer: { status, headers }, members: [] };
    const mediaType = nameConcreteType(document, content.mediaType, content.schema);
    const made = await makeBody(operation, choice, status, content, mediaType);
    if (made.kind === 'hopeless') {
      const { operationId } = operation;
      const text = `No answer can be made for ${operationId} ${status}: its schema allows no value that was tried (${made.why})`;
      throw new Rejection('internal', { text });
    }
    const members = findFaultMembers(document, content.schema);
    const shown = hideWriteOnly(document, content.schema, made.value);
    const value = isInvented(choice) ? nameCode(members, response, shown) : shown;
    const body = encodeBody(mediaType, value);
    return { answer: { status, headers, mediaType, body }, members };
  }

  async function makeBody(
    { method, path }: Operation,
    { example, dynamic, seed }: Choice,
    status: number,
    { schema, examples }: Content,
    mediaType: string,
  ): Promise<MadeValue> {
    const served = examples.flatMap((one) => serveable({ document, judge }, mediaType, schema, one));
    const named = example === undefined ? undefined : served.find(({ name }) => name === example);
    // If the schema rejects the named example, another example is no substitute for it.
    const usable = example === undefined ? served : named === undefined ? [] : [named];
    if (schema === undefined && usable.length === 0) return { kind: 'value', value: isJsonType(mediaType) ? {} : '' };
    const [first] = usable;
    if (first !== undefined && !dynamic) return { kind: 'value', value: first.value };
    // Prism takes most of a second to load, seconds on a busy machine.
    const askPrism = await loadPrism(document);
    const value = await askPrism({
      method,
      path,
      status,
      mediaType,
      schema: schema ?? true,
      examples: usable,
      ...(named !== undefined && { example }),
      dynamic,
      seed,
    });
    const isGood =
      value !== undefined &&
      (usable.some((one) => one.value === value) || (judge(value, schema) ?? judgeTags(value, schema)) === undefined);
    if (isGood && isText(value)) return { kind: 'value', value };
    const number = seed === undefined ? Math.floor(Math.random() * 1e9) : hash(seed);
    return makeValue(schema, dynamic || seed !== undefined ? 1 + number : 0);
  }
}

/** A value without the members that clients only send (OpenAPI 3.1, 4.8.24; JSON Schema validation, 9.4). None of them is required in an answer. */
function hideWriteOnly(document: ContractDocument, schema: unknown, value: unknown, depth = 0): unknown {
  if (depth > deepestTag || typeof value !== 'object' || value === null) return value;
  const parts = listParts(document, schema);
  if (Array.isArray(value)) {
    const items = parts.find((part) => part.items !== undefined)?.items;
    return items === undefined ? value : value.map((item) => hideWriteOnly(document, items, item, depth + 1));
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const own = parts.flatMap(({ properties }) =>
      isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
    );
    if (own.some((one) => followRef(document, one).writeOnly === true)) return [];
    return [[name, own.reduce((shown, one) => hideWriteOnly(document, one, shown, depth + 1), member)] as const];
  });
  return Object.fromEntries(members);
}

/** Checks that each discriminator has one of its values (OpenAPI 3.1, 4.8.25). Prism writes arbitrary text there. */
function createTagJudge(document: ContractDocument): (value: unknown, schema: unknown) => string | undefined {
  return (value, schema) => judgeTag(value, schema, 0);

  function judgeTag(value: unknown, schema: unknown, depth: number): string | undefined {
    if (depth > deepestTag || typeof value !== 'object' || value === null) return undefined;
    for (const { discriminator, oneOf, anyOf, items, properties } of listParts(document, schema)) {
      const { propertyName, mapping } = isObject(discriminator) ? discriminator : {};
      const variants = [oneOf, anyOf].find(Array.isArray) ?? [];
      const refs = variants.map((variant) =>
        String(isObject(variant) ? variant.$ref : '')
          .split('/')
          .at(-1),
      );
      const tags = isObject(mapping) && Object.keys(mapping).length > 0 ? Object.keys(mapping) : refs;
      if (
        typeof propertyName === 'string' &&
        variants.length > 0 &&
        isObject(value) &&
        !tags.includes(String(value[propertyName]))
      )
        return 'discriminator';
      const inner = Array.isArray(value)
        ? value.map((item) => judgeTag(item, items ?? true, depth + 1))
        : Object.entries(isObject(properties) ? properties : {}).map(([name, member]) =>
            judgeTag((value as JsonObject)[name], member, depth + 1),
          );
      const fault = inner.find((found) => found !== undefined);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
}

/**
 * An example as it can be served. For JSON that is its value, or the value that its text parses to, if the schema accepts that.
 *
 * @returns an empty list if its schema rejects it
 */
export function serveable(
  { document, judge }: { readonly document: ContractDocument; readonly judge: ReturnType<typeof createJudge> },
  mediaType: string,
  schema: unknown,
  { name, value }: NamedExample,
): readonly NamedExample[] {
  const isJson = isJsonType(mediaType);
  // A text of another media type is validated only against a schema of type string.
  const isWritten = !isJson && typeof value === 'string' && followRef(document, schema).type !== 'string';
  if (schema === undefined || isWritten || judge(value, schema) === undefined) return [{ name, value }];
  const parsed = isJson && typeof value === 'string' ? parseJson(value) : undefined;
  return parsed !== undefined && judge(parsed, schema) === undefined ? [{ name, value: parsed }] : [];
}

function isInvented({ dynamic, seed }: Choice): boolean {
  return dynamic || seed !== undefined;
}

/** A schema may list the codes of all errors, and `x-error-codes` those of one response. Equal values always get the same code. */
function nameCode(members: readonly FaultMember[], response: JsonObject, value: unknown): unknown {
  const codes = Array.isArray(response['x-error-codes']) ? response['x-error-codes'] : [];
  const sent = members.flatMap(({ name, role }) => (role === 'code' && isObject(value) ? [value[name]] : []));
  if (codes.length === 0 || sent.some((code) => codes.includes(code))) return value;
  return replaceRole(members, value, 'code', codes[hash(JSON.stringify(value)) % codes.length]);
}

/** RFC 9110, 6.4.1: some statuses have no content, whatever the contract declares. */
export function hasContent(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 205 && status !== 304;
}

/** The media type that fits `Accept` best. If none fits, the usual one (RFC 9110, 12.5.1: a server may disregard `Accept`). */
function pickContent(
  contents: readonly Content[],
  accept: string | undefined,
  { example }: Choice,
): Content | undefined {
  const having = contents.filter(
    ({ examples }) => example === undefined || examples.some(({ name }) => name === example),
  );
  const isUsual = ({ mediaType }: Content): boolean => isJsonType(mediaType);
  const usable = having.length > 0 ? having : contents;
  const ordered = [...usable.filter(isUsual), ...usable.filter((content) => !isUsual(content))];
  if (accept === undefined) return ordered[0];
  const ranked = ordered.map((content) => ({ content, quality: readQuality(accept, content.mediaType) }));
  return ranked.toSorted((a, b) => b.quality - a.quality)[0]?.content;
}

/** The quality of a media type, by the most specific range that includes it; 0 if none does (RFC 9110, 12.5.1). */
function readQuality(accept: string, mediaType: string): number {
  const essence = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const ranges = accept.split(',').map((piece) => {
    const [range = '', ...parameters] = piece.split(';').map((part) => part.trim().toLowerCase());
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    return { range, quality: Number.isFinite(quality) ? quality : 1 };
  });
  const [kind] = essence.split('/', 1);
  const wanted = [essence, `${kind}/*`, '*/*'];
  return (
    wanted.map((range) => ranges.find((one) => one.range === range)).find((found) => found !== undefined)?.quality ?? 0
  );
}

/** JSON can't express a number that is not finite, nor UTF-8 half of a surrogate pair. */
function isText(value: unknown): boolean {
  return JSON.stringify(value)?.isWellFormed() ?? false;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hash(text: string): number {
  return [...text].reduce((sum, character) => (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) >>> 0, 7);
}
