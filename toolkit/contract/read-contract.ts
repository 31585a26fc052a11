import { createHash } from 'node:crypto';
import { type ContractDocument, formatPointer, parsePointer, valueAt } from '@lockstep/json/json-pointer';
import { compareProblems, foldSame, type Place, type Problem } from '../problem.ts';
import { bundleDocument, loadDocument } from './bundle-document.ts';
import { ContractError, problemAtTop } from './contract-error.ts';
import { readSource } from './contract-files.ts';
import { type Converted, convertSwagger, isSwagger } from './convert-swagger.ts';
import { displayPath } from './display-path.ts';
import { FaultDropper, isDropped, warnOf } from './drop-faults.ts';
import { exactDocument } from './exact-document.ts';
import { type ContractOptions, createFileRule } from './file-rule.ts';
import { findClosedParts } from './find-closed-parts.ts';
import { jsonPositions } from './json-positions.ts';
import type { LimitStep } from './limits.ts';
import { findParameterFaults } from './list-operations.ts';
import { refuseLeadingOut } from './local-copy.ts';
import { type NamedOperations, nameOperations } from './name-operations.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { isWebAddress } from './read-text.ts';
import { resolveDynamicReferences } from './resolve-dynamic-references.ts';
import { completeVersion, respellVersion } from './respell-version.ts';
import { refuseSyntax } from './syntax-problems.ts';
import { findUnsupported } from './unsupported.ts';
import { upgradeDocument } from './upgrade-document.ts';
import { type Visited, walkOnce } from './walk-document.ts';
import { type Position, readYaml, type YamlSource } from './yaml-source.ts';

/** A decision that the toolkit made for the user, or a fault that it left out, reported once. */
export interface Notice extends Position {
  readonly file: string;
  readonly pointer: string;
  /** The decision, and its reason; or the fault, and its cost. */
  readonly message: string;
  /** A fault of the contract. */
  readonly severity?: 'warning';
  readonly rule?: string;
  readonly fix?: string;
  /** Number of places with this fault, if it is not only the first. */
  readonly places?: number;
}

/** A contract ready for derivation: read, bundled, checked and frozen. */
export interface Contract {
  /** Path or address of the root document as the user named it. */
  readonly file: string;
  /** Content of the root document, so that nothing is read or fetched twice. */
  readonly text: string;
  /** The bundled document in OpenAPI 3.1: one self-contained value in the order of the source. Frozen, shared, never copied. */
  readonly document: OpenApiDocument;
  /** The document to publish: `document` with the plain schemas that `x-exact` replaces there. */
  readonly plain: OpenApiDocument;
  /** Whether the document differs from its text: faults were left out, or it was converted from Swagger 2.0. */
  readonly isAltered: boolean;
  /** SHA-256 of the bundled document, hex. Comments and white space in the source don't change it. */
  readonly hash: string;
  /** Decisions for the user: names of operations without an operationId, and faults that were left out. */
  readonly notices: readonly Notice[];
  /**
   * Position in the root file of a place in the bundled document. A place that another file or the toolkit added has the position of its nearest
   * ancestor.
   */
  locate(pointer: string): Position & { readonly file: string };
}

export interface ReadOptions extends ContractOptions {
  /** The content of the root document, if it was read already. */
  readonly text?: string;
  /** Whether a fault refuses the contract. By default, it costs the place that it is at, and is a warning among the notices. */
  readonly strict?: boolean | undefined;
}

/**
 * Reads an OpenAPI contract, 3.0 or 3.1, in numbered steps; each step reports all its findings before the next begins.
 *
 * @param source path of the root document, YAML or JSON, or its address by http or https. Files that a file refers to are read
 *   too. A document that was fetched must be self-contained: nothing else is fetched
 * @throws ContractError for an unreadable file, broken YAML, a `$ref` to a file that `createFileRule` refuses, a document that would expand
 *   without end, or one of which nothing is left without its faults. If `strict`, also for each fault of structure, each unresolvable `$ref`, and
 *   each construct that the toolkit doesn't support
 */
