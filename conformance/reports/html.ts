import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checks as listedChecks } from '../checks/checks.ts';
import type { Contract } from '../contract/contract.ts';
import { printableJson, printableParts } from '../contract/printable.ts';
import type { Finding } from '../failures/finding.ts';
import type { KnownFinding } from '../failures/known.ts';
import type { Obligation } from '../plan/plan.ts';
import { describeCoverage } from '../run/contract-coverage.ts';
import type { RunResult } from '../run/run.ts';
import { version } from '../version.ts';
import { addressOfClause, explainFinding, isContractChange } from './clauses.ts';
import { evidenceOf, headlineOf } from './headline.ts';
import type { ReportContext } from './sarif.ts';

/** Places named of the obligations of an operation that one reason left open. */
const mostPlaces = 4;

/**
 * The report for a browser: one file that loads nothing else, with exchanges, lines of the contract, fixes and a map of the coverage. The
 * data of the run is JSON in the page, and its script writes texts only, so markup in a contract or an answer stays text.
 */
export function formatHtml(given: RunResult, { contract }: ReportContext): string {
  const data = printableParts(dataOf(given, contract));
  const [page, style] = ['page.html', 'page.css'].map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(page ?? '') ?? [];
  const filled: readonly (readonly [part: string, by: string])[] = [
    ['style-hash', hashOf(style ?? '')],
    ['script-hash', hashOf(script)],
    ['<style></style>', `<style>${style}</style>`],
    // A text in JSON cannot close the element, nor open a comment.
    ['id="data">', `id="data">${printableJson(data).replaceAll('<', '\\u003c')}`],
  ];
  return filled.reduce((text, [part, by]) => text.replace(part, () => by), page ?? '');
}

/** The source expression by which a policy allows exactly this text (Content Security Policy Level 3, 8.3). */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function dataOf(result: RunResult, contract: Contract) {
  const { title, contractFile, baseUrl, authUrl, message, fix, coverage, warnings, notTested } = result;
  const rules = indexOf<ReturnType<typeof ruleOf>>();
  const findings = gravestFirst([...result.findings, ...result.known]).map((finding) => ({
    ...finding,
    kind: kindOf(finding),
    headline: headlineOf(finding),
    exchanges: exchangesOf(finding),
    places: placesOf(finding, result.obligations),
    rule: rules.add(`${finding.check} ${finding.keyword} ${finding.clause}`, () => ruleOf(finding)),
  }));
  const { operations, checks, reasons } = operationsOf(result, contract);
  return {
    ...{ version, title, contractFile, baseUrl, authUrl, message, fix, warnings, notTested },
    facts: factsOf(result),
    reached: coverage.reached,
    coverage: [
      `responses seen: ${coverage.responsesSeen} of ${coverage.responses}`,
      ...describeCoverage({ ...coverage, parts: [] }).flatMap((line) => line.split('; ')),
      ...coverage.parts.map(({ kind, covered, all }) => `${kind}: ${covered} of ${all}`),
    ],
    ...{ operations, checks, reasons, findings },
    rules: rules.all(),
  };
}

/** The known findings come last; within a kind, the order of the checks is that of their harm to clients. */
function gravestFirst(findings: readonly (Finding | KnownFinding)[]): readonly (Finding | KnownFinding)[] {
  const ofKinds = ['defect', 'inconclusive', 'known'];
  const ofChecks: readonly string[] = listedChecks.map(({ name }) => name);
  return findings.toSorted(
    (a, b) =>
      ofKinds.indexOf(kindOf(a)) - ofKinds.indexOf(kindOf(b)) || ofChecks.indexOf(a.check) - ofChecks.indexOf(b.check),
  );
}

/** Roles of exchanges whose names in probes are short. */
const roles: Readonly<Record<string, string>> = {
  control: 'for comparison',
  'other request': 'for comparison',
  repeat: 'second try',
  row: 'several values at once',
  'own list': 'list of the first account',
  'second list': 'list of the second account',
  'unknown id': 'an id that does not exist',
  'known id': 'an id that exists',
  'unknown parent': 'a parent that does not exist',
  'cached read': 'read with the earlier tag',
};

/** Identities as a reader knows them. */
const accounts: Readonly<Record<string, string>> = {
  own: 'first account',
  second: 'second account',
  anonymous: 'no credentials',
};

function exchangesOf(finding: Finding) {
  const evidence = evidenceOf(finding);
  return finding.exchanges.map((exchange, index) => {
    const { identity, role, curl } = exchange;
    // Only a credential or a secret makes a variable of its own.
    const isBare = identity === 'own' && !/"\$(?!BASE\b|AUTH\b)/.test(curl);
    return {
      ...exchange,
      ...evidence[index],
      account: isBare ? 'no credentials' : (accounts[identity] ?? `changed credentials: ${identity}`),
      role: exchange.isJudged ? 'shows the failure' : (roles[role] ?? role),
    };
  });
}

