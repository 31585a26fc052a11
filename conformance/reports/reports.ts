import { printableJson, unsafeRun } from '../contract/printable.ts';
import { type Finding, formatFinding } from '../failures/finding.ts';
import type { KnownFinding } from '../failures/known.ts';
import type { Obligation } from '../plan/plan.ts';
import { describeCoverage } from '../run/contract-coverage.ts';
import type { RunResult } from '../run/run.ts';
import { formatConsole } from './console.ts';
import { formatHtml } from './html.ts';
import { formatMarkdown } from './markdown.ts';
import { formatSarif, type ReportContext } from './sarif.ts';
import { formatVitest } from './vitest.ts';

/** A report: a file name and a pure function of the result. */
interface Report {
  readonly file: string;
  readonly format: (result: RunResult, context: ReportContext) => string;
}

/** Reports by their names in `--report`. */
export const reports = {
  console: { file: 'report.txt', format: formatConsole },
  /** For programs: the whole result. */
  json: { file: 'report.json', format: (result: RunResult) => `${printableJson(result, 2)}\n` },
  junit: { file: 'junit.xml', format: formatJunit },
  markdown: { file: 'summary.md', format: (result) => formatMarkdown(result) },
  /** For a browser, without a network. */
  html: { file: 'report.html', format: formatHtml },
  /** For code scanning services. */
  sarif: { file: 'report.sarif', format: formatSarif },
  /** For a developer's tests. */
  vitest: { file: 'findings.test.mjs', format: formatVitest },
} as const satisfies Record<string, Report>;

/** The report that grows during the run: the exchanges, as an HTTP Archive. */
export const harFile = 'traffic.har';

export type ReportName = keyof typeof reports | 'har';

export const reportNames: readonly string[] = [...Object.keys(reports), 'har'];