export async function readContract(source: string, options: ReadOptions = {}): Promise<Contract> {
  // 1. Text.
  const text = options.text ?? (await readSource(source));

  // 2. YAML. Its loader stops at the first fault; the parser with positions finds them all. A sound contract needs no positions, so they are
  // computed on demand.
  const locate = createLocate(source, text);
  const warnings: Problem[] = [];
  const loaded = await loadDocument(source, text, createFileRule(source, options), options.strict === true);
  if (loaded instanceof Error) {
    refuseSyntax(source, text);
    throw new ContractError([problemAtTop(source, 'yaml', loaded.message, 'Correct the YAML here.')]);
  }

  // 3. Constructs that would crash the linter or make it fetch something; then structure and references, by the version of the document.
  const { absoluteRef } = loaded.document.source;
  const droppers = options.strict === true ? undefined : new Map<string, FaultDropper>();
  const converted = droppers && isSwagger(loaded.document.parsed) ? convert(source, loaded.document.parsed) : undefined;
  if (converted !== undefined) loaded.document.parsed = converted.document;
  const dropper = droppers && new FaultDropper(loaded.document.parsed, converted?.originOf);
  if (dropper !== undefined) droppers?.set(absoluteRef, dropper);
  const placeWritten = (pointer: string): Place => {
    const written = dropper?.originOf(pointer) ?? pointer;
    return { ...locate(written), pointer: written };
  };
  if (dropper !== undefined)
    warnings.push(...completeVersion(loaded.document.parsed).map((one) => ({ ...one, ...placeWritten(one.pointer) })));
  const ofRoot = dropUnsupported(loaded.document.parsed, 'root', placeWritten, dropper);
  warnings.push(...ofRoot.warnings);
  if (dropper !== undefined)
    for (const one of respellVersion(loaded.document.parsed, ofRoot.objects))
      warnings.push({ ...one, ...placeWritten(one.pointer), severity: 'warning' });
  if (isWebAddress(source)) refuseLeadingOut(source, { text, value: loaded.document.parsed, externalValues: false });
  const {
    document: bundled,
    problems,
    warnings: faults,
  } = await bundleDocument(loaded, droppers).catch((cause: Error) => {
    if (cause instanceof ContractError) throw cause;
    const fix = 'Remove the latest additions, part by part, to find the cause.';
    throw new ContractError([problemAtTop(source, 'unreadable', `the linter gave up: ${cause.message}`, fix)]);
  });
  if (problems.length > 0) throw new ContractError(problems);
  warnings.push(...faults, ...(loaded.externalRefResolver.repeated ?? []));

  // 4. One internal version. From here on, pointers refer to the new document, positions to the old one.
  const { document: upgraded, originOf } = isVersion30(bundled)
    ? upgradeDocument(bundled)
    : { document: bundled, originOf: (pointer: string) => pointer };
  const lastDropper = dropper && new FaultDropper(upgraded);
  const placeOrigin = (pointer: string): Place => placeWritten(originOf(lastDropper?.originOf(pointer) ?? pointer));

  // 5. Constructs that OpenAPI allows but the toolkit can't derive from.
  const ofBundle = dropUnsupported(upgraded, 'bundle', placeOrigin, lastDropper);
  warnings.push(...ofBundle.warnings);
  const objects = ofBundle.objects();
  for (const { at, message, isWhole } of lastDropper === undefined ? [] : findClosedParts(upgraded, objects)) {
    const fault = { pointer: formatPointer(at), rule: 'closed-parts', message };
    const [leftOut = ''] = lastDropper?.drop([fault]) ?? [];
    if (isWhole)
      Object.assign(Object(valueAt(upgraded, at.slice(0, -1).map(String))), { unevaluatedProperties: false });
    const cost = isWhole ? 'it is read as unevaluatedProperties: false' : leftOut;
    const fix =
      'Write unevaluatedProperties: false next to the allOf, and leave additionalProperties out of its parts.';
    warnings.push(warnOf({ ...fault, ...placeOrigin(fault.pointer), fix }, cost));
  }

  const isAltered = converted !== undefined || warnings.length > 0;
  // The document keeps these parameters: `listOperations` merges them.
  for (const { pointer, cost, ...fault } of dropper === undefined
    ? []
    : findParameterFaults(upgraded as OpenApiDocument))
    warnings.push(warnOf({ ...fault, ...placeOrigin(pointer) }, cost));

  // 6. References that depend on the schemas around them become ordinary ones.
  const isDynamic = objects.some(({ node }) => '$dynamicRef' in node || '$dynamicAnchor' in node);
  const resolved = isDynamic ? resolveDynamicReferences(upgraded as ContractDocument) : undefined;
  if (isDynamic && resolved === undefined) {
    const message = 'its dynamic references would become more than 10,000 schemas';
    const fix = 'Use $ref, or fewer names of anchors.';
    throw new ContractError([problemAtTop(source, 'unsupported/composition', message, fix)]);
  }
  if (resolved !== undefined) {
    // They may form loops, and compositions without end.
    const ofResolved = dropper && new FaultDropper(resolved.document);
    for (const step of ['root', 'bundle'] as const)
      warnings.push(
        ...dropUnsupported(resolved.document, step, (pointer) => placeOrigin(resolved.originOf(pointer)), ofResolved)
          .warnings,
      );
  }

  // 7. A name for each operation.
  const { document: plain, named } = nameOperations((resolved?.document ?? upgraded) as OpenApiDocument);
  const notices = [
    ...(converted === undefined ? [] : [{ ...locate('#/swagger'), pointer: '#/swagger', message: readAsOpenApi }]),
    ...foldSame(warnings.toSorted(compareProblems)).map(({ also, ...one }) => ({
      ...one,
      ...(also && { places: also.length + 1 }),
    })),
    ...describeNames(named).map((notice) => ({ ...notice, ...placeOrigin(notice.pointer), pointer: notice.pointer })),
  ];

  // 8. The exact schemas of the wire and the plain ones for generators, both frozen.
  const document = objects.some(({ node }) => 'x-exact' in node) ? exactDocument(plain) : plain;
  return {
    file: source,
    text,
    document: deepFreeze(document),
    plain: deepFreeze(plain),
    // A mock does not need it.
    get hash() {
      return createHash('sha256').update(JSON.stringify(plain)).digest('hex');
    },
    isAltered,
    notices,
    locate: (pointer) => {
      const { pointer: _, ...position } = placeOrigin(resolved?.originOf(pointer) ?? pointer);
      return position;
    },
  };
}

