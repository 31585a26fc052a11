import { describe, expect, test } from 'vitest';
import { checks } from '../checks/checks.ts';
import { laws } from '../checks/http-laws.ts';
import { protocolLaws } from '../checks/protocol-laws.ts';
import { refusalLaws } from '../checks/refusal-wrong.ts';
import { builtPhases } from '../phases/phase.ts';
import type { RunOptions } from '../run/run.ts';
import { seededFaults as faults } from './all-faults.ts';
import { type ApiName, apis, runAgainst, withEdits } from './apis.ts';
import { childEdits } from './child-faults.ts';
import { declaredEdits } from './declared-faults.ts';
import { injectFault, phasesFor, type SeededFault } from './faults.ts';
import { jobEdits } from './job-faults.ts';
import { libraryKey } from './library.ts';
import { settingsEdits } from './settings-faults.ts';

// If these fail, the runner misses a defect, or reports the wrong one.

describe.each(Object.keys(apis) as ApiName[])('the correct server of %s', (api) => {
  const findNothing = async (seed: number): Promise<void> => {
    const { result } = await runAgainst(api, apis[api].create(), { seed, phases: builtPhases });
    expect(result.findings).toEqual([]);
    expect(result.coverage.operations.filter(({ isReached }) => !isReached)).toEqual([]);
    expect(result.verdict).toBe('passed');
  };
  const conforms = 'gives no finding with seed %d, and every operation is accepted';
  test.each([1])(conforms, findNothing);
  test.each([2, 3, 4, 5, 6])(conforms, { tags: ['full'] }, findNothing);
});

test.each(['depot', 'weather'] as const)('the correct server of %s follows its extensions', async (api) => {
  const { result } = await runAgainst(
    api,
    apis[api].create(),
    { phases: builtPhases },
    withEdits(api, declaredEdits[api]),
  );
  expect(result.findings).toEqual([]);
  const declared = result.obligations.filter(({ check, state }) => check === 'refusal-wrong' && state === 'met');
  expect(new Set(declared.map(({ keyword }) => keyword))).toEqual(
    new Set(['x-invalid-status', 'precedence', undefined]),
  );
});

test.each(['library', 'depot'] as const)('the correct server of %s brings its jobs to their end', async (api) => {
  const change = { phases: builtPhases };
  const { result } = await runAgainst(api, apis[api].create(jobEdits[api]), change, withEdits(api, jobEdits[api]));
  expect(result.findings).toEqual([]);
  const judged = result.obligations.filter(({ check }) => check.startsWith('job-'));
  expect(judged.map(({ check, state }) => `${check} ${state}`)).toEqual(['job-regress met', 'job-stuck met']);
});

test.each(['library', 'depot'] as const)('the correct server of %s has objects beneath new ones', async (api) => {
  const change = { phases: builtPhases };
  const { result } = await runAgainst(api, apis[api].create(childEdits[api]), change, withEdits(api, childEdits[api]));
  expect(result.findings).toEqual([]);
  const judged = result.obligations.filter(({ check }) => check === 'child-orphaned');
  expect(judged.map(({ state }) => state)).toEqual(['met']);
});

test.each([
  ['library', 'restore'],
  ['library', 'all'],
  ['depot', 'restore'],
] as const)('the correct server of %s has its settings back with --writes %s', async (api, writes) => {
  const permissions = { effects: [], readOnly: false, writes };
  const handle = apis[api].create(settingsEdits[api]);
  const desk = async () => {
    const headers = { 'x-library-key': libraryKey };
    return await handle({ method: 'GET', path: '/v2/desk', query: new URLSearchParams(), headers, body: '' });
  };
  const before = await desk();
  const change = { phases: ['story' as const], permissions };
  const { result } = await runAgainst(api, handle, change, withEdits(api, settingsEdits[api]));
  expect(result.findings).toEqual([]);
  const settled = result.obligations.filter(({ place, state }) => place === 'life of settings' && state === 'met');
  expect(settled.length).toBeGreaterThan(1);
  expect(await desk()).toEqual(before);
});

test('each check and each law has a fault that it alone finds', () => {
  const named = new Set(faults.flatMap(({ caughtBy }) => [caughtBy.check, caughtBy.keyword]));
  const all = [
    ...checks.map(({ name }) => name),
    ...Object.keys(laws),
    ...Object.keys(protocolLaws),
    ...Object.keys(refusalLaws),
  ];
  expect(all.filter((name) => !named.has(name))).toEqual([]);
});

