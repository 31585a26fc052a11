import { createConfig } from '@redocly/openapi-core';
import openapiTS, { astToString, type OpenAPI3, type SchemaObject } from 'openapi-typescript';
import ts from 'typescript';
import type { OpenApiDocument } from '../contract/openapi-document.ts';
import type { Contract } from '../contract/read-contract.ts';
import { resolveRef } from '../contract/resolve-ref.ts';
import { formatHeader, type Header } from './header.ts';

/**
 * `types.gen.ts`: types without runtime, by openapi-typescript.
 *
 * `default`s stay optional here, since these are the types of what is on the wire; handlers get them filled in.
 * An enum under `x-open-enum` takes any other string too and still completes the known ones.
 */
export async function emitTypes({ document }: Contract, header: Header): Promise<string> {
  const nodes = await openapiTS(flattenChains(document) as unknown as OpenAPI3, {
    immutable: true,
    defaultNonNullable: false,
    silent: true,
    // The contract is checked and bundled already: with its own rules openapi-typescript would do both again.
    redocly: await createConfig({ rules: {} }, { extends: [] }),
    transform: (schema) => openEnumType(schema),
  });
  return `${formatHeader(header)}\n${astToString(nodes)}`;
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