/**
 * Removes the unsupported constructs of a step.
 *
 * @param dropper removes them; if undefined, each refuses the contract
 * @returns a warning for each, and the objects of the document without them
 * @throws ContractError for those that leave nothing to work on, and for those that would occupy the toolkit without end
 */
function dropUnsupported(
  document: unknown,
  step: LimitStep,
  placeOf: (pointer: string) => Place,
  dropper: FaultDropper | undefined,
): { readonly warnings: readonly Problem[]; readonly objects: () => readonly Visited[] } {
  const warnings: Problem[] = [];
  for (;;) {
    const objects = walkOnce(document);
    const unsupported = findUnsupported(document, step, objects);
    const found = unsupported.map((one): Problem => ({ ...one, ...placeOf(one.pointer), pointer: one.pointer }));
    if (found.length === 0) return { warnings, objects };
    const final = dropper === undefined ? found : found.filter(({ rule }) => !isDropped(rule));
    if (final.length > 0 || dropper === undefined) throw new ContractError(foldSame(final));
    const written = found.map((one) => ({ ...one, pointer: placeOf(one.pointer).pointer }));
    const costs = dropper.drop(found);
    for (const [index, problem] of written.entries()) {
      const cost = costs[index];
      if (cost === undefined) throw new ContractError([problem]);
      warnings.push(warnOf(problem, cost));
    }
  }
}

const readAsOpenApi = 'the document is of Swagger 2.0, and is converted to OpenAPI 3.0 in memory';

function convert(source: string, document: unknown): Converted {
  try {
    return convertSwagger(document);
  } catch (cause) {
    const message = `the document is of Swagger 2.0, and its converter gave up: ${(cause as Error).message}`;
    const fix = 'Remove the latest additions, part by part, to find the cause, or convert the document to OpenAPI 3.';
    throw new ContractError([problemAtTop(source, 'unsupported/openapi-version', message, fix)]);
  }
}

function isVersion30(document: unknown): boolean {
  return String(valueAt(document, ['openapi'])).startsWith('3.0.');
}

/** One sentence for all generated names: a document without operationIds has hundreds. */
function describeNames(named: NamedOperations['named']): readonly Pick<Notice, 'message' | 'pointer'>[] {
  const [first] = named;
  if (first === undefined) return [];
  const who =
    named.length === 1
      ? '1 operation has no operationId and is'
      : `${named.length} operations have no operationId and are`;
  const rest = named.length === 1 ? '' : ', the first of them';
  return [{ message: `${who} named after method and path${rest} ${first.operationId}`, pointer: first.pointer }];
}

function createLocate(source: string, text: string): Contract['locate'] {
  let positionOf: YamlSource['positionOf'] | undefined;
  return (pointer) => {
    positionOf ??= jsonPositions(text) ?? readYaml(text).positionOf;
    return { file: displayPath(source), ...positionOf(parsePointer(pointer)) };
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
