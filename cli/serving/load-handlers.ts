import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type ContractDocument, followMember, isObject } from '@lockstep/json/json-pointer';
import type { AnyHandler } from '@lockstep/runtime/answer-request';
import type { Exchange } from '@lockstep/runtime/exchange';
import type { OperationTable } from '@lockstep/runtime/operation';
import { keepShown } from '@lockstep/runtime/security/keep-shown';
import { type DeclaredScheme, readScheme, type Scheme } from '@lockstep/runtime/security/scheme';
import { nearestNames } from '@lockstep/runtime/validation/nearest-name';
import { WrongUse } from '@lockstep/shell/wrong-use';

/** The caller that a check returns. */
type Principal = object;
type Handler = AnyHandler<Principal, Exchange<Principal>>;

export interface LoadedHandlers {
  /** By operationId, without operations that are not written yet. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** By the contract's names of the schemes. */
  readonly security: Readonly<Record<string, Scheme<Principal>>>;
}

/** Examples of checks, by the kind of credentials. */
const examples: Readonly<Record<DeclaredScheme['takes'], string>> = {
  bearer: "bearer((token) => ({ kind: 'bad', reason: 'invalid' }))",
  basic: "basic(({ username, password }) => ({ kind: 'bad', reason: 'invalid' }))",
  apiKey: "apiKey((key) => ({ kind: 'bad', reason: 'invalid' }))",
  credentials: "credentials((sent) => ({ kind: 'bad', reason: 'invalid' }))",
};

/**
 * Loads a module of handlers and compares it with the contract.
 *
 * @throws WrongUse with every fault at once: a missing module, one that can't be loaded, a name that the contract doesn't have, no check for a
 *   scheme of an operation with a handler
 */
export async function loadHandlers(
  file: string,
  document: ContractDocument,
  operations: OperationTable,
): Promise<LoadedHandlers> {
  const module = await load(file);
  const faults: string[] = [];
  const handlers = readMap(file, module, 'handlers', faults);
  const security = readMap(file, module, 'security', faults);
  const ids = Object.keys(operations);
  for (const [id, handler] of Object.entries(handlers)) {
    if (!Object.hasOwn(operations, id))
      faults.push(`${file}: handlers.${id}: the contract has no operation ${id}${near(id, ids)}`);
    else if (typeof handler !== 'function')
      faults.push(`${file}: handlers.${id} is ${nameType(handler)}, not a function`);
  }
  for (const [name, scheme] of Object.entries(security)) faults.push(...describeScheme(file, name, scheme, document));
  if (module.handlers === undefined)
    faults.push(
      `${file} exports no handlers: write export const handlers = { ${ids[0] ?? 'operationId'}: (request) => ({ status: 200, body: … }) };`,
    );
  const asked = new Map<string, string[]>();
  for (const operation of Object.values(operations)) {
    if (!Object.hasOwn(handlers, operation.operationId)) continue;
    for (const name of new Set(keepShown(document, operation).security.flatMap(Object.keys)))
      asked.set(name, [...(asked.get(name) ?? []), operation.operationId]);
  }
  for (const [name, by] of asked)
    if (!Object.hasOwn(security, name)) faults.push(describeMissing(file, name, by, readTakes(document, name)));
  if (faults.length > 0) throw new WrongUse(faults.join('\n'));
  return { handlers: handlers as LoadedHandlers['handlers'], security: security as LoadedHandlers['security'] };
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(file);
  if (!existsSync(path)) throw new WrongUse(`${file}: the file does not exist. Name a module with --handlers.`);
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : `${String(error)} was thrown`;
    const [first = ''] = message.split('\n');
    throw new WrongUse(`${placeOf(error) ?? file}: the handlers cannot be loaded: ${first}`);
  }
}

/** The first location in a stack: the first line of a syntax error, or the frame that threw. */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, file, onlyLine] = /^(\/.*):(\d+)\n/.exec(stack) ?? [];
  if (file !== undefined) return `${file}:${onlyLine}`;
  const [, url, line, column] = /(file:\/\/[^\s()]+?):(\d+)(?::(\d+))?/.exec(stack) ?? [];
  if (url === undefined) return undefined;
  return [fileURLToPath(url), line, column].filter((part) => part !== undefined).join(':');
}

function readMap(
  file: string,
  module: Readonly<Record<string, unknown>>,
  name: 'handlers' | 'security',
  faults: string[],
): Readonly<Record<string, unknown>> {
  const value = module[name];
  if (value === undefined || isObject(value)) return value ?? {};
  faults.push(
    `${file}: ${name} is ${nameType(value)}, not an object by ${name === 'handlers' ? 'operationId' : 'name of the scheme'}`,
  );
  return {};
}

function describeScheme(file: string, name: string, scheme: unknown, document: ContractDocument): string[] {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  if (!Object.hasOwn(schemes, name))
    return [
      `${file}: security.${name}: the contract has no security scheme ${name}${near(name, Object.keys(schemes))}`,
    ];
  const takes = readTakes(document, name);
  if (takes === undefined)
    return [
      `${file}: security.${name}: no request contains the security scheme ${name}, so nothing can check it. Delete it.`,
    ];
  const isScheme = isObject(scheme) && typeof scheme.judge === 'function' && typeof scheme.takes === 'string';
  if (isScheme && scheme.takes === takes) return [];
  const found = isScheme ? `created by ${scheme.takes}` : nameType(scheme);
  return [`${file}: security.${name} is ${found}: write ${name}: ${examples[takes]}`];
}

function readTakes(document: ContractDocument, name: string): DeclaredScheme['takes'] | undefined {
  const schemes = followMember(document, followMember(document, document, 'components'), 'securitySchemes');
  return readScheme(followMember(document, schemes, name))?.takes;
}

function describeMissing(
  file: string,
  name: string,
  by: readonly string[],
  takes: DeclaredScheme['takes'] | undefined,
): string {
  const others = by.length - 1;
  const who = `${by[0]}${others === 0 ? '' : ` and ${others} more`}`;
  if (takes === undefined)
    return `${file}: handlers.${who}: the contract protects it by the security scheme ${name}, which no request contains. Delete the handler, or protect the operation otherwise.`;
  return [
    `${file}: handlers.${who}: the contract protects it by the security scheme ${name}, but security has no check for it. Write one:`,
    `  import { ${takes} } from '@lockstep/runtime/security/scheme';`,
    `  export const security = { ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${examples[takes]} };`,
  ].join('\n');
}

function near(name: string, known: readonly string[]): string {
  const [nearest] = nearestNames(name, known);
  return nearest === undefined ? '' : `. Did you mean ${nearest}?`;
}

function nameType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
