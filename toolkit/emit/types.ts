import { isObject, parseReference } from '@lockstep/json/json-pointer';
import { createConfig } from '@redocly/openapi-core';
import {
  type GlobalContext,
  type OpenAPI3,
  resolveRef as resolveTyped,
  type SchemaObject,
  scanDiscriminators,
  transformSchema,
} from 'openapi-typescript';
import ts from 'typescript';
import { entriesOf, listPathItems } from '../contract/list-operations.ts';
import { methods, type OpenApiDocument } from '../contract/openapi-document.ts';
import type { Contract } from '../contract/read-contract.ts';
import { resolveRef } from '../contract/resolve-ref.ts';
import { walkDocument } from '../contract/walk-document.ts';
import { chooseByValue } from '../published/choose-by-value.ts';
import { addsNothing, dropBareObjects } from './bare-objects.ts';
import { nameDeepReferences } from './deep-references.ts';
import { formatHeader, type Header } from './header.ts';

/**
 * `types.gen.ts`: types without runtime, by openapi-typescript.
 *
 * Members with a `default` stay optional, since these are the types of the wire; handlers get the defaults filled in.
 */
export async function emitTypes({ document }: Contract, header: Header): Promise<string> {
  const copy = flattenChains(chooseByValue(document));
  nameDeepReferences(copy);
  dropExtensions(copy);
  typeContents(copy);
  openEnums(copy);
  untypeEnums(copy);
  cutTypeCircles(copy);
  dropBareObjects(copy);
  const schema = copy as unknown as OpenAPI3;
  return `${formatHeader(header)}\n${printTypes(transformSchema(schema, await createContext(schema)))}`;
}

function printTypes(nodes: readonly ts.Node[]): string {
  const file = ts.createSourceFile('types.ts', '', ts.ScriptTarget.ESNext, false, ts.ScriptKind.TS);
  Object.assign(file, { statements: ts.factory.createNodeArray(nodes as readonly ts.Statement[]) });
  return ts.createPrinter({ newLine: ts.NewLineKind.LineFeed }).printFile(file);
}

/**
 * All settings of the transform, with the defaults of the package's entry. That entry would lint and bundle again: a derivation without it takes
 * a sixth less.
 */
async function createContext(schema: OpenAPI3): Promise<GlobalContext> {
  const options = { silent: true };
  return {
    additionalProperties: false,
    alphabetize: false,
    arrayLength: false,
    conditionalEnums: false,
    dedupeEnums: false,
    defaultNonNullable: false,
    discriminators: scanDiscriminators(schema, options),
    emptyObjectsUnknown: true,
    enum: false,
    enumValues: false,
    excludeDeprecated: false,
    exportType: false,
    generatePathParams: false,
    // Handlers build answers, and clients own the answers that they read. Requests are read-only for handlers by `ReadonlyDeep` in handlers.gen.ts.
    immutable: false,
    injectFooter: [],
    makePathsEnum: false,
    pathParamsAsTypes: false,
    postTransform: leave,
    propertiesRequiredByDefault: false,
    readWriteMarkers: false,
    redoc: await createConfig({ rules: {} }, { extends: [] }),
    resolve: ($ref) => resolveTyped(schema, $ref, options),
    rootTypes: false,
    rootTypesKeepCasing: false,
    rootTypesNoSchemaPrefix: false,
    silent: true,
    transform: typeEmptyObject,
    transformProperty: writable,
  };
}

/** `object` for an alternative that adds no member, `Record<string, never>` for an object without members. */
function typeEmptyObject(schema: SchemaObject): ts.TypeNode | undefined {
  // `true` and `false` are schemas too.
  if (typeof schema !== 'object') return undefined;
  if (addsNothing in schema) return ts.factory.createKeywordTypeNode(ts.SyntaxKind.ObjectKeyword);
  const { additionalProperties, properties, patternProperties } = schema as Readonly<Record<string, unknown>>;
  const isClosed =
    additionalProperties === false && Object.keys({ ...(properties ?? {}), ...(patternProperties ?? {}) }).length === 0;
  return isClosed
    ? ts.factory.createTypeReferenceNode('Record', [
        ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
        ts.factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword),
      ])
    : undefined;
}

/** A member under `readOnly` is managed by the owning authority (JSON Schema validation, 9.4): the handler writes it. */
function writable({ name, questionToken, type }: ts.PropertySignature): ts.PropertySignature {
  return ts.factory.createPropertySignature(undefined, name, questionToken, type);
}

