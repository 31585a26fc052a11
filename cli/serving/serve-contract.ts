import type { IncomingMessage, RequestListener } from 'node:http';
import { type ContractDocument, isObject, readPointer } from '@lockstep/json/json-pointer';
import { describeMock } from '@lockstep/mock/describe-mock';
import { formatCurl, type SampleRequest, sampleRequest, shellToken } from '@lockstep/mock/sample-request';
import type { UncheckedPlace } from '@lockstep/runtime/create-runtime';
import { explainListen } from '@lockstep/runtime/explain-listen';
import type { Operation, OperationTable } from '@lockstep/runtime/operation';
import { type Running, throwIfStopping } from '@lockstep/runtime/run-until-stopped';
import { type BlindScheme, lookForCredentials } from '@lockstep/runtime/security/presence';
import { startListening } from '@lockstep/runtime/start-listening';
import { countOf, formatStartPage, type StartPage } from '@lockstep/runtime/start-page';
import type { Streams } from '@lockstep/shell/command-result';
import { formatJson, formatNotice, type Notice, oneLine, printable } from '@lockstep/shell/printable';
import { createProgress } from '@lockstep/shell/progress';
import { WrongUse } from '@lockstep/shell/wrong-use';
import { type ReadOptions, readContract } from '@lockstep/toolkit/contract/read-contract';
import { describeOperations } from '@lockstep/toolkit/emit/operations';
import type { Logger } from 'pino';
import type { ContractTarget, Surroundings } from '../commands/command.ts';
import { createFront, findShadowed } from './front.ts';

export interface ServingOptions extends ContractTarget {
  /** 0 means any free port. */
  readonly port: number;
  readonly host: string;
  readonly json?: true;
}

/** One kind of service for a contract, and its description. */
export interface Flavour {
  /** `Server`, `Mock`. */
  readonly kind: string;
  readonly listener: RequestListener;
  /** Advice for callers. */
  readonly notes: readonly string[];
  /** Operations with a handler; undefined if every operation is answered. */
  readonly implemented?: ReadonlySet<string>;
  /** Whether pages of any origin may call. */
  readonly isOpen: boolean;
  /** See `createFront`. */
  readonly isClosed?: (request: IncomingMessage) => boolean;
  readonly hasWorlds?: boolean;
  /** Findings about the contract during its creation. */
  readonly notices?: readonly Notice[];
}

/** A contract to serve, without generated files. */
export interface Served {
  readonly title: string;
  readonly version: string;
  readonly document: ContractDocument;
  readonly operations: OperationTable;
  readonly notices: readonly Notice[];
  /** Position of a place of the document in its source. */
  readonly locate: (pointer: string) => { readonly file: string; readonly line: number; readonly column: number };
}

export interface Making extends Served {
  /** Address that clients use, without a trailing slash. */
  readonly origin: string;
  readonly logger: Logger;
  /** Reports a place that the runtime can't check. */
  readonly unchecked: (place: UncheckedPlace) => void;
  /** Reports a step that may take long. */
  readonly step: (text: string) => void;
}

/** Longest accepted body without `x-body-limit`, an extension that foreign contracts lack. The 64 KiB of the runtime are too few for those. */
export const bodyLimitBytes = 10 * 1024 * 1024;

/** Milliseconds for pending answers when the server stops. */
const drainMs = 2000;

/** Number of notices that are printed; the JSON has all. */
const printedNotices = 10;

/**
 * Serves any contract, and prints the address and decisions about the contract.
 *
 * @param make creates the listener behind the start page and `/healthz`
 * @throws ContractError or WrongUse with the reason why it can't start; the reason of `stopping`
 */
