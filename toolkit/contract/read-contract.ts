import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parsePointer } from '@lockstep/json/json-pointer';
import type { Problem } from '../problem.ts';
import { bundleDocument, loadDocument } from './bundle-document.ts';
import { ContractError } from './contract-error.ts';
import { displayPath } from './display-path.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { findSyntaxProblems } from './syntax-problems.ts';
import { findUnsupported, type Unsupported } from './unsupported.ts';
import { type Position, readYaml, type YamlSource } from './yaml-source.ts';

/** A contract that everything can be derived from: read, bundled, checked and frozen. */
export interface Contract {
  /** Path of the root document as the user named it. */
  readonly file: string;
  /** The bundled document: one self-contained value in the order of the source. Frozen, shared, never copied. */
  readonly document: OpenApiDocument;
  /** SHA-256 of the bundled document, hex. Comments and white space in the source don't change it. */
  readonly hash: string;
  /** Where a place of the bundled document stands in the root file; for what came from another file, the nearest place that exists. */
  locate(pointer: string): Position & { readonly file: string };
}

/**
 * Reads an OpenAPI 3.1 contract in numbered steps; each step reports all it finds before the next begins.
 *
 * @param file path of the root document, YAML or JSON; files it refers to are read too
 * @throws ContractError for an unreadable file, broken YAML, a document that breaks the OpenAPI structure,
 *   an unresolvable `$ref`, or a construct that the toolkit doesn't support
 */
export async function readContract(file: string): Promise<Contract> {
  // 1. Text.
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const says = reasons[cause.code ?? ''] ?? cause.message;
    throw new ContractError([problemAtTop(file, 'readable', says, 'Name an OpenAPI file with --contract.')]);
  });

  // 2. YAML, whose loader stops at the first fault; the parser that knows positions finds them all. Positions are worked out when one is asked for, since a sound contract needs none.
  const locate = createLocate(file, text);
  const refuse = (found: readonly Unsupported[]): void => {
    if (found.length > 0) throw new ContractError(found.map((one) => ({ ...one, ...locate(one.pointer) })));
  };
  const loaded = await loadDocument(file);
  if (loaded instanceof Error) {
    const faults = findSyntaxProblems(displayPath(file), readYaml(text));
    const cure = 'Mend the YAML at this place.';
    throw new ContractError(faults.length > 0 ? faults : [problemAtTop(file, 'yaml', loaded.message, cure)]);
  }

  // 3. What would kill the linter, or bring it to fetch something; then structure and references.
  refuse(findUnsupported(loaded.document.parsed, 'root'));
  const { document, problems } = await bundleDocument(loaded).catch((cause: Error) => {
    const cure = 'Leave out what was added last, part by part, to find the place.';
    throw new ContractError([problemAtTop(file, 'unreadable', `the linter gave up: ${cause.message}`, cure)]);
  });
  if (problems.length > 0) throw new ContractError(problems);

  // 4. What OpenAPI allows and the toolkit can't derive from.
  refuse(findUnsupported(document, 'bundle'));

  // 5. A value nobody can change.
  const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  return { file, document: deepFreeze(document as OpenApiDocument), hash, locate };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'this user may not read it',
};

function createLocate(file: string, text: string): Contract['locate'] {
  let source: YamlSource | undefined;
  return (pointer) => {
    source ??= readYaml(text);
    return { file: displayPath(file), ...source.positionOf(parsePointer(pointer)) };
  };
}

function problemAtTop(file: string, rule: string, says: string, cure: string): Problem {
  return { file: displayPath(file), line: 1, column: 1, pointer: '#', rule, says, cure };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
