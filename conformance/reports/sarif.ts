import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Contract, Excerpt } from '../contract/contract.ts';
import { nameSome, printableJson, printableParts } from '../contract/printable.ts';
import type { FoundFailures } from '../failures/failure-file.ts';
import type { Finding } from '../failures/finding.ts';
import type { KnownFinding } from '../failures/known.ts';
import type { ShownBody, ShownHeader } from '../failures/shown-exchange.ts';
import type { RunResult } from '../run/run.ts';
import { version } from '../version.ts';
import { addressOfClause, explainFinding } from './clauses.ts';

/** The schema of the format (OASIS, SARIF 2.1.0 with errata 01). */
const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** The facts of a report that are not part of the result. */
export interface ReportContext {
  readonly exitCode: number;
  readonly contract: Contract;
  /** The requests that show each finding. */
  readonly failures: readonly FoundFailures[];
  /** The folder that files are named relative to: the root of the repository. */
  readonly root: string;
}

/** Further places listed of one finding. */
const mostRelated = 20;

/**
 * The findings in the Static Analysis Results Interchange Format (SARIF 2.1.0), for code scanning services. A rule is a requirement: check
 * and keyword, or check and law. A result has the id of its finding as its fingerprint, so that a service recognises it in the next run.
 */
export function formatSarif(given: RunResult, context: ReportContext): string {
  const result = printableParts(given);
  const all = [...result.findings, ...result.known];
  const rules = new Map<string, ReturnType<typeof ruleOf>>();
  for (const finding of all) if (!rules.has(ruleIdOf(finding))) rules.set(ruleIdOf(finding), ruleOf(finding));
  const ids = [...rules.keys()];
  const notifications = [
    ...(result.fix === undefined ? [] : [notify('error', result.message, result.fix)]),
    ...result.warnings.map(({ message, fix }) => notify('warning', message, fix)),
    ...result.notTested.map((reason) => notify('note', `Not tested: ${reason}`)),
  ];
  const run = {
    tool: { driver: { name: 'lockstep-conform', version, semanticVersion: version, rules: [...rules.values()] } },
    automationDetails: { id: `lockstep-conform/${result.title}/` },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        // A run with defects is successful; one that proves nothing is not.
        executionSuccessful: result.verdict === 'passed' || result.verdict === 'defects',
        exitCode: context.exitCode,
        exitCodeDescription: result.message,
        toolExecutionNotifications: notifications,
        properties: {
          ...{ baseUrl: result.baseUrl, seed: result.seed, now: result.now },
          ...{ requests: result.requests, durationMs: result.durationMs },
        },
      },
    ],
    results: all.map((finding) => resultOf(finding, ids.indexOf(ruleIdOf(finding)), result, context)),
  };
  return `${printableJson({ $schema: schema, version: '2.1.0', runs: [run] }, 2)}\n`;
}

function notify(level: 'error' | 'warning' | 'note', ...texts: readonly string[]) {
  return { level, message: { text: texts.join(' ') } };
}

function ruleIdOf({ check, keyword }: Finding): string {
  return keyword === '' ? check : `${check}/${keyword}`;
}

function ruleOf(finding: Finding) {
  const { check, keyword, clause, severity } = finding;
  const explanation = explainFinding(finding);
  const { about = check, effect = '', fix = '', allow = '' } = explanation ?? {};
  const address = addressOfClause(clause);
  const parts = [
    ['Effect', effect],
    ['Clause', clause],
    ['Fix', fix],
    ['To allow it instead', allow],
  ].filter(([, text]) => text !== '');
  return {
    id: ruleIdOf(finding),
    name: [check, keyword]
      .join('-')
      .replaceAll(/(?:^|[^\p{L}\p{N}]+)(\p{L}|\p{N})/gu, (_, char: string) => char.toUpperCase()),
    shortDescription: { text: about },
    fullDescription: { text: `${about}. ${clause}. ${effect}`.trim() },
    ...(address !== undefined && { helpUri: address }),
    help: {
      text: parts.map(([name, text]) => `${name}: ${text}`).join('\n'),
      markdown: parts.map(([name, text]) => `**${name}**: ${text}`).join('\n\n'),
    },
    defaultConfiguration: { level: levelOf(severity) },
    properties: { tags: ['api', 'conformance', check], 'problem.severity': levelOf(severity) },
  };
}

