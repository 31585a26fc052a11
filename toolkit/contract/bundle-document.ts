import { resolve } from 'node:path';
import { parsePointer, valueAt } from '@lockstep/json/json-pointer';
import {
  BaseResolver,
  bundle,
  createConfig,
  type Document,
  getLineColLocation,
  lintDocument,
  Source,
} from '@redocly/openapi-core';
import type { Problem } from '../problem.ts';
import { ContractError } from './contract-error.ts';
import { outsideFile, pathOf } from './contract-files.ts';
import { refuseTooLargeText, refuseTooLargeValue } from './depth-limit.ts';
import { displayPath } from './display-path.ts';
import { hideExtensionReferences, showExtensionReferences } from './extension-references.ts';
import type { FileRefusal, FileRule } from './file-rule.ts';
import { findOldKeywords } from './find-old-keywords.ts';
import { nearestReference } from './nearest-reference.ts';
import { nameBothOperations } from './operation-id-twice.ts';
import { isWebAddress } from './read-text.ts';
import { findSyntaxProblems } from './syntax-problems.ts';
import { readValue, readYaml } from './yaml-source.ts';

type CoreProblem = Awaited<ReturnType<typeof lintDocument>>[number];

/** The fix for each rule that a document must pass before anything is derived from it. */
const fixes: Readonly<Record<string, string>> = {
  struct: 'Write what the OpenAPI Specification expects at this place.',
  'no-unresolved-refs': 'Correct the reference, or add its target.',
  'operation-operationId-unique': 'Give each operation its own operationId.',
};

/**
 * JSON Schema treats an unknown keyword as an annotation (2020-12 core, 6.5). So a `nullable` of OpenAPI 3.0 does not stop the derivation:
 * `lint` reports it. 26 of 126 published documents have one.
 */
const openSchemas = {
  id: 'open-schemas',
  typeExtension: {
    oas3: <Types extends Readonly<Record<string, object>>>(types: Types): Types => {
      const open = Object.entries(types).map(([name, type]) => [name, withoutExtensions(type)]);
      const all = Object.fromEntries(open);
      return { ...all, Schema: { ...all.Schema, additionalProperties: {} } };
    },
  },
};

/** Redocly checks the values of some extensions, `x-webhooks` among them. Only the owner of an extension defines its values. */
function withoutExtensions(type: { readonly properties?: object }): object {
  const members = Object.entries(type.properties ?? {}).filter(([name]) => !name.startsWith('x-'));
  return { ...type, properties: Object.fromEntries(members) };
}

/** Redocly requires a type next to `nullable`. OpenAPI 3.0 does not: `nullable` alone has a meaning, see `upgradeDocument`. */
const isBareNullable = /^The `type` field must be defined when the `nullable` field is used/;

/** The root document as the bundler reads it, with configuration and resolver for the files that it refers to. */
export interface LoadedDocument {
  readonly document: Document;
  readonly config: Awaited<ReturnType<typeof createConfig>>;
  readonly externalRefResolver: FileResolver;
}