/** Checks whose faults are many. */
const ofInput = new Set(['invalid-accepted', 'required-ignored', 'valid-refused']);

const isInput = ({ caughtBy }: SeededFault): boolean => ofInput.has(caughtBy.check);

const firstOfEach = (keyOf: (fault: SeededFault) => string, all = faults): readonly SeededFault[] =>
  [...Map.groupBy(all, keyOf).values()].flatMap((group) => group.slice(0, 1));

/** Runs against a server with a fault. @returns what was found, in short, and the result */
async function find(fault: SeededFault, change: Partial<RunOptions>) {
  // Only the fault of the timeout has a short one: a busy machine must not fail the others.
  const timeoutMs = fault.caughtBy.keyword === 'timeout' ? 300 : 30_000;
  const phases = phasesFor(fault);
  const handle = injectFault(fault, apis[fault.api].create(fault.edits));
  const { result } = await runAgainst(
    fault.api,
    handle,
    { timeoutMs, phases, ...change, ...fault.options },
    fault.amend,
  );
  const found = result.findings.map(({ check, operation, pointer, keyword, severity }) => ({
    ...{ check, operation, pointer, keyword, severity },
  }));
  return { found, result };
}

const wantedOf = ({ caughtBy, severity }: SeededFault) => [{ ...caughtBy, severity: severity ?? 'defect' }];

const byName = async (fault: SeededFault, change: Partial<RunOptions>): Promise<void> => {
  const { found, result } = await find(fault, change);
  expect(found).toEqual(wantedOf(fault));
  const { clauses, laws } = checks.find(({ name }) => name === fault.caughtBy.check) ?? {};
  // `explain` prints these clauses.
  const explained = laws === undefined ? clauses : [laws[fault.caughtBy.keyword]?.clause];
  const clause = result.findings[0]?.clause ?? '';
  expect(
    explained?.filter((known) => known !== undefined && clause.startsWith(known)),
    clause,
  ).toHaveLength(1);
  expect(result.verdict).toBe(fault.severity === 'suspect' ? 'passed' : 'defects');
  expect(result.findings[0]?.detectedAtRequest).toBeLessThan(300);
};

const first = { seed: 1, workers: 16 } as const;
const other = { seed: 2, workers: 1 } as const;

const named = faults.filter((fault) => !isInput(fault));
/** `npm test` has one fault for each check. */
const oneOfEach = new Set(firstOfEach(({ caughtBy: { check } }) => check, named));

describe.each(named)('$api: $name', (fault) => {
  const tags = oneOfEach.has(fault) ? [] : ['full'];
  test('is found once, by its name', { tags }, () => byName(fault, first));
  test('is found once, by its name, with one worker and another seed', { tags: ['full'] }, () => byName(fault, other));
});

const inputs = faults.filter(isInput);
const ofEachApi = firstOfEach(({ api, caughtBy }) => `${api} ${caughtBy.check}`, inputs);
const always = new Set(firstOfEach(({ caughtBy: { check } }) => check, inputs));

describe('is found once, by its name', () => {
  const isFound = (fault: SeededFault): Promise<void> => byName(fault, {});
  test.each(ofEachApi.filter((fault) => always.has(fault)))('$api: $name', isFound);
  test.each(ofEachApi.filter((fault) => !always.has(fault)))('$api: $name', { tags: ['full'] }, isFound);
  const others = inputs.filter((fault) => !ofEachApi.includes(fault));
  const changes = others.map((fault, index) => ({
    ...fault,
    seed: 1 + (index % 5),
    workers: index % 2 === 0 ? 1 : 16,
  }));
  test.each(changes)('$api: $name (seed $seed, $workers workers)', { tags: ['full'] }, ({ seed, workers, ...fault }) =>
    byName(fault, { seed, workers }),
  );
});

describe('no check is redundant, and none depends on another', () => {
  const findsAlone = async (fault: SeededFault): Promise<void> => {
    const { check } = fault.caughtBy;
    const alone = await find(fault, { checks: [check] });
    expect(alone.found).toEqual(wantedOf(fault));
    const others = checks.map(({ name }) => name).filter((name) => name !== check);
    const without = await find(fault, { checks: others, phases: builtPhases });
    expect(without.found).toEqual([]);
  };
  const each = firstOfEach(({ caughtBy }) => caughtBy.check);
  test.each(each.slice(0, 1))('$caughtBy.check finds its fault, and nothing else does', findsAlone);
  test.each(each.slice(1))('$caughtBy.check finds its fault, and nothing else does', { tags: ['full'] }, findsAlone);
});