export async function serveContract(
  { contract, port, host, json, ...options }: ServingOptions,
  { logger, streams, stopping }: Surroundings,
  make: (making: Making) => Flavour | Promise<Flavour>,
): Promise<Running> {
  const progress = createProgress(streams.error);
  try {
    progress.step(`Reading ${contract}`);
    const served = await readServed(contract, options);
    const { operations } = served;
    const title = oneLine(served.title);
    const count = Object.keys(operations).length;
    await throwIfStopping(stopping);
    progress.step(`Preparing ${countOf(count)} of ${title}`);
    const unchecked: UncheckedPlace[] = [];
    // Later findings, at the first request of an operation, are logged.
    let report = (place: UncheckedPlace): void => void unchecked.push(place);
    let flavour: Flavour | undefined;
    const running = await startListening({ port, host, limits: { drainMs }, stopping }, async (origin) => {
      flavour = await make({ ...served, origin, logger, unchecked: (place) => report(place), step: progress.step });
      const { listener, isOpen, isClosed, hasWorlds } = flavour;
      const page = keepFirst(() => formatStartPage(describePage(served, origin, flavour)));
      return createFront(listener, { operations, page, isOpen, isClosed, hasWorlds, logger });
    });
    const started = describeStart(served, running.origin, flavour);
    const found = (flavour?.notices ?? []).map((notice) => placeNotice(served, notice));
    const notices = [
      ...served.notices,
      ...describeNotices(served),
      ...unchecked.map((place) => toNotice(served, place)),
      ...found,
    ];
    report = (place) => logger.warn(place, 'not checked');
    const line = json ? formatJson({ ...started, notices }) : formatStart(started);
    if (json !== true) printNotices(notices, streams);
    streams.out.write(`${line}\n`);
    return running;
  } catch (error) {
    const reason = explainListen(error, { host, port });
    throw reason === undefined ? error : new WrongUse(reason);
  } finally {
    progress.end();
  }
}

interface Started {
  readonly origin: string;
  readonly title: string;
  readonly kind: string;
  readonly addresses: readonly { readonly url: string; readonly operations: number }[];
  readonly operations: number;
  readonly implemented?: number;
  readonly notes: readonly string[];
  readonly samples: readonly { readonly shows: string; readonly command: string }[];
}

function describeStart({ document, operations }: Served, origin: string, flavour: Flavour | undefined): Started {
  const { title, addresses, samples } = describeMock(origin, document, operations);
  const { kind = '', notes = [], implemented } = flavour ?? {};
  const shown =
    implemented === undefined ? samples : describeCall(origin, document, Object.values(operations), implemented);
  return {
    origin,
    title,
    kind,
    addresses,
    operations: Object.keys(operations).length,
    ...(implemented !== undefined && { implemented: implemented.size }),
    notes,
    samples: shown,
  };
}

/** One sample call, preferably of an operation that has a handler, and that only reads. */
function describeCall(
  origin: string,
  document: ContractDocument,
  operations: readonly Operation[],
  implemented: ReadonlySet<string>,
): Started['samples'] {
  const ranked = operations.toSorted((a, b) => rank(b) - rank(a));
  const [first] = ranked;
  if (first === undefined) return [];
  const sample = sampleRequest(document, first, shellToken);
  const shows = `${first.operationId}${implemented.has(first.operationId) ? '' : ', which answers 501 until you write it'}`;
  return [{ shows, command: formatCurl(origin, sample) }];

  function rank({ operationId, method }: Operation): number {
    return (implemented.has(operationId) ? 2 : 0) + (method === 'get' ? 1 : 0);
  }
}

