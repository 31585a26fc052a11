import { readFile } from 'node:fs/promises';
import {
  type Contract,
  ContractError,
  type ContractProblem,
  type Method,
  type Operation,
  type SecurityScheme,
} from './contract.ts';
import { convertSwagger } from './convert-swagger.ts';
import {
  childOf,
  follow,
  isObject,
  type JsonObject,
  joinPointer,
  objectAt,
  objectsIn,
  type Place,
  type Pointer,
  placeAt,
  type ReportPart,
  textAt,
} from './document.ts';
import { readExactly } from './exact-schemas.ts';
import { includeFiles } from './include-files.ts';
import { openClosedParts } from './open-closed-parts.ts';
import { readOperation } from './read-operation.ts';
import { readAddresses } from './servers.ts';
import { readSource, type Source } from './source.ts';

const methods: readonly Method[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Size of an unpacked contract from the network: the largest known one has 37 MB. */
const mostBytes = 64 * 1024 * 1024;

/** Time limit for the whole download. */
const fetchMs = 30_000;

const mostRedirects = 5;

/** The part of `fetch` that reads a document. */
export type Fetch = (
  url: URL,
  options: { readonly signal: AbortSignal; readonly redirect: 'manual' },
) => Promise<Response>;

interface ReadOptions {
  /** Size limit of a document from an address, smaller in tests. */
  readonly bytes?: number;
  /** Folders outside the contract's own whose files it may refer to; a contract from an address may refer to none. */
  readonly allowFiles?: readonly string[];
  /** Sends the requests for a document from an address, by default without a proxy. */
  readonly request?: Fetch;
}

/**
 * Reads an OpenAPI document, YAML or JSON.
 *
 * @param file path, or an http address
 *
 * @throws ContractError if there is nothing to test: unreadable, not OpenAPI 3, no operation
 */
export async function readContractFile(
  file: string,
  { bytes = mostBytes, allowFiles = [], request = fetch }: ReadOptions = {},
): Promise<Contract> {
  const isAddress = /^https?:\/\//i.test(file);
  const text = await (isAddress ? readAddress(file, bytes, request) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      const message = `The contract cannot be read: ${explain(error)}.`;
      const fix = isAddress
        ? 'Name an address that answers with the document: --contract URL.'
        : 'Name a file that exists: --contract FILE.';
      throw new ContractError(file, [{ pointer: '#', line: 0, message, fix }]);
    },
  );
  const source = readAny(file, text);
  // Most contracts refer to no other file.
  const isWhole = isAddress || !/\$ref["']?\s*:\s*["']?[^"'\s#]/.test(text);
  return readDocument(file, isWhole ? source : await includeFiles(file, source, allowFiles));
}

/** Follows redirects only within the origin: a server must not make this machine send requests elsewhere (CWE-918). */
async function readAddress(address: string, bytes: number, request: Fetch): Promise<string> {
  const signal = AbortSignal.timeout(fetchMs);
  let url = new URL(address);
  // `fetch` refuses credentials too, but its error repeats them.
  if (url.username !== '' || url.password !== '') throw new Error('an address must not contain a name or password');
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const answer = await request(url, { signal, redirect: 'manual' });
    const location = answer.status >= 300 && answer.status < 400 ? answer.headers.get('location') : null;
    if (location === null) {
      if (answer.ok) return await readWithin(answer, bytes);
      await answer.body?.cancel();
      throw new Error(`the answer is ${answer.status}`);
    }
    await answer.body?.cancel();
    const next = URL.parse(location, url.href);
    if (next?.origin !== url.origin) {
      const where = next === null ? 'nowhere' : `another origin, ${next.protocol}//${next.host}, which is not followed`;
      throw new Error(`it redirects to ${where}`);
    }
    url = next;
  }
  throw new Error(`it redirects more than ${mostRedirects} times`);
}

