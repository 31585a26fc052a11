import { createHash } from 'node:crypto';
import { parsePointer, valueAt } from '@lockstep/json/json-pointer';
import { bundleDocument, loadDocument } from './bundle-document.ts';
import { ContractError, problemAtTop } from './contract-error.ts';
import { readSource } from './contract-files.ts';
import { displayPath } from './display-path.ts';
import { exactDocument } from './exact-document.ts';
import { type ContractOptions, createFileRule } from './file-rule.ts';
import { jsonPositions } from './json-positions.ts';
import { refuseLeadingOut } from './local-copy.ts';
import { type NamedOperations, nameOperations } from './name-operations.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { isWebAddress } from './read-text.ts';
import { refuseSyntax } from './syntax-problems.ts';
import { findUnsupported, type Unsupported } from './unsupported.ts';
import { upgradeDocument } from './upgrade-document.ts';
import { type Position, readYaml, type YamlSource } from './yaml-source.ts';

/** Something that was decided for the user, told once. */
export interface Notice extends Position {
  readonly file: string;
  readonly pointer: string;
  /** What was decided, and why. */
  readonly message: string;
}

/** A contract that everything can be derived from: read, bundled, checked and frozen. */
export interface Contract {
  /** Path or address of the root document as the user named it. */
  readonly file: string;
  /** What stands there, as it was read: who needs it again reads, or fetches, nothing twice. */
  readonly text: string;
  /** The bundled document in OpenAPI 3.1: one self-contained value in the order of the source. Frozen, shared, never copied. */
  readonly document: OpenApiDocument;
  /** The published form: the same, with the plain schemas that `x-exact` replaces in `document`. */
  readonly plain: OpenApiDocument;
  /** SHA-256 of the bundled document, hex. Comments and white space in the source don't change it. */
  readonly hash: string;
  /** What was decided for the user: names of operations that have none. */
  readonly notices: readonly Notice[];
  /**
   * Where a place of the bundled document stands in the root file; for what came from another file or was added, the nearest place that
   * exists.
   */
  locate(pointer: string): Position & { readonly file: string };
}

/**
 * Reads an OpenAPI contract, 3.0 or 3.1, in numbered steps; each step reports all it finds before the next begins.
 *
 * @param source path of the root document, YAML or JSON, or its address by http or https. Files that a file refers to are read
 *   too. A document that was fetched must be self-contained: nothing else is fetched
 * @param options.text the content of the root document, if it was read already
 * @throws ContractError for what can't be read, broken YAML, a document that breaks the OpenAPI structure,
 *   an unresolvable `$ref` or one to a file that `createFileRule` refuses, or a construct that the toolkit doesn't support
 */
export async function readContract(
  source: string,
  options: ContractOptions & { readonly text?: string } = {},
): Promise<Contract> {
  // 1. Text.
  const text = options.text ?? (await readSource(source));

  // 2. YAML, whose loader stops at the first fault; the parser that knows positions finds them all. Positions are worked out when one is asked for, since a sound contract needs none.
  const locate = createLocate(source, text);
  const loaded = await loadDocument(source, text, createFileRule(source, options));
  if (loaded instanceof Error) {
    refuseSyntax(source, text);
    throw new ContractError([problemAtTop(source, 'yaml', loaded.message, 'Mend the YAML at this place.')]);
  }

  // 3. What would kill the linter, or bring it to fetch something; then structure and references, by the version that it is written in.
  refuse(findUnsupported(loaded.document.parsed, 'root'), locate);
  if (isWebAddress(source)) refuseLeadingOut(source, { text, value: loaded.document.parsed, externalValues: false });
  const { document: bundled, problems } = await bundleDocument(loaded).catch((cause: Error) => {
    if (cause instanceof ContractError) throw cause;
    const fix = 'Leave out what was added last, part by part, to find the place.';
    throw new ContractError([problemAtTop(source, 'unreadable', `the linter gave up: ${cause.message}`, fix)]);
  });
  if (problems.length > 0) throw new ContractError(problems);

  // 4. One version inside. From here on pointers are those of the new document, places those of the old.
  const { document: upgraded, originOf } = isVersion30(bundled)
    ? upgradeDocument(bundled)
    : { document: bundled, originOf: (pointer: string) => pointer };
  const locateOrigin: Contract['locate'] = (pointer) => locate(originOf(pointer));

  // 5. What OpenAPI allows and the toolkit can't derive from.
  refuse(findUnsupported(upgraded, 'bundle'), locateOrigin);

  // 6. A name for each operation.
  const { document: plain, named } = nameOperations(upgraded as OpenApiDocument);
  const notices = tellNames(named).map((notice) => ({ ...notice, ...locateOrigin(notice.pointer) }));

  // 7. The exact schemas of the wire beside the plain ones for generators, both frozen.
  const written = JSON.stringify(plain);
  const document = written.includes('"x-exact"') ? exactDocument(plain) : plain;
  const hash = createHash('sha256').update(written).digest('hex');
  return {
    file: source,
    text,
    document: deepFreeze(document),
    plain: deepFreeze(plain),
    hash,
    notices,
    locate: locateOrigin,
  };
}

function refuse(found: readonly Unsupported[], locate: Contract['locate']): void {
  if (found.length > 0) throw new ContractError(found.map((one) => ({ ...one, ...locate(one.pointer) })));
}

function isVersion30(document: unknown): boolean {
  return String(valueAt(document, ['openapi'])).startsWith('3.0.');
}

/** One sentence for all of them: a document without operationIds has hundreds. */
function tellNames(named: NamedOperations['named']): readonly Pick<Notice, 'message' | 'pointer'>[] {
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