function formatStart({ origin, title, kind, addresses, operations, implemented, notes, samples }: Started): string {
  return [
    `${kind} of ${oneLine(title)} on ${origin}`,
    ...addresses.map(({ url, operations: count }) => `  ${oneLine(url)}  ${countOf(count)}`),
    ...(implemented === undefined ? [] : [`  ${implemented} of ${operations} implemented, the others answer 501`]),
    '',
    ...notes.map((note) => `- ${note}`),
    ...samples.flatMap(({ shows, command }) => ['', `# ${oneLine(shows)}`, printable(command)]),
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}

function printNotices(notices: readonly Notice[], { error }: Streams): void {
  for (const notice of notices.slice(0, printedNotices)) error.write(`${formatNotice(notice)}\n`);
  const more = notices.length - printedNotices;
  if (more > 0) error.write(`note: ${more} more: --json lists all of them\n`);
}

/** Documents with only webhooks are common. */
const nothingToServe = 'the contract has no operation, so there is nothing to call but the start page';

/** Decisions of the server about the contract, for its author. */
function describeNotices({ document, operations }: Served): Notice[] {
  const { blind } = lookForCredentials(document, operations);
  const servers = Array.isArray(document.servers) ? document.servers : [];
  const [first] = servers;
  const severalServers: Notice = {
    message: `the contract has ${servers.length} servers: operations are served at the path of the first, ${isObject(first) ? String(first.url) : ''}`,
    pointer: '#/servers',
  };
  return [
    ...(Object.keys(operations).length === 0 ? [{ message: nothingToServe, pointer: '#/paths' }] : []),
    ...(servers.length > 1 ? [severalServers] : []),
    ...blind.map(describeBlind),
    ...describeUnreachable(Object.values(operations)),
    ...describeShadowed(findShadowed(operations)),
  ];
}

function describeShadowed(shadowed: ReadonlyMap<string, string>): readonly Notice[] {
  const page = shadowed.has('/_start') ? 'there is no start page' : 'the start page is at /_start';
  const costs = { '/': page, '/healthz': '/healthz is not the health check' };
  return Object.entries(costs).flatMap(([path, cost]) =>
    shadowed.has(path) ? [{ message: `${cost}: the contract has ${shadowed.get(path)} itself` }] : [],
  );
}

function describeBlind({ name, type, open, closed }: BlindScheme): Notice {
  const list = ([first, ...more]: readonly string[]): string =>
    more.length === 0 ? `${first}` : `${first} and ${more.length} more`;
  const isKnown = type === 'mutualTLS';
  const cost = isKnown
    ? `it is not required${open.length === 0 ? '' : `: ${list(open)} would be open to anybody`}`
    : `nobody satisfies it${closed.length === 0 ? '' : `: ${list(closed)} rejects every request`}`;
  return {
    ...(!isKnown && { severity: 'warning' as const, fix: 'Declare it under components.securitySchemes.' }),
    message: `no request contains the security scheme ${name} (${type}), so ${cost}`,
    pointer: `#/components/securitySchemes/${name}`,
  };
}

/** A fragment is never sent, and text after a question mark is a query (RFC 9110, 7.1): no request has such a path. */
function describeUnreachable(operations: readonly Operation[]): Notice[] {
  const [first, ...more] = operations.filter(({ path }) => /[#?]/.test(path));
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return [
    {
      message: `no request reaches ${first.operationId}${others}: a path cannot contain # or ?`,
      pointer: first.pointer,
    },
  ];
}

function toNotice(served: Served, { pointer, why, operationId }: UncheckedPlace): Notice {
  const where = operationId === undefined ? '' : `${operationId}: `;
  return placeNotice(served, { message: `not checked: ${where}${why}`, pointer });
}

function placeNotice({ locate }: Served, notice: Notice): Notice {
  const { pointer } = notice;
  return pointer === undefined ? notice : { ...notice, ...locate(pointer) };
}

function describePage(served: Served, origin: string, flavour: Flavour | undefined): StartPage {
  const { title, version, document, operations } = served;
  const { addresses } = describeMock(origin, document, operations);
  const { kind = '', notes = [], implemented } = flavour ?? {};
  const rows = Object.values(operations).map((operation) => {
    const sample = sampleRequest(document, operation, implemented === undefined ? undefined : shellToken);
    return {
      operationId: operation.operationId,
      method: operation.method.toUpperCase(),
      path: operation.basePath + operation.path,
      summary: readSummary(served, operation),
      ...(implemented !== undefined && { isImplemented: implemented.has(operation.operationId) }),
      curl: formatCurl(origin, sample),
      href: isOpenable(sample) ? origin + sample.target : undefined,
    };
  });
  return { title, version, kind, notes, addresses, operations: rows };
}

/** A browser sends no header that a contract requires. */
function isOpenable({ method, headers }: SampleRequest): boolean {
  return method === 'GET' && Object.keys(headers).length === 0;
}

function readSummary({ document }: Served, { pointer }: Operation): string {
  const operation = readPointer(document, pointer);
  const { summary, description } = isObject(operation) ? operation : {};
  if (typeof summary === 'string' && summary !== '') return summary;
  return typeof description === 'string' ? (description.trim().split(/\n|(?<=\.)\s/, 1)[0] ?? '') : '';
}

function keepFirst<Value>(make: () => Value): () => Value {
  let kept: { readonly value: Value } | undefined;
  return () => {
    kept ??= { value: make() };
    return kept.value;
  };
}

/** @throws ContractError with all problems that make the contract unreadable */
export async function readServed(source: string, options: ReadOptions): Promise<Served> {
  const contract = await readContract(source, options);
  const { document } = contract;
  return {
    title: document.info?.title ?? source,
    version: document.info?.version ?? '',
    document: document as unknown as ContractDocument,
    operations: describeOperations(document),
    notices: contract.notices,
    locate: contract.locate,
  };
}