async function readWithin(answer: Response, bytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (size > bytes) throw new Error(`it is longer than ${formatBytes(bytes)}`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function formatBytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.floor(bytes / 1024)} kB` : `${Math.floor(bytes / 1024 / 1024)} MB`;
}

/** `fetch` gives the reason only in the cause. */
function explain(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause);
}

export function readContract(file: string, text: string): Contract {
  return readDocument(file, readAny(file, text));
}

function readDocument(file: string, source: Source): Contract {
  const { root: written, lineOf, excerptAt, repeated } = convert(file, source);
  const { problems, report } = gatherProblems(lineOf);
  const root = openClosedParts(readExactly(written), report);
  requireOpenApi(file, root, lineOf);
  const unclear = new Set<Pointer>();
  // Either value may be the one that the server enforces: a finding about access could be wrong.
  const isClear = ({ pointer }: Operation): boolean => {
    const own = joinPointer(pointer, 'security');
    const used = placeAt(root, own).value === undefined ? '#/security' : own;
    const found = repeated.filter((one) => one === used || one.startsWith(`${used}/`));
    for (const one of found) unclear.add(one);
    return found.length === 0;
  };
  const operations = readOperations(root, report).filter(isClear);
  for (const pointer of repeated) {
    const effect = unclear.has(pointer) ? 'operations with this security are not tested' : 'the last one counts';
    report(pointer, `The member is repeated; ${effect}.`, 'Remove one, or rename it.');
  }
  const schemes = readSchemes(root, report);
  if (operations.length === 0) {
    report('#/paths', 'The contract has no readable operation.', 'Describe at least one operation under paths.');
    throw new ContractError(file, problems);
  }
  const title = textAt(root.info, 'title') ?? file;
  const servers = readAddresses(root);
  return { file, title, root, servers, operations, schemes, problems, lineOf, excerptAt };
}

/** Collects each problem once. Its line is looked up on first use: that takes another pass over the text. */
function gatherProblems(lineOf: Source['lineOf']): {
  readonly problems: readonly ContractProblem[];
  readonly report: ReportPart;
} {
  const known = new Set<string>();
  const problems: ContractProblem[] = [];
  const report: ReportPart = (pointer, message, fix, breaks) => {
    const key = `${pointer} ${message}`;
    if (known.has(key)) return;
    known.add(key);
    problems.push({
      pointer,
      get line() {
        return lineOf(pointer);
      },
      message,
      fix,
      breaks,
    });
  };
  return { problems, report };
}

/** A document of Swagger 2.0 is tested as OpenAPI 3.0. */
function convert(file: string, source: Source): Source {
  try {
    return convertSwagger(source);
  } catch (error) {
    refuse(
      file,
      `The document is Swagger 2.0, and its converter gave up: ${explain(error)}.`,
      source.lineOf('#/swagger'),
    );
  }
}

/** A GraphQL schema fails as YAML: this message names the cause instead of a syntax error. */
function readAny(file: string, text: string): Source {
  try {
    return readSource(file, text);
  } catch (error) {
    const start = /^(extend\s+)?(schema\s*[{@]|(type|interface|union|enum|input|scalar)\s+\w|directive\s+@)/m;
    if (error instanceof ContractError && start.test(text)) refuse(file, 'The document is a GraphQL schema.');
    throw error;
  }
}

function requireOpenApi(file: string, root: JsonObject, lineOf: Source['lineOf']): void {
  if (typeof root.openapi === 'string' && /^3\.[0-9]+\./.test(root.openapi)) return;
  const isGraphQl = isObject(root.__schema) || isObject(objectAt(root, 'data').__schema);
  if (isGraphQl) refuse(file, 'The document is a GraphQL schema.');
  if (root.swagger !== undefined)
    refuse(file, `The document is OpenAPI ${String(root.swagger)} (Swagger).`, lineOf('#/swagger'));
  const found = root.openapi === undefined ? 'no openapi member' : `openapi ${JSON.stringify(root.openapi)}`;
  refuse(file, `The document has ${found}.`, lineOf('#/openapi'));
}

function refuse(file: string, message: string, line = 1): never {
  const fix = 'Name a document of OpenAPI 3.0 or 3.1 (openapi: 3.1.0).';
  throw new ContractError(file, [{ pointer: '#', line, message, fix }]);
}

function readOperations(root: JsonObject, report: ReportPart): Operation[] {
  const paths: Place = { value: root.paths, pointer: '#/paths' };
  const ids = new Set<string>();
  const shapes = new Map<string, string>();
  const names = Object.keys(isObject(root.paths) ? root.paths : {}).filter((name) => !name.startsWith('x-'));
  return names.flatMap((path) => {
    const place = childOf(paths, path);
    if (!path.startsWith('/')) {
      const rule = 'OpenAPI, Paths Object: the field name MUST begin with a forward slash';
      report(place.pointer, `The path ${path} does not begin with a slash.`, `Write /${path}.`, rule);
      return [];
    }
    const shape = path.replaceAll(/\{[^}]*\}/g, '{}');
    const same = shapes.get(shape);
    shapes.set(shape, same ?? path);
    if (same !== undefined) {
      const rule =
        'OpenAPI, Paths Object: templated paths with the same hierarchy but different templated names MUST NOT exist';
      report(place.pointer, `The path equals ${same}.`, 'Describe the operations of both under one path.', rule);
    }
    const item = follow(root, place, report);
    if (item === undefined || !isObject(item.value)) return [];
    return methods
      .filter((method) => isObject(item.value) && isObject(item.value[method]))
      .map((method) => readOperation({ root, path, item, method, report, ids }));
  });
}

function readSchemes(root: JsonObject, report: ReportPart): Readonly<Record<string, SecurityScheme>> {
  const all = placeAt(root, '#/components/securitySchemes');
  const schemes = objectsIn(root, all, report).map(({ name, value, pointer }): SecurityScheme => {
    const key = { in: textAt(value, 'in') ?? '', name: textAt(value, 'name') ?? '' };
    return {
      name,
      pointer,
      type: textAt(value, 'type') ?? '',
      scheme: textAt(value, 'scheme')?.toLowerCase(),
      key: value.type === 'apiKey' ? key : undefined,
      tokenUrl: textAt(objectAt(value.flows, 'clientCredentials'), 'tokenUrl'),
    };
  });
  return Object.fromEntries(schemes.map((scheme) => [scheme.name, scheme]));
}
