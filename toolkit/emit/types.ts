import { isObject } from '@lockstep/json/json-pointer';
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
 * `default`s stay optional here, since these are the types of what is on the wire; handlers get them filled in.
 */
export async function emitTypes({ document }: Contract, header: Header): Promise<string> {
  const copy = flattenChains(chooseByValue(document));
  nameDeepReferences(copy);
  dropExtensions(copy);
  typeContents(copy);
  openEnums(copy);
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
 * The transform's settings, all of them, as the package's own entry fills them in. That entry would lint and bundle first, which
 * has been done here: without it a derivation takes a sixth less.
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
    // Handlers build answers and clients own those they read. Requests are read-only for handlers by `ReadonlyDeep` in handlers.gen.ts.
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

/** `object` for what may be any object beside a description, `Record<string, never>` for what may have no member. */
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

/** What a hook returns that changes nothing. */
function leave(): undefined {
  return undefined;
}

/** An `x-` member beside statuses: openapi-typescript takes it for one more response. */
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

/** For JSON alone; `structuredClone` takes four times as long. */
function copyTree<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyTree) as Value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) copy[name] = copyTree((value as Record<string, unknown>)[name]);
  return copy as Value;
}

/**
 * A parameter that holds JSON is typed as what the JSON says: handlers are given it read. openapi-typescript takes every `content` of a
 * parameter for text.
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

/**
 * Types an enum under `x-open-enum` by its `type` alone and names the known values in words. `'a' | 'b' | (string & {})` would complete
 * them, but openapi-fetch 0.17 takes `string & {}` for an object, and what it hands out in its place is no string.
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