/** The values that were tried at the place of a finding, if there were several. */
function placesOf({ check, operations, place }: Finding, obligations: readonly Obligation[]) {
  const own = obligations.filter(
    (one) => one.check === check && operations.includes(one.operation) && one.place.startsWith(`${place}: `),
  );
  const list = (wanted: Obligation['state']): readonly string[] =>
    own.filter(({ state }) => state === wanted).map((one) => one.place.slice(place.length + 2));
  return own.length < 2 ? undefined : { violated: list('violated'), met: list('met') };
}

function kindOf(finding: Finding | KnownFinding): 'defect' | 'inconclusive' | 'known' {
  if ('known' in finding) return 'known';
  return finding.severity === 'defect' ? 'defect' : 'inconclusive';
}

function ruleOf(finding: Finding) {
  const { check, keyword, clause } = finding;
  const texts = explainFinding(finding) ?? { about: check, effect: '', fix: '', allow: '' };
  const name = keyword === '' ? check : `${check} ${keyword}`;
  return { name, ...texts, isContractChange: isContractChange(texts.allow), address: addressOfClause(clause) };
}

function factsOf({ baseUrl, authUrl, contractFile, requests, durationMs, phases, seed, now }: RunResult) {
  return [
    ['target', baseUrl],
    ...(authUrl === undefined ? [] : [['authorization server', authUrl]]),
    ['contract', contractFile],
    ['requests', String(requests)],
    ['time', `${(durationMs / 1000).toFixed(2)} s`],
    ['phases', phases.join(', ')],
    ['seed', String(seed)],
    ['started', now.replace(/\.\d+Z$/, 'Z')],
  ];
}

/** The operations with the states of their obligations by check, and the reasons why some are open. */
function operationsOf(result: RunResult, contract: Contract) {
  const { coverage, obligations } = result;
  const found = [...result.findings, ...result.known];
  const checks = indexOf<string>();
  const reasons = indexOf<string>();
  const described = new Map(contract.operations.map((operation) => [operation.id, operation]));
  const byOperation = Map.groupBy(atTheirFindings(obligations, found), ({ operation }) => operation);
  const groupOf = groupPaths(contract.operations.map(({ path }) => path));
  const operations = coverage.operations.map(({ operation: id, ...facts }) => {
    const own = byOperation.get(id) ?? [];
    const { method = '', path = id } = described.get(id) ?? {};
    const byCheck = Map.groupBy(own, ({ check }) => check);
    const open = Map.groupBy(
      own.filter(({ state }) => state === 'not reached'),
      ({ reason = '' }) => reason,
    );
    return {
      ...{
        id,
        method: method.toUpperCase(),
        path,
        group: groupOf(path),
        weight: Math.sqrt(Math.max(1, own.length)),
        ...facts,
      },
      checks: [...byCheck].map(([check, all]) => [checks.add(check, () => check), ...countStates(all)]),
      open: [...open].map(([reason, all]) => [
        reasons.add(reason, () => reason),
        all.length,
        all.slice(0, mostPlaces).map(({ check, place }) => `${check} ${place}`),
      ]),
    };
  });
  return { operations, checks: checks.all(), reasons: reasons.all() };
}

/**
 * Each violation at an operation whose finding shows it, so that every obligation counts once: a probe of one operation may send requests of
 * others, and their answers are at fault.
 */
function atTheirFindings(obligations: readonly Obligation[], findings: readonly Finding[]): readonly Obligation[] {
  const isViolated = ({ state }: Obligation): boolean => state === 'violated';
  const named = new Set(obligations.filter(isViolated).map(({ check, operation }) => `${check} ${operation}`));
  return obligations.map((obligation) => {
    const { check, operation } = obligation;
    const shown = findings.filter((one) => one.check === check).flatMap(({ operations }) => operations);
    if (!isViolated(obligation) || shown.includes(operation)) return obligation;
    const elsewhere = shown.find((id) => !named.has(`${check} ${id}`)) ?? shown[0];
    if (elsewhere === undefined)
      return { ...obligation, state: 'not reached', reason: 'a failure that no finding shows' };
    named.add(`${check} ${elsewhere}`);
    return { ...obligation, operation: elsewhere };
  });
}

function countStates(obligations: readonly Pick<Obligation, 'state'>[]): readonly number[] {
  return (['met', 'violated', 'not reached'] as const).map(
    (wanted) => obligations.filter(({ state }) => state === wanted).length,
  );
}

/** Groups paths by the first segment in which they differ: `/api/v1/books/{id}` by `/books`. */
function groupPaths(paths: readonly string[]): (path: string) => string {
  const split = paths.map((path) => path.split('/').slice(1));
  let shared = 0;
  const isShared = (at: number): boolean =>
    split.every((segments) => segments.length > at + 1 && segments[at] === split[0]?.[at]);
  while (isShared(shared)) shared += 1;
  return (path) => `/${path.split('/')[shared + 1] ?? ''}`;
}

/** Values in the order of their first use, each once. */
function indexOf<Value>() {
  const indexes = new Map<string, number>();
  const values: Value[] = [];
  return {
    add: (key: string, create: () => Value): number => {
      const index = indexes.get(key) ?? values.push(create()) - 1;
      indexes.set(key, index);
      return index;
    },
    all: (): readonly Value[] => values,
  };
}
