import { readFile } from 'node:fs/promises';
import {
  type Contract,
  ContractError,
  type ContractProblem,
  type Method,
  type Operation,
  type SecurityScheme,
} from './contract.ts';
import { childOf, follow, type Place, type ReportPart } from './document.ts';
import { isObject, type JsonObject, objectAt, textAt } from './json.ts';
import { readAddresses, readOperation } from './read-operation.ts';
import { readSource, type Source } from './source.ts';

const methods: readonly Method[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Longest wait for a contract from the network. */
const fetchMs = 30_000;

/**
 * Reads an OpenAPI document, YAML or JSON.
 *
 * @param file path, or an http address
 *
 * @throws ContractError when there is nothing to test: unreadable, not OpenAPI 3, no operation
 */
export async function readContractFile(file: string): Promise<Contract> {
  const isAddress = /^https?:\/\//i.test(file);
  const text = await (isAddress ? readAddress(file) : readFile(file, 'utf8')).catch((error: unknown) => {
    const says = `It cannot be read: ${explain(error)}.`;
    const cure = isAddress
      ? 'Name an address that answers with the document: --contract URL.'
      : 'Name a file that exists: --contract FILE.';
    throw new ContractError(file, [{ pointer: '#', line: 0, says, cure }]);
  });
  return readContract(file, text);
}

async function readAddress(address: string): Promise<string> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(fetchMs) });
  if (!answer.ok) throw new Error(`the answer is ${answer.status}`);
  return answer.text();
}

/** `fetch` says why in the cause alone. */
function explain(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause);
}

export function readContract(file: string, text: string): Contract {
  const { root, lineOf } = readSource(file, text);
  const problems: ContractProblem[] = [];
  const report: ReportPart = (pointer, says, cure) => {
    if (!problems.some((known) => known.pointer === pointer && known.says === says)) {
      problems.push({ pointer, line: lineOf(pointer), says, cure });
    }
  };
  requireOpenApi(file, { root, lineOf });
  const operations = readOperations(root, report);
  if (operations.length === 0) {
    const says = 'No operation can be read from it.';
    const none = {
      pointer: '#/paths',
      line: lineOf('#/paths'),
      says,
      cure: 'Describe at least one operation under paths.',
    };
    throw new ContractError(file, [...problems, none]);
  }
  const title = textAt(root.info, 'title') ?? file;
  const servers = readAddresses(root);
  return { file, title, root, servers, operations, schemes: readSchemes(root, report), problems, lineOf };
}

function requireOpenApi(file: string, { root, lineOf }: Source): void {
  if (typeof root.openapi === 'string' && /^3\.[0-9]+\./.test(root.openapi)) return;
  const found = root.openapi === undefined ? 'no openapi member' : `openapi ${JSON.stringify(root.openapi)}`;
  const cure = 'Convert it to OpenAPI 3.1 (openapi: 3.1.0).';
  throw new ContractError(file, [
    { pointer: '#/openapi', line: lineOf('#/openapi'), says: `It has ${found}; OpenAPI 3 is read.`, cure },
  ]);
}

function readOperations(root: Contract['root'], report: ReportPart): Operation[] {
  const paths: Place = { value: root.paths, pointer: '#/paths' };
  const seen = new Set<string>();
  return Object.keys(isObject(root.paths) ? root.paths : {})
    .filter((path) => path.startsWith('/'))
    .flatMap((path) => {
      const item = follow(root, childOf(paths, path), report);
      if (item === undefined || !isObject(item.value)) return [];
      return methods
        .filter((method) => isObject(item.value) && isObject(item.value[method]))
        .map((method) => readOperation({ root, path, item, method, report }))
        .filter((operation) => {
          if (!seen.has(operation.id)) return seen.add(operation.id);
          report(
            operation.pointer,
            `operationId ${operation.id} is taken.`,
            'Give each operation its own operationId.',
          );
          return false;
        });
    });
}

function readSchemes(root: JsonObject, report: ReportPart): Readonly<Record<string, SecurityScheme>> {
  const all = { value: objectAt(root.components, 'securitySchemes'), pointer: '#/components/securitySchemes' };
  const schemes = Object.keys(all.value).flatMap((name): SecurityScheme[] => {
    const place = follow(root, childOf(all, name), report);
    if (place === undefined || !isObject(place.value)) return [];
    const { value, pointer } = place;
    const key = { in: textAt(value, 'in') ?? '', name: textAt(value, 'name') ?? '' };
    return [
      {
        name,
        pointer,
        type: textAt(value, 'type') ?? '',
        scheme: textAt(value, 'scheme')?.toLowerCase(),
        key: value.type === 'apiKey' ? key : undefined,
        tokenUrl: textAt(objectAt(value.flows, 'clientCredentials'), 'tokenUrl'),
      },
    ];
  });
  return Object.fromEntries(schemes.map((scheme) => [scheme.name, scheme]));
}
