import type { ContractDocument } from '@lockstep/json/json-pointer';
import { oncePerDocument } from '@lockstep/runtime/once-per-document';
import type { Operation } from '@lockstep/runtime/operation';
import { Rejection } from '@lockstep/runtime/rejection';
import { findResponse, listContents, responseKeys } from '@lockstep/runtime/rejection/declared-response';
import { nearestNames } from '@lockstep/runtime/validation/nearest-name';
import type { Pair } from '@lockstep/runtime/validation/parse-url-encoded';
import { listOr } from '@lockstep/runtime/validation/sentence';

/** The documented answer that a request asks for; by default the first success. */
export interface Choice {
  readonly code?: number;
  readonly example?: string;
  readonly dynamic: boolean;
  readonly seed?: string;
}

/**
 * The status of an answer by default: the lowest success, else a redirection, else the status for `default`, else the lowest declared
 * status. A range stands for its first status, `3XX` for 302.
 */
export function successStatus(document: ContractDocument, pointer: string): number {
  const statuses = readDocumented(document)
    .of(pointer)
    .map(({ status }) => status);
  return statuses.find((status) => status < 400) ?? statuses[0] ?? 200;
}

/** Next to a declared success, `default` describes errors (OpenAPI 3.1, 4.8.16.1). Otherwise it describes the success. */
function listStatuses(document: ContractDocument, pointer: string): number[] {
  const keys = responseKeys(document, pointer).filter((key) => /^(?:[2-5](?:\d\d|XX)|default)$/i.test(key));
  const ofDefault = keys.some((key) => /^[23]/.test(key)) ? 500 : 200;
  const statuses = keys.map((key) =>
    key === 'default' ? ofDefault : Number(key.replace(/XX$/i, key.startsWith('3') ? '02' : '00')),
  );
  return statuses.sort((a, b) => a - b);
}

const preferences = ['code', 'example', 'dynamic', 'seed'] as const;
type Preferences = Partial<Record<(typeof preferences)[number], string>>;

/** Query names that mean the same as a preference, for callers that cannot set a header. */
export const preferenceNames: ReadonlySet<string> = new Set(preferences.map((name) => `__${name}`));

/**
 * Reads `Prefer: code=418, example=teapot, dynamic=true, seed=7` (RFC 7240). Without such a header it reads the
 * query `__code`, `__example`, `__dynamic`, `__seed`. Other preferences are ignored, as the RFC requires.
 */
export function readPreferences(header: string | undefined, query: readonly Pair[]): Preferences {
  if (header !== undefined) return splitHeader(header);
  const sent = query.filter(({ name }) => preferenceNames.has(name));
  return Object.fromEntries(sent.map(({ name, value }) => [name.slice(2), value]));
}

/**
 * Finds the requested documented answer.
 *
 * @throws Rejection 400 if the operation has no such answer; it lists the documented ones
 */
export function chooseExample(document: ContractDocument, operation: Operation, sent: Preferences): Choice {
  if (sent.code === undefined && sent.example === undefined && sent.dynamic === undefined && sent.seed === undefined)
    return { dynamic: false };
  const known = readDocumented(document).chosen;
  const key = JSON.stringify([operation.pointer, sent.code, sent.example, sent.dynamic]);
  const choice = known.get(key) ?? findChoice(document, operation, sent);
  if (known.size < mostChosen) known.set(key, choice);
  return sent.seed === undefined ? choice : { ...choice, seed: sent.seed };
}

function findChoice(document: ContractDocument, operation: Operation, sent: Preferences): Choice {
  const { example } = sent;
  if (sent.dynamic !== undefined && sent.dynamic !== 'true' && sent.dynamic !== 'false') {
    throw preferFault(`dynamic=${sent.dynamic} is neither true nor false`, ['true', 'false']);
  }
  const code = readCode(document, operation, sent.code);
  const all = readDocumented(document).of(operation.pointer);
  const documented = all.filter(({ status }) => code === undefined || status === code);
  const chosen = documented.find(({ examples }) => example === undefined || examples.includes(example));
  if (example !== undefined && chosen === undefined) {
    const names = [...new Set(documented.flatMap(({ examples }) => examples))];
    const nearest = nearestNames(example, names);
    const fix = names.length === 0 ? 'it has none' : `it has ${listOr(names)}`;
    const of = code === undefined ? operation.operationId : `${operation.operationId} ${code}`;
    throw preferFault(`${of} has no example ${example}: ${fix}`, nearest.length > 0 ? nearest : names.slice(0, 20));
  }
  const status = code ?? (example === undefined ? undefined : chosen?.status);
  return {
    dynamic: sent.dynamic === 'true',
    ...(status === undefined ? {} : { code: status }),
    ...(example === undefined ? {} : { example }),
  };
}

/** Limit of the cache of choices. Only `default`, which covers any status, could make it grow further. */
const mostChosen = 5_000;

interface Documented {
  readonly status: number;
  readonly examples: readonly string[];
}

/** The documented answers of a contract, read once: the look-up took a tenth of an answer's time. */
const readDocumented = oncePerDocument((document) => {
  const documented = new Map<string, readonly Documented[]>();
  return {
    /** Successes first: an example's name without a code selects the example of a success before that of an error. */
    of: (pointer: string): readonly Documented[] => {
      const known = documented.get(pointer);
      if (known !== undefined) return known;
      const read = listStatuses(document, pointer).map((status) => {
        return { status, examples: listExampleNames(document, pointer, status) };
      });
      documented.set(pointer, read);
      return read;
    },
    /** Cached choices by preferences. */
    chosen: new Map<string, Choice>(),
  };
});

function listExampleNames(document: ContractDocument, pointer: string, status: number): string[] {
  const response = findResponse(document, pointer, status);
  const contents = response === undefined ? [] : listContents(document, response.node);
  return contents.flatMap(({ examples }) => examples.map(({ name }) => name));
}

function readCode(
  document: ContractDocument,
  { operationId, pointer }: Operation,
  sent: string | undefined,
): number | undefined {
  if (sent === undefined) return undefined;
  const isCode = /^[2-5]\d\d$/.test(sent);
  if (isCode && findResponse(document, pointer, Number(sent)) !== undefined) return Number(sent);
  const known = responseKeys(document, pointer);
  throw preferFault(`${operationId} has no response ${sent}: it has ${listOr(known)}`, known);
}

function splitHeader(header: string): Preferences {
  const sent: Preferences = {};
  for (const piece of header.split(/[,;]/)) {
    const equals = piece.indexOf('=');
    const name = (equals === -1 ? piece : piece.slice(0, equals)).trim().toLowerCase();
    const known = preferences.find((preference) => preference === name);
    // RFC 7240, 2: if a preference is repeated, the first one counts.
    if (known === undefined || sent[known] !== undefined) continue;
    sent[known] =
      equals === -1
        ? ''
        : piece
            .slice(equals + 1)
            .trim()
            .replace(/^"(.*)"$/, '$1');
  }
  return sent;
}

function preferFault(message: string, nearest: readonly string[]): Rejection {
  const details = [{ in: 'header', at: 'Prefer', says: message, nearest }] as const;
  return new Rejection('form', { text: `Prefer: ${message}`, details });
}
