import { counted, excerpt, nameSome, printableParts } from '../contract/printable.ts';
import { type Finding, formatFinding } from '../failures/finding.ts';
import type { RunResult } from '../run/run.ts';
import type { Verdict } from '../run/verdict.ts';
import { formatVariables } from './console.ts';

/** Findings in the table, and findings in full below it: GitHub accepts 1 MiB for one step. */
const [mostRows, mostInFull] = [50, 20];

/** Characters of a message in the table, and of a finding in full: its curl line has the whole request. */
const [mostOfMessage, mostOfFinding] = [200, 10_000];

/** Most warnings, and most lines about untested parts. */
const mostListed = 30;

const signs: Partial<Record<Verdict, string>> = { passed: '✅', defects: '❌' };

/** The address of a line of the contract; undefined without one. */
export type LinkTo = (line: number) => string | undefined;

/**
 * The summary for the page of a CI job: verdict, findings, warnings, coverage and untested parts.
 *
 * @param linkTo by default, the file as the user named it
 */
export function formatMarkdown(given: RunResult, linkTo: LinkTo = linkToFile(given.contractFile)): string {
  const result = printableParts(given);
  const { findings, warnings, notTested, coverage, requests, durationMs, fix } = result;
  const rows = findings.slice(0, mostRows);
  const inFull = rows
    .slice(0, mostInFull)
    .map(formatFinding)
    .map((text) =>
      fenced(text.length <= mostOfFinding ? text : `${text.slice(0, mostOfMessage)}… (too long for this page)`),
    );
  const facts = [
    `${coverage.reached} of ${counted(coverage.operations.length, 'operation')} accepted`,
    `${coverage.responsesSeen} of ${coverage.responses} documented responses seen`,
    `${counted(requests, 'request')} in ${(durationMs / 1000).toFixed(2)} s`,
    `seed ${result.seed}`,
  ];
  const blocks = [
    `## ${signs[result.verdict] ?? '⚠️'} ${escapeMarkdown(result.message)}`,
    fix === undefined ? '' : escapeMarkdown(fix),
    `${escapeMarkdown(result.title)} at ${code(result.baseUrl)}: ${facts.join(', ')}`,
    rows.length === 0 ? '' : formatTable(rows, linkTo),
    findings.length === rows.length ? '' : `And ${counted(findings.length - rows.length, 'more finding')}.`,
    details('Requests to paste', inFull.length === 0 ? [] : [fenced(formatVariables(findings, result)), ...inFull]),
    details(
      counted(warnings.length, 'warning'),
      bounded(warnings.map((one) => `- ${escapeMarkdown(one.message)} *${escapeMarkdown(one.fix)}*`)),
    ),
    `**Not tested**\n\n${bounded(notTested.map((reason) => `- ${escapeMarkdown(reason)}`)).join('\n')}`,
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function linkToFile(file: string): LinkTo {
  return (line) => (/^https?:/i.test(file) ? undefined : `${encodePath(file)}#L${line}`);
}

/** A path as a part of an address within parentheses. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/').replaceAll('(', '%28').replaceAll(')', '%29');
}

function formatTable(findings: readonly Finding[], linkTo: LinkTo): string {
  const rows = findings.map(({ check, severity, operations, place, message, line, keyword, clause }) => {
    const link = linkTo(line);
    const cells = [
      `${severity === 'suspect' ? 'inconclusive: ' : ''}${code(check)}`,
      operations.length === 0 ? 'the contract' : escapeMarkdown(nameSome(operations, 3)),
      escapeMarkdown(`${place}: ${excerpt(message, mostOfMessage)}`),
      `${link === undefined ? `line ${line}` : `[line ${line}](${link})`} ${escapeMarkdown(`${keyword}, ${clause}`)}`,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| check | operation | problem | contract |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function details(summary: string, parts: readonly string[]): string {
  if (parts.length === 0) return '';
  return `<details><summary>${summary}</summary>\n\n${parts.join('\n')}\n\n</details>`;
}

function bounded(lines: readonly string[]): readonly string[] {
  const more = lines.length - mostListed;
  return more <= 0 ? lines : [...lines.slice(0, mostListed), `- and ${more} more`];
}

/** A block of code. Its fence has more backticks than the text has in a row. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

function code(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1);
  return longestRun(text) === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

/** The number of backticks in a row. */
function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

/** Text of a deployment must not become HTML, a picture or a formula. */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]~$]/g, '\\$&');
}
