import { appendFile } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { counted, excerpt, messageOf, nameSome, printableParts } from '../contract/printable.ts';
import type { Finding } from '../failures/finding.ts';
import type { RunResult } from '../run/run.ts';
import { encodePath, formatMarkdown, type LinkTo } from './markdown.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** GitHub shows at most ten errors and ten warnings of a step. */
const mostOfKind = 10;

/** Characters of a message or a curl line; GitHub cuts longer ones. */
const mostCharacters = 1_000;

/**
 * Shows the result on the pages of a job of GitHub Actions: annotations at the lines of the contract, and the summary of the job.
 *
 * @param log a stream of the step: GitHub reads commands on both
 */
export async function showOnGitHub(
  result: RunResult,
  environment: Environment,
  log: { write(text: string): unknown },
): Promise<void> {
  if (environment.GITHUB_ACTIONS !== 'true') return;
  log.write(formatAnnotations(result, environment));
  const summary = environment.GITHUB_STEP_SUMMARY ?? '';
  if (summary === '') return;
  await appendFile(summary, formatMarkdown(result, linkToCommit(result, environment))).catch((error: unknown) => {
    log.write(`GITHUB_STEP_SUMMARY cannot be written: ${messageOf(error)}.\n`);
  });
}

/** Workflow commands, one a line: errors for defects and for a run that proves nothing, warnings for inconclusive findings. */
export function formatAnnotations(given: RunResult, environment: Environment): string {
  const result = printableParts(given);
  const file = pathInRepository(given, environment);
  const { message, fix, findings } = result;
  const ofRun = fix === undefined ? [] : [command('error', { title: 'lockstep-conform' }, [message, fix])];
  const annotate = (kind: 'error' | 'warning', severity: Finding['severity']): readonly string[] =>
    findings.filter((finding) => finding.severity === severity).map((finding) => annotationOf(kind, finding, file));
  const errors = [...ofRun, ...annotate('error', 'defect')];
  const warnings = annotate('warning', 'suspect');
  const left = [errors, warnings].reduce((sum, { length }) => sum + Math.max(0, length - mostOfKind), 0);
  const rest = `${counted(left, 'more finding')}: see the summary of the job, or the log of the step.`;
  return [
    ...errors.slice(0, mostOfKind),
    ...warnings.slice(0, mostOfKind),
    ...(left === 0 ? [] : [command('notice', { title: 'lockstep-conform' }, [rest])]),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function annotationOf(kind: string, finding: Finding, file: string | undefined): string {
  const { check, operations, place, message, clause, id, line, curl } = finding;
  const title = operations.length === 0 ? check : `${check}: ${nameSome(operations, 3)}`;
  const text = `${place}: ${excerpt(message, mostCharacters)} (${clause}; finding ${id})`;
  const request = curl === '' || curl.length > mostCharacters ? [] : [curl];
  return command(kind, { ...(file !== undefined && { file, line }), title }, [text, ...request]);
}

function command(
  kind: string,
  properties: Readonly<Record<string, string | number>>,
  lines: readonly string[],
): string {
  const given = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${kind} ${given.join(',')}::${escapeData(lines.join('\n'))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** The contract's path below the root of the repository; undefined if it is elsewhere. */
function pathInRepository(
  { contractFile }: Pick<RunResult, 'contractFile'>,
  { GITHUB_WORKSPACE: root }: Environment,
): string | undefined {
  if (/^https?:/i.test(contractFile) || root === undefined) return undefined;
  const path = relative(root, resolve(contractFile));
  return path.startsWith('..') || isAbsolute(path) ? undefined : path.split(sep).join('/');
}

/** Links of the summary lead to the commit of the job. */
function linkToCommit(result: RunResult, environment: Environment): LinkTo {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = environment;
  const path = pathInRepository(result, environment);
  if (path === undefined || server === undefined || repository === undefined || commit === undefined)
    return () => undefined;
  return (line) => `${server}/${repository}/blob/${commit}/${encodePath(path)}#L${line}`;
}
