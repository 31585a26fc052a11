import { createConfig } from '@redocly/openapi-core';
import {
  astToString,
  type GlobalContext,
  type OpenAPI3,
  resolveRef as resolveTyped,
  type SchemaObject,
  scanDiscriminators,
  transformSchema,
} from 'openapi-typescript';
import ts from 'typescript';
import type { OpenApiDocument } from '../contract/openapi-document.ts';
import type { Contract } from '../contract/read-contract.ts';
import { resolveRef } from '../contract/resolve-ref.ts';
import { chooseByValue } from '../published/choose-by-value.ts';
import { formatHeader, type Header } from './header.ts';

/**
 * `types.gen.ts`: types without runtime, by openapi-typescript.
 *
 * `default`s stay optional here, since these are the types of what is on the wire; handlers get them filled in.
 * An enum under `x-open-enum` takes any other string too and still completes the known ones.
 */
export async function emitTypes({ document }: Contract, header: Header): Promise<string> {
  const schema = flattenChains(chooseByValue(document)) as unknown as OpenAPI3;
  return `${formatHeader(header)}\n${astToString(transformSchema(schema, await createContext(schema)))}`;
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
    emptyObjectsUnknown: false,
    enum: false,
    enumValues: false,
    excludeDeprecated: false,
    exportType: false,
    generatePathParams: false,
    immutable: true,
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
    transform: (schemaObject) => openEnumType(schemaObject),
    transformProperty: leave,
  };
}

/** What a hook returns that changes nothing. */
function leave(): undefined {
  return undefined;
}

/** A copy in which no component merely refers to another: openapi-typescript follows one reference and loses the type behind the second. */
function flattenChains(document: OpenApiDocument): OpenApiDocument {
  const { components = {}, ...rest } = structuredClone(document);
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

/** `'a' | 'b' | (string & {})`; undefined leaves the schema to openapi-typescript. */
function openEnumType(schema: SchemaObject): ts.TypeNode | undefined {
  const { enum: values, 'x-open-enum': open } = schema as { enum?: readonly unknown[]; 'x-open-enum'?: boolean };
  if (open !== true || values === undefined || values.some((value) => typeof value !== 'string')) return undefined;
  const { factory } = ts;
  const anyOther = factory.createIntersectionTypeNode([
    factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
    factory.createTypeLiteralNode([]),
  ]);
  return factory.createUnionTypeNode([
    ...values.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(String(value), true))),
    factory.createParenthesizedType(anyOther),
  ]);
}
