import { describe, expect, test } from 'vitest';
import { checks } from '../checks/checks.ts';
import { laws } from '../checks/http-laws.ts';
import { protocolLaws } from '../checks/protocol-laws.ts';
import { builtPhases } from '../phases/phase.ts';
import { accessFaults } from './access-faults.ts';
import { type ApiName, apis, runAgainst } from './apis.ts';
import { boundaryFaults } from './boundary-faults.ts';
import { declaredFaults } from './declared-faults.ts';
import { injectFault } from './faults.ts';
import { libraryFaults } from './library-faults.ts';
import { protocolFaults } from './protocol-faults.ts';
import { weatherFaults } from './weather-faults.ts';

// If these fail, the runner misses a defect, or reports the wrong one.

describe.each(Object.keys(apis) as ApiName[])('the clean server of %s', (api) => {
  test.each([1, 2, 3, 4, 5])('gives no finding with seed %d, and every operation is accepted', async (seed) => {
    const { result } = await runAgainst(api, apis[api].create(), { seed, phases: builtPhases });
    expect(result.findings).toEqual([]);
    expect(result.coverage.operations.filter(({ isReached }) => !isReached)).toEqual([]);
    expect(result.verdict).toBe('passed');
  });
});

const faults = [
  ...libraryFaults,
  ...weatherFaults,
  ...accessFaults,
  ...protocolFaults,
  ...boundaryFaults,
  ...declaredFaults,
];

test('each check and each law has a fault that it alone finds', () => {
  const named = new Set(faults.flatMap(({ caughtBy }) => [caughtBy.check, caughtBy.keyword]));
  const all = [...checks.map(({ name }) => name), ...Object.keys(laws), ...Object.keys(protocolLaws)];
  expect(all.filter((name) => !named.has(name))).toEqual([]);
});

describe.each(faults)('$api: $name', (fault) => {
  test.each([
    { seed: 1, workers: 16 },
    { seed: 2, workers: 1 },
  ])('is caught once, by its name (%o)', async (change) => {
    // Only the fault of the timeout has a short one: a busy machine must not fail the others.
    const timeoutMs = fault.caughtBy.keyword === 'timeout' ? 300 : 30_000;
    const { result } = await runAgainst(
      fault.api,
      injectFault(fault, apis[fault.api].create()),
      { ...change, timeoutMs, phases: builtPhases, ...fault.options },
      fault.amend,
    );
    const found = result.findings.map(({ check, operation, pointer, keyword, severity }) => ({
      check,
      operation,
      pointer,
      keyword,
      severity,
    }));
    expect(found).toEqual([{ ...fault.caughtBy, severity: fault.severity ?? 'defect' }]);
    const { clauses, laws } = checks.find(({ name }) => name === fault.caughtBy.check) ?? {};
    // `explain` prints these clauses.
    const explained = laws === undefined ? clauses : [laws[fault.caughtBy.keyword]?.clause];
    const clause = result.findings[0]?.clause ?? '';
    expect(
      explained?.filter((known) => known !== undefined && clause.startsWith(known)),
      clause,
    ).toHaveLength(1);
    expect(result.verdict).toBe(fault.severity === 'suspect' ? 'passed' : 'defects');
    expect(result.requests).toBeLessThan(300);
  });
});