/** The report for CI: one suite per operation, one case per check; a check that was not reached is skipped with the reason. */
export function formatJunit(result: RunResult): string {
  const suites = [...Map.groupBy(result.obligations, ({ operation }) => operation)].map(([operation, obligations]) => {
    const cases = [...Map.groupBy(obligations, ({ check }) => check)].map(([check, own]) =>
      formatCase(result, operation, check, own),
    );
    const count = (tag: string): number => cases.filter((text) => text.includes(`<${tag} `)).length;
    const counts = `tests="${cases.length}" failures="${count('failure')}" errors="0" skipped="${count('skipped')}"`;
    return `  <testsuite name="${escapeXml(operation)}" ${counts}>\n${cases.join('\n')}\n  </testsuite>`;
  });
  const own = result.findings.filter(({ operation, severity }) => operation === '' && severity === 'defect');
  const accepted = result.known.filter(({ operation }) => operation === '');
  if (own.length + accepted.length > 0) suites.unshift(formatContract(own, accepted));
  suites.push(formatNotTested(result));
  if (result.fix !== undefined) suites.unshift(formatRun(result.message, result.fix));
  const sum = (count: string): number =>
    suites.reduce(
      (total, text) => total + Number(new RegExp(`^ *<testsuite .* ${count}="(\\d+)"`).exec(text)?.[1] ?? 0),
      0,
    );
  const counts = ['tests', 'failures', 'errors', 'skipped'].map((count) => `${count}="${sum(count)}"`).join(' ');
  const head = `<testsuites name="${escapeXml(result.title)}" ${counts} time="${(result.durationMs / 1000).toFixed(3)}">`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${suites.join('\n')}\n</testsuites>\n`;
}

/** A run that proves nothing must not look green, even without findings. */
function formatRun(message: string, fix: string): string {
  const error = `<error message="${escapeXml(message)}">${escapeXml(fix)}</error>`;
  const test = `    <testcase classname="the run" name="tests the deployment">\n      ${error}\n    </testcase>`;
  return `  <testsuite name="the run" tests="1" failures="0" errors="1" skipped="0">\n${test}\n  </testsuite>`;
}

/** Lists the untested parts as cases, for readers who count cases, and the coverage as properties. */
function formatNotTested({ notTested, coverage }: RunResult): string {
  const properties = describeCoverage(coverage).map(
    (line) => `      <property name="coverage" value="${escapeXml(line)}"/>`,
  );
  const cases = notTested.map((reason) => {
    const skipped = `<skipped message="${escapeXml(reason)}"/>`;
    return `    <testcase classname="not tested" name="${escapeXml(reason)}">\n      ${skipped}\n    </testcase>`;
  });
  const counts = `tests="${cases.length}" failures="0" errors="0" skipped="${cases.length}"`;
  const figures = `    <properties>\n${properties.join('\n')}\n    </properties>`;
  return `  <testsuite name="not tested" ${counts}>\n${figures}\n${cases.join('\n')}\n  </testsuite>`;
}

/** A defect of the contract itself belongs to no operation. */
function formatContract(findings: readonly Finding[], accepted: readonly KnownFinding[]): string {
  const formatOne = ({ pointer }: Finding, content: string): string =>
    `    <testcase classname="the contract" name="${escapeXml(pointer)}">\n${content}\n    </testcase>`;
  const cases = [
    ...findings.map((finding) => formatOne(finding, formatFailure(finding, finding.message))),
    ...accepted.map((finding) => formatOne(finding, formatKnown([finding]))),
  ];
  const counts = `tests="${cases.length}" failures="${findings.length}" errors="0" skipped="${accepted.length}"`;
  return `  <testsuite name="the contract" ${counts}>\n${cases.join('\n')}\n  </testsuite>`;
}

function formatFailure(finding: Finding, message: string): string {
  return `      <failure message="${escapeXml(message)}">${escapeXml(formatFinding(finding))}</failure>`;
}

function formatKnown(findings: readonly KnownFinding[]): string {
  const reasons = findings.map(({ known: { until, reason } }) => `known until ${until}: ${reason}`);
  const messages = findings.map(({ message }) => message);
  return `      <skipped message="${escapeXml(reasons.join('; '))}">${escapeXml(messages.join('\n'))}</skipped>`;
}

function formatCase(
  { findings, known }: RunResult,
  operation: string,
  check: string,
  own: readonly Obligation[],
): string {
  const isHere = (finding: Finding): boolean =>
    finding.check === check && finding.severity === 'defect' && finding.operations.includes(operation);
  const found = findings.filter(isHere);
  const head = `    <testcase classname="${escapeXml(operation)}" name="${escapeXml(check)}"`;
  if (found.length > 0) {
    const failures = found.map((finding) => {
      const here = finding.occurrences.find((one) => one.operation === operation);
      // Some viewers show only the message.
      const { place, message } = here ?? finding;
      return formatFailure(finding, `${place}: ${message}`);
    });
    return `${head}>\n${failures.join('\n')}\n    </testcase>`;
  }
  const accepted = known.filter(isHere);
  if (accepted.length > 0) return `${head}>\n${formatKnown(accepted)}\n    </testcase>`;
  const isTested = own.some(({ state }) => state !== 'not reached');
  const reason = own.find((obligation) => obligation.reason !== undefined)?.reason ?? '';
  return isTested ? `${head}/>` : `${head}>\n      <skipped message="${escapeXml(reason)}"/>\n    </testcase>`;
}

/** Escapes an unsafe character, as `&#x9b;`; line breaks remain. */
function characterReference(char: string): string {
  return char === '\n' ? char : `&#x${char.codePointAt(0)?.toString(16)};`;
}

/** Also replaces characters that XML 1.0 forbids: most controls, lone surrogates. */
function escapeXml(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[&<>"]/g, (sign) => names[sign] ?? sign)
    .split(unsafeRun)
    .map((part, index) => (index % 2 === 0 ? part : [...part].map(characterReference).join('')))
    .join('');
}