function levelOf(severity: Finding['severity']): 'error' | 'warning' {
  return severity === 'defect' ? 'error' : 'warning';
}

function resultOf(finding: Finding | KnownFinding, ruleIndex: number, result: RunResult, context: ReportContext) {
  const { id, severity, operations, place, message, clause, sent, answered, curl, excerpt, pointer } = finding;
  const on = operations.length === 0 ? 'the contract' : nameSome(operations);
  const exchange = finding.exchanges.find(({ isJudged }) => isJudged);
  const text = [
    `${on}: ${place}: ${message} (${clause})`,
    ...(exchange === undefined ? [] : [`Sent: ${sent}`, `Answered: ${answered}`]),
    `Again: lockstep-conform replay ${id}`,
  ].join('\n');
  const others = new Map(finding.occurrences.map((one) => [one.pointer, one]));
  others.delete(pointer);
  return {
    ruleId: ruleIdOf(finding),
    ruleIndex,
    level: levelOf(severity),
    message: { text },
    locations: [
      {
        physicalLocation: locate(result, context.root, excerpt),
        logicalLocations: [
          { fullyQualifiedName: pointer, kind: 'member' },
          ...operations.map((name) => ({ name, kind: 'function' })),
        ],
      },
    ],
    relatedLocations: [...others.values()].slice(0, mostRelated).map((one, index) => ({
      id: index + 1,
      message: { text: `${one.operation} ${one.place}: ${one.message}`.trim() },
      physicalLocation: locate(result, context.root, context.contract.excerptAt(one.pointer)),
    })),
    // Code scanning of GitHub reads the first name and computes it from the source if it is missing.
    partialFingerprints: { primaryLocationLineHash: `${id}:1`, 'finding/v1': id },
    occurrenceCount: finding.count,
    ...('known' in finding && {
      suppressions: [
        {
          ...{ kind: 'external', status: 'accepted' },
          justification: `${finding.known.reason} (until ${finding.known.until})`,
        },
      ],
    }),
    ...(exchange !== undefined && {
      webRequest: {
        ...{ protocol: 'HTTP', version: '1.1', target: exchange.path, method: exchange.method },
        headers: headersOf(exchange.headers),
        ...(exchange.body !== undefined && { body: contentOf(exchange.body) }),
      },
      webResponse: {
        ...(exchange.answer.status === 0
          ? { noResponseReceived: true, reasonPhrase: exchange.answer.fault ?? '' }
          : { protocol: 'HTTP', version: '1.1', statusCode: exchange.answer.status }),
        headers: headersOf(exchange.answer.headers),
        ...(exchange.answer.body !== undefined && { body: contentOf(exchange.answer.body) }),
      },
    }),
    properties: { severity, operations, ...(curl !== '' && { curl }) },
  };
}

/** A line of the contract or of one of its files, which are named relative to the contract. */
function locate({ contractFile }: RunResult, root: string, { file, line }: Excerpt) {
  const artifactLocation = /^https?:/i.test(contractFile)
    ? { uri: file === undefined ? contractFile : new URL(file, contractFile).href }
    : locateFile(file === undefined ? contractFile : resolve(dirname(contractFile), file), root);
  return { artifactLocation, region: { startLine: Math.max(1, line) } };
}

function locateFile(file: string, root: string) {
  const path = relative(root, resolve(file));
  if (path.startsWith('..') || isAbsolute(path)) return { uri: pathToFileURL(file).href };
  return { uri: path.split(sep).map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' };
}

/** Repeated fields are one, as HTTP allows (RFC 9110, 5.2). */
function headersOf(headers: readonly ShownHeader[]): Readonly<Record<string, string>> {
  const names = Map.groupBy(headers, ([name]) => name);
  return Object.fromEntries([...names].map(([name, own]) => [name, own.map(([, value]) => value).join(', ')]));
}

function contentOf({ lines }: ShownBody) {
  return { text: lines.join('\n') };
}