/** A hook that changes nothing. */
function leave(): undefined {
  return undefined;
}

/** Removes `x-` members among statuses: openapi-typescript treats them as responses. */
function dropExtensions(copy: OpenApiDocument): void {
  for (const { item } of listPathItems(copy))
    for (const method of methods) {
      const operation = item[method];
      if (operation?.responses === undefined) continue;
      Object.assign(operation, { responses: Object.fromEntries(entriesOf(operation.responses)) });
    }
}

/** A copy in which no component merely refers to another: openapi-typescript follows one reference and loses the type behind the second. */
function flattenChains(document: OpenApiDocument): OpenApiDocument {
  const { components = {}, ...rest } = copyTree(document);
  const kinds = ['parameters', 'headers', 'responses', 'requestBodies'];
  const flat = Object.entries(components).map(([kind, entries]) => [
    kind,
    kinds.includes(kind)
      ? Object.fromEntries(
          Object.entries(entries).map(([name, entry]) => [name, resolveRef(document, entry as object, '#').value]),
        )
      : entries,
  ]);
  return { ...rest, components: Object.fromEntries(flat) };
}

/** Copies a JSON value; `structuredClone` takes four times as long. */
function copyTree<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyTree) as Value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) copy[name] = copyTree((value as Record<string, unknown>)[name]);
  return copy as Value;
}

/**
 * Types a parameter of JSON by the schema of the JSON: handlers get it parsed. openapi-typescript types every `content` of a parameter as text.
 */
function typeContents(copy: OpenApiDocument): void {
  for (const { node } of walkDocument(copy)) {
    const parameter = node as { in?: unknown; name?: unknown; content?: unknown; schema?: unknown };
    if (typeof parameter.in !== 'string' || typeof parameter.name !== 'string' || !isObject(parameter.content))
      continue;
    const [[type, media] = []] = Object.entries(parameter.content);
    if (type === undefined || !/[/+]json\b/i.test(type)) continue;
    parameter.schema = isObject(media) ? (media.schema ?? {}) : {};
    delete parameter.content;
  }
}

/** Removes the type of an enum of objects or lists: openapi-typescript reads the values as schemas, and stops at a text. */
function untypeEnums(copy: OpenApiDocument): void {
  for (const { node } of walkDocument(copy)) {
    const { enum: values, type } = node;
    if (Array.isArray(values) && ['object', 'array'].some((one) => [type].flat().includes(one)))
      delete (node as Record<string, unknown>).type;
  }
}

/** Keywords whose types are part of the type of their schema. Below any other keyword, an object defers it. */
const direct = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];

/** Types a component as unknown where it is part of its own type, as a list of itself: TypeScript rejects such a member (TS2502). */
function cutTypeCircles(copy: OpenApiDocument): void {
  const schemas = copy.components?.schemas ?? {};
  const visited = new Map<string, 'open' | 'done'>();
  const visit = (name: string): void => {
    if (visited.has(name)) return;
    visited.set(name, 'open');
    walk(schemas[name]);
    visited.set(name, 'done');
  };
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(walk);
    if (!isObject(node)) return;
    const [kind, group, name, ...below] = typeof node.$ref === 'string' ? parseReference(node.$ref) : [];
    if (kind === 'components' && group === 'schemas' && name !== undefined && below.length === 0) {
      if (visited.get(name) === 'open') delete (node as Record<string, unknown>).$ref;
      else visit(name);
    }
    for (const keyword of direct) walk(node[keyword]);
  };
  for (const name of Object.keys(schemas)) visit(name);
}

/**
 * Types an enum under `x-open-enum` by its `type` and lists the known values in the description. `'a' | 'b' | (string & {})` would offer them as
 * completions, but openapi-fetch 0.17 treats `string & {}` as an object and returns a type that is no string.
 */
function openEnums(copy: OpenApiDocument): void {
  for (const { node } of walkDocument(copy)) {
    const schema = node as { enum?: unknown; type?: unknown; description?: unknown };
    if (node['x-open-enum'] !== true || !Array.isArray(schema.enum)) continue;
    const known = `Known values: ${schema.enum.map((value) => `\`${value}\``).join(', ')}.`;
    schema.description = typeof schema.description === 'string' ? `${schema.description.trim()} ${known}` : known;
    schema.type ??= schema.enum.every((value) => typeof value === 'string') ? 'string' : undefined;
    delete schema.enum;
  }
}
