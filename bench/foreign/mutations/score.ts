import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Contract, listOperations } from '../operations.ts';
import { listFailedChecks, readFindings, readRecorder, type Tool } from '../run-tools.ts';

/** One thing that a tool reports about one operation. */
export interface Reported {
  /** As in `GET /devices/{id}`. */
  readonly operation: string;
  /** Equal for two reports of one fault, on another server or with other data too. */
  readonly key: string;
  readonly message: string;
}

interface Where {
  /** Of the tool's reports. */
  readonly folder: string;
  readonly contract: Contract;
  readonly requests?: number;
}

/** Defects, and failures of the peer. Each tool keys its own: check, place and status. */
export const readReports: Readonly<Record<Tool, (where: Where) => Promise<readonly Reported[]>>> = {
  lockstep: async ({ folder, contract }) => {
    const names = nameOperations(contract);
    const defects = (await readFindings(folder)).filter(({ severity }) => severity === 'defect');
    return defects.flatMap(({ check, message, occurrences }) =>
      occurrences.map(({ operation, fingerprint }) => ({
        operation: names.get(operation) ?? operation,
        key: fingerprint,
        message: `${check}: ${message}`,
      })),
    );
  },
  schemathesis: async ({ folder, requests = Infinity }) => {
    const file = (await readdir(folder)).find((name) => name.startsWith('ndjson-'));
    if (file === undefined) throw new Error(`no report of Schemathesis in ${folder}`);
    const sent: { readonly at: number; readonly reports: readonly Reported[] }[] = [];
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      const recorder = readRecorder(line);
      const failed = Map.groupBy(listFailedChecks(recorder), ({ request }) => request);
      for (const [id, { timestamp }] of Object.entries(recorder.interactions ?? {})) {
        const { method, path } = recorder.cases?.[id]?.value ?? { method: '', path: '' };
        const operation = `${method} ${path}`;
        const reports = (failed.get(id) ?? []).map(({ name, type, status, message }) => ({
          ...{ operation, key: `${name} ${type} ${status} ${operation}`, message: `${name}: ${message}` },
        }));
        sent.push({ at: timestamp, reports });
      }
    }
    // Its workers report in the order in which scenarios finish.
    const first = sent.toSorted((a, b) => a.at - b.at).slice(0, requests);
    return first.flatMap(({ reports }) => reports);
  },
};

/** @returns the messages about an operation of the mutation that the clean server does not get, each once */
export function findNew(
  mutated: readonly Reported[],
  clean: readonly Reported[],
  at: string | RegExp,
): readonly string[] {
  const known = new Set(clean.map(({ key }) => key));
  const isAt = (operation: string): boolean => (typeof at === 'string' ? operation === at : at.test(operation));
  const news = mutated.filter(({ key, operation }) => !known.has(key) && isAt(operation));
  return [...new Set(news.map(({ operation, message }) => `${operation} ${message}`))];
}

/** Names by operationId, which our reports use. */
function nameOperations(contract: Contract): ReadonlyMap<string, string> {
  return new Map(
    listOperations(contract).map((name) => {
      const [method = '', path = ''] = name.split(' ');
      const operation = contract.paths[path]?.[method.toLowerCase()] as { readonly operationId?: string } | undefined;
      return [operation?.operationId ?? name, name];
    }),
  );
}