/** Matches a `$ref` that may lead out of its text. Most documents have none and need no walk, which takes a second for 5 MB. */
const mayLeadOut = /\$ref['"]?\s*:\s*(?!\s|['"]?#)|\\u0024ref/i;

/**
 * Reads only files that the rule allows, and nothing from the network. `findUnsupported` has already refused network references of the root document; this class
 * refuses them in the referenced files. It does not follow references inside extensions.
 */
class FileResolver extends BaseResolver {
  readonly refuses: FileRule;
  /** The error of the first file that is no YAML or exceeds the limits of depth and size. The linter reports only an unresolved reference. */
  unreadable: ContractError | undefined;
  /** The reason why the rule refused a file, for the first one. */
  refused: FileRefusal | undefined;
  /** Whether a document has hidden references. */
  hides = false;

  constructor(config: ConstructorParameters<typeof BaseResolver>[0], refuses: FileRule) {
    super(config);
    this.refuses = refuses;
  }

  /** @returns the reason why the rule refuses the file of a reference; undefined if it allows the file */
  findRefusal(from: string, reference: string): FileRefusal | undefined {
    const path = pathOf(reference);
    return path === '' || isWebAddress(from) ? undefined : this.refuses(this.resolveExternalRef(from, path));
  }

  override async loadExternalRef(absoluteRef: string): ReturnType<BaseResolver['loadExternalRef']> {
    if (isWebAddress(absoluteRef)) throw new Error('nothing is fetched from the network');
    const refusal = this.refuses(absoluteRef);
    if (refusal !== undefined) {
      this.refused ??= { ...refusal, message: `leads on to ${displayPath(absoluteRef)}, which ${refusal.message}` };
      throw new Error(refusal.message);
    }
    return super.loadExternalRef(absoluteRef);
  }

  override parseDocument(source: Source, isRoot?: boolean): Document {
    try {
      refuseTooLargeText(source.absoluteRef, source.body);
      const document = super.parseDocument(source, isRoot);
      refuseTooLargeValue(source.absoluteRef, source.body, document.parsed);
      if (mayLeadOut.test(source.body) && hideExtensionReferences(document.parsed)) this.hides = true;
      return document;
    } catch (error) {
      if (isRoot !== true) this.unreadable ??= explainUnreadable(error, source);
      throw error;
    }
  }
}

function explainUnreadable(error: unknown, { absoluteRef, body }: Source): ContractError | undefined {
  if (error instanceof ContractError) return error;
  const problems = findSyntaxProblems(displayPath(absoluteRef), readYaml(body));
  return problems.length > 0 ? new ContractError(problems) : undefined;
}

/**
 * @param source path or address of the root document
 * @param text its content
 * @param refuses files that are not read
 * @returns the document, or the error of the YAML parser: text that is no YAML is a finding, not a failure
 * @throws ContractError for a document that is nested too deep, or whose aliases repeat too much
 */
export async function loadDocument(source: string, text: string, refuses: FileRule): Promise<LoadedDocument | Error> {
  const config = await createConfig({
    rules: Object.fromEntries(Object.keys(fixes).map((rule) => [rule, 'error'] as const)),
    plugins: [openSchemas],
  });
  const externalRefResolver = new FileResolver(config.resolve, refuses);
  const absoluteRef = isWebAddress(source) ? source : resolve(source);
  try {
    const document = externalRefResolver.parseDocument(new Source(absoluteRef, text.replaceAll('\r\n', '\n')), true);
    // A file that the root refers to may refer back to it.
    externalRefResolver.cache.set(absoluteRef, Promise.resolve(document));
    return { document, config, externalRefResolver };
  } catch (cause) {
    if (cause instanceof ContractError) throw cause;
    return cause as Error;
  }
}

/**
 * Checks structure and references, then inlines every external `$ref` under `components`, by Redocly's own linter and bundler.
 *
 * @returns the bundled document and no problems, or every problem with its location in its own file
 */
export async function bundleDocument({ document, config, externalRefResolver }: LoadedDocument): Promise<{
  document: unknown;
  problems: readonly Problem[];
}> {
  const all = await lintDocument({ document, config: config.styleguide, externalRefResolver });
  if (externalRefResolver.unreadable !== undefined) throw externalRefResolver.unreadable;
  const found = all.filter(({ message }) => !isBareNullable.test(message));
  if (found.length > 0) {
    const root = document.source.absoluteRef;
    const named = found.map(async (problem) =>
      nameBothOperations(await toProblem(problem, externalRefResolver), root, externalRefResolver.refuses),
    );
    return { document: undefined, problems: await Promise.all(named) };
  }
  if (isSelfContained(document.parsed)) {
    if (externalRefResolver.hides) showExtensionReferences(document.parsed);
    return { document: document.parsed, problems: [] };
  }
  const { bundle: bundled, problems } = await bundle({ doc: document, config, externalRefResolver });
  if (externalRefResolver.hides) showExtensionReferences(bundled.parsed);
  return {
    document: bundled.parsed,
    problems: await Promise.all(problems.map((one) => toProblem(one, externalRefResolver))),
  };
}

/** A document without references to others is its own bundle. Bundling it again would take a tenth of the derivation. */
function isSelfContained(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return true;
  const { $ref } = node as { readonly $ref?: unknown };
  return (typeof $ref !== 'string' || $ref.startsWith('#')) && Object.values(node).every(isSelfContained);
}

async function toProblem(
  { ruleId, message, location, suggest }: CoreProblem,
  resolver: FileResolver,
): Promise<Problem> {
  const [first] = location;
  const fix = fixes[ruleId] ?? 'Correct the document here.';
  const near = suggest.length === 0 ? '' : ` Nearest: ${suggest.join(', ')}.`;
  if (first === undefined) return { file: '', line: 1, column: 1, pointer: '#', rule: ruleId, message, fix };
  const { start } = getLineColLocation(first);
  const place = {
    file: displayPath(first.source.absoluteRef),
    line: start.line,
    column: start.col,
    // Redocly writes the whole document as `#/`, which is the member with the empty name (RFC 6901, 5).
    pointer: first.pointer === undefined || first.pointer === '#/' ? '#' : first.pointer,
    rule: ruleId,
  };
  const oldKeyword = ruleId === 'struct' ? describeOldKeyword(first) : undefined;
  if (oldKeyword !== undefined) return { ...place, ...oldKeyword };
  if (ruleId !== 'no-unresolved-refs') return { ...place, message: message.replace(/\s+/g, ' '), fix: fix + near };
  const { target, ...described } = describeReference(first, message);
  const from = first.source.absoluteRef;
  const nearest = target === undefined ? undefined : await nearestReference(target, from, resolver.refuses);
  const findRefusal = (): FileRefusal | undefined =>
    target !== undefined && nearest === target ? resolver.refused : resolver.findRefusal(from, target ?? '');
  // A reference with a near name is a misspelling: `/components/schemas/A` lacks its `#`.
  const refusal = nearest === undefined || nearest === target ? findRefusal() : undefined;
  if (refusal !== undefined)
    return {
      ...place,
      rule: outsideFile,
      message: `$ref ${JSON.stringify(target)} ${refusal.message}`,
      fix: refusal.fix,
    };
  return { ...place, ...described, fix: nearest === undefined ? fix : `Did you mean ${nearest}?` };
}

/** Reports a boolean where 3.1 has a number as a keyword of 3.0. */
function describeOldKeyword({ source, pointer = '#' }: CoreProblem['location'][number]) {
  const segments = parsePointer(pointer);
  const keyword = segments.at(-1) ?? '';
  if (!/^exclusiveM(in|ax)imum$/.test(keyword)) return undefined;
  const value = readValue(source.body);
  if (!/^3\.1\./.test(String(valueAt(value, ['openapi'])))) return undefined;
  const schema = valueAt(value, segments.slice(0, -1));
  const [oldKeyword] = findOldKeywords({ schema }).filter((found) => found.pointer === `#/schema/${keyword}`);
  return oldKeyword && { message: oldKeyword.message, fix: oldKeyword.fix };
}

/** Redocly reports that a reference fails, but does not name it. */
function describeReference(
  location: CoreProblem['location'][number],
  message: string,
): { readonly message: string; readonly target: string | undefined } {
  const node = valueAt(readValue(location.source.body), parsePointer(location.pointer ?? '#'));
  // A discriminator maps to a reference without the keyword around it.
  const isMapped = typeof node === 'string';
  const target = isMapped ? node : valueAt(node, ['$ref']);
  const reason = /ENOENT/.test(message) ? 'that file does not exist' : 'there is nothing at that pointer';
  return {
    message: `${isMapped ? 'reference' : '$ref'} ${JSON.stringify(target)} can't be resolved: ${reason}`,
    target: typeof target === 'string' ? target : undefined,
  };
}
