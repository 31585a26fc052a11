import { resolve } from 'node:path';
import { formatPointer, isObject, parsePointer, valueAt } from '@lockstep/json/json-pointer';
import {
  BaseResolver,
  bundle,
  createConfig,
  type Document,
  detectSpec,
  getLineColLocation,
  getTypes,
  lintDocument,
  normalizeTypes,
  Source,
} from '@redocly/openapi-core';
import type { Problem } from '../problem.ts';
import { ContractError } from './contract-error.ts';
import { outsideFile, pathOf } from './contract-files.ts';
import { refuseTooDeepText, refuseTooLargeValue, refuseTooManyValues } from './depth-limit.ts';
import { displayPath } from './display-path.ts';
import { FaultDropper, findStructuralNulls, mostRounds, warnOf } from './drop-faults.ts';
import { hideExtensionReferences, showExtensionReferences } from './extension-references.ts';
import type { FileRefusal, FileRule } from './file-rule.ts';
import { findOldKeywords } from './find-old-keywords.ts';
import { isSound } from './is-sound.ts';
import { readPlainJson } from './json-positions.ts';
import { nearestReference } from './nearest-reference.ts';
import { nameBothOperations } from './operation-id-twice.ts';
import { isWebAddress } from './read-text.ts';
import { readRepeatedKeys } from './repeated-keys.ts';
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
  /** Warnings for repeated keys; undefined if a text with one is refused. */
  readonly repeated: Problem[] | undefined;
  readonly #values = new Map<string, unknown>();
  readonly #nearest = new Map<string, Promise<string | undefined>>();

  constructor(config: ConstructorParameters<typeof BaseResolver>[0], refuses: FileRule, isStrict: boolean) {
    super(config);
    this.refuses = refuses;
    this.repeated = isStrict ? undefined : [];
  }

  /** @returns the reason why the rule refuses the file of a reference; undefined if it allows the file */
  findRefusal(from: string, reference: string): FileRefusal | undefined {
    const path = pathOf(reference);
    return path === '' || isWebAddress(from) ? undefined : this.refuses(this.resolveExternalRef(from, path));
  }

  /** The value of a text. One missing component may be referred to hundreds of times, and parsing 5 MB takes a while. */
  readBody({ absoluteRef, body }: Source): unknown {
    if (!this.#values.has(absoluteRef)) this.#values.set(absoluteRef, readValue(body));
    return this.#values.get(absoluteRef);
  }

  nearestTo(target: string, from: string): Promise<string | undefined> {
    const key = `${from} ${target}`;
    const found = this.#nearest.get(key) ?? nearestReference(target, from, this.refuses);
    this.#nearest.set(key, found);
    return found;
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
      refuseTooManyValues(source.absoluteRef, source.body);
      const parsed = readPlainJson(source.body);
      if (parsed === undefined) refuseTooDeepText(source.absoluteRef, source.body);
      const document = parsed === undefined ? this.#parseYaml(source, isRoot) : { source, parsed };
      // JSON has no aliases.
      if (parsed === undefined) refuseTooLargeValue(source.absoluteRef, source.body, document.parsed);
      if (mayLeadOut.test(source.body) && hideExtensionReferences(document.parsed)) this.hides = true;
      return document;
    } catch (error) {
      if (isRoot !== true) this.unreadable ??= explainUnreadable(error, source);
      throw error;
    }
  }

  #parseYaml(source: Source, isRoot?: boolean): Document {
    try {
      return super.parseDocument(source, isRoot);
    } catch (error) {
      const read = this.repeated && readRepeatedKeys(source.absoluteRef, source.body);
      if (read === undefined) throw error;
      this.repeated?.push(...read.warnings);
      return { source, parsed: read.value };
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
 * @param isStrict whether a repeated key is a fault of the YAML
 * @returns the document, or the error of the YAML parser: text that is no YAML is a finding, not a failure
 * @throws ContractError for a document that is nested too deep, or whose aliases repeat too much
 */
export async function loadDocument(
  source: string,
  text: string,
  refuses: FileRule,
  isStrict: boolean,
): Promise<LoadedDocument | Error> {
  const config = await createConfig({
    rules: Object.fromEntries(Object.keys(fixes).map((rule) => [rule, 'error'] as const)),
    plugins: [openSchemas],
  });
  const externalRefResolver = new FileResolver(config.resolve, refuses, isStrict);
  const absoluteRef = isWebAddress(source) ? source : resolve(source);
  try {
    const written = new Source(absoluteRef, text.replaceAll('\r\n', '\n'));
    const document = externalRefResolver.parseDocument(written, true);
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
 * @param droppers by absolute path or address of a document, if its faults are to be removed; one for each file is added
 * @returns the bundled document without problems, or every problem with its location in its own file. The warnings are the removed faults
 */
export async function bundleDocument(
  { document, config, externalRefResolver }: LoadedDocument,
  droppers?: Map<string, FaultDropper>,
): Promise<{
  document: unknown;
  problems: readonly Problem[];
  warnings: readonly Problem[];
}> {
  const warnings: Problem[] = [];
  for (let round = 0; ; round += 1) {
    if (isPlainlySound(document.parsed, config)) break;
    const all = await lintDocument({ document, config: config.styleguide, externalRefResolver }).catch(
      (cause: Error) => {
        const nulls = droppers === undefined || round > 0 ? [] : findNulls(document);
        if (nulls.length === 0) throw cause;
        return nulls;
      },
    );
    if (externalRefResolver.unreadable !== undefined) throw externalRefResolver.unreadable;
    const found = all.filter(({ message }) => !isBareNullable.test(message));
    if (found.length === 0) break;
    const root = document.source.absoluteRef;
    const described: Problem[] = [];
    for (const problem of found) {
      const placed = placeBefore(problem, droppers);
      described.push(
        await nameBothOperations(await toProblem(placed, externalRefResolver), root, externalRefResolver.refuses),
      );
    }
    const refused = described.filter(({ rule }) => rule === outsideFile);
    if (droppers === undefined || refused.length > 0 || round === mostRounds)
      return { document: undefined, problems: refused.length > 0 ? refused : described, warnings };
    const kept = await dropFound(found, described, externalRefResolver, droppers);
    if (kept.problems.length > 0) return { document: undefined, problems: kept.problems, warnings };
    warnings.push(...kept.warnings);
  }
  if (isSelfContained(document.parsed)) {
    if (externalRefResolver.hides) showExtensionReferences(document.parsed);
    return { document: document.parsed, problems: [], warnings };
  }
  const { bundle: bundled, problems } = await bundle({ doc: document, config, externalRefResolver });
  if (externalRefResolver.hides) showExtensionReferences(bundled.parsed);
  return {
    document: bundled.parsed,
    problems: await Promise.all(problems.map((one) => toProblem(one, externalRefResolver))),
    warnings,
  };
}

function isPlainlySound(document: unknown, { styleguide }: LoadedDocument['config']): boolean {
  if (!isObject(document)) return false;
  const version = detectSpec(document);
  return isSound(document, normalizeTypes(styleguide.extendTypes(getTypes(version), version)));
}

/** Null in place of an object, for which the linter crashes, as problems of the linter. */
function findNulls({ source, parsed }: Document): CoreProblem[] {
  return findStructuralNulls(parsed).map((pointer) => ({
    ruleId: 'struct',
    message: 'Expected a value but got `null`.',
    severity: 'error',
    location: [{ source, pointer, reportOnKey: false }],
    suggest: [],
  }));
}

/** A problem at its place in the text: removals from lists have moved the pointers of later rounds. */
function placeBefore(problem: CoreProblem, droppers: ReadonlyMap<string, FaultDropper> | undefined): CoreProblem {
  const [first] = problem.location;
  const dropper = first === undefined ? undefined : droppers?.get(first.source.absoluteRef);
  if (first?.pointer === undefined || dropper === undefined) return problem;
  return { ...problem, location: [{ ...first, pointer: dropper.originOf(first.pointer) }] };
}

/** Removes the faults of one round, each from its own file. @returns a warning for each, and the faults that leave nothing to work on */
async function dropFound(
  found: readonly CoreProblem[],
  described: readonly Problem[],
  resolver: FileResolver,
  droppers: Map<string, FaultDropper>,
): Promise<{ readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] }> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const numbered = found.map(({ ruleId, message, location: [first] }, index) => {
    const isTwice = ruleId === 'operation-operationId-unique';
    const [file, pointer] = [first?.source.absoluteRef ?? '', first?.pointer ?? '#'];
    // Redocly points at the name, as if it were a member.
    const at = isTwice ? formatPointer([...parsePointer(pointer).slice(0, -1), 'operationId']) : pointer;
    return {
      file,
      index,
      fault: { pointer: at === '#/' ? '#' : at, rule: ruleId, message: message.replace(/\s+/g, ' ') },
    };
  });
  for (const [file, faults] of Map.groupBy(numbered, (one) => one.file)) {
    const parsed = (await resolver.cache.get(file)) as Document | undefined;
    const dropper = droppers.get(file) ?? new FaultDropper(parsed?.parsed);
    droppers.set(file, dropper);
    const costs = dropper.drop(faults.map(({ fault }) => fault));
    for (const [place, { index }] of faults.entries()) {
      const problem = described[index];
      const cost = costs[place];
      if (problem === undefined) continue;
      if (cost === undefined) problems.push(problem);
      else warnings.push(warnOf(problem, cost));
    }
  }
  return { problems, warnings };
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
  const oldKeyword = ruleId === 'struct' ? describeOldKeyword(first, resolver) : undefined;
  if (oldKeyword !== undefined) return { ...place, ...oldKeyword };
  if (ruleId !== 'no-unresolved-refs') return { ...place, message: message.replace(/\s+/g, ' '), fix: fix + near };
  const { target, ...described } = describeReference(first, message, resolver);
  const from = first.source.absoluteRef;
  const nearest = target === undefined ? undefined : await resolver.nearestTo(target, from);
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
function describeOldKeyword({ source, pointer = '#' }: CoreProblem['location'][number], resolver: FileResolver) {
  const segments = parsePointer(pointer);
  const keyword = segments.at(-1) ?? '';
  if (!/^exclusiveM(in|ax)imum$/.test(keyword)) return undefined;
  const value = resolver.readBody(source);
  if (!/^3\.1\./.test(String(valueAt(value, ['openapi'])))) return undefined;
  const schema = valueAt(value, segments.slice(0, -1));
  const [oldKeyword] = findOldKeywords({ schema }).filter((found) => found.pointer === `#/schema/${keyword}`);
  return oldKeyword && { message: oldKeyword.message, fix: oldKeyword.fix };
}

/** Redocly reports that a reference fails, but does not name it. */
function describeReference(
  location: CoreProblem['location'][number],
  message: string,
  resolver: FileResolver,
): { readonly message: string; readonly target: string | undefined } {
  const node = valueAt(resolver.readBody(location.source), parsePointer(location.pointer ?? '#'));
  // A discriminator maps to a reference without the keyword around it.
  const isMapped = typeof node === 'string';
  const target = isMapped ? node : valueAt(node, ['$ref']);
  const reason = /ENOENT/.test(message) ? 'that file does not exist' : 'there is nothing at that pointer';
  return {
    message: `${isMapped ? 'reference' : '$ref'} ${JSON.stringify(target)} can't be resolved: ${reason}`,
    target: typeof target === 'string' ? target : undefined,
  };
}
