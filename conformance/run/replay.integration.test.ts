import { describe, expect, test } from 'vitest';
import { readContractFile } from '../contract/read-contract.ts';
import type { FoundFailures } from '../failures/failure-file.ts';
import { accessFaults } from '../seeded/access-faults.ts';
import { apis, testNow, testOptions } from '../seeded/apis.ts';
import { childFaults } from '../seeded/child-faults.ts';
import { declaredFaults } from '../seeded/declared-faults.ts';
import { injectFault, phasesFor, type SeededFault } from '../seeded/faults.ts';
import { inputFaults } from '../seeded/input-faults.ts';
import { jobFaults } from '../seeded/job-faults.ts';
import { libraryFaults } from '../seeded/library-faults.ts';
import { protocolFaults } from '../seeded/protocol-faults.ts';
import { rateFaults } from '../seeded/rate-faults.ts';
import { serve } from '../seeded/serve.ts';
import { settingsFaults } from '../seeded/settings-faults.ts';
import { storyFaults } from '../seeded/story-faults.ts';
import { weatherFaults } from '../seeded/weather-faults.ts';
import { type Replay, replayFailure } from './replay.ts';
import { runConformance } from './run-conformance.ts';

// If these fail, a developer believes in a fix that is none, or searches for a failure that is gone.

/** Finds a fault. @returns a function that replays its first failure, and one that closes the server */
async function find(fault: SeededFault, isOn: () => boolean) {
  const loaded = await readContractFile(apis[fault.api].file);
  const contract = fault.amend?.(loaded) ?? loaded;
  const correct = apis[fault.api].create();
  const careless = fault.edits === undefined ? correct : apis[fault.api].create(fault.edits);
  const served = await serve(injectFault(fault, (request) => (isOn() ? careless : correct)(request), isOn));
  const timeoutMs = fault.caughtBy.keyword === 'timeout' ? 300 : 30_000;
  const options = testOptions(fault.api, served.origin, { timeoutMs, phases: phasesFor(fault), ...fault.options });
  let found: readonly FoundFailures[] = [];
  await runConformance(contract, options, { onFailures: (failures) => (found = failures) });
  const [first] = found[0]?.failures ?? [];
  const interrupted = new AbortController().signal;
  const replay = (): Promise<Replay> => {
    if (first === undefined) throw new Error('the run found nothing');
    return replayFailure(first, { contract, options, foundAt: testNow, interrupted });
  };
  return { replay, close: served.close };
}

/** Faults whose chain or answer proves less. */
const unsure: Readonly<Record<string, readonly [string, string]>> = {
  'a book contains the pass of a reader': ['CANNOT RUN', 'the check compares the answer with secrets'],
  'the contract breaks a MUST at two places': ['CANNOT RUN', 'the contract itself shows it'],
  'putLabel does not validate parameters 0 schema pattern': ['FAILED', 'no answer has label'],
  // An empty list may hide an object that is there.
  'a second account lists the books of the first with a view': ['FAILED', 'cannot judge the answer'],
  // Without the fault, the server does not know the member.
  'a PUT stores only the first mark': ['FAILED', 'no answer has book'],
  'a 400 contains a stack frame': ['FAILED', 'cannot judge the answer: the server answered 201; when the failure was'],
};

/** Faults of a state that the clean-up of the run may have undone. Then the message states it. */
const ofState = new Set(['the fifth PUT keeps the pages', 'the fifth patch removes the note']);

/** Without these, the server has no limit, or its settings have no schema. */
const neverFixed = new Set(['limit', 'kept']);
const ofOthers = [...jobFaults, ...childFaults, ...rateFaults, ...settingsFaults];
const ofStories = [...storyFaults, ...ofOthers.filter(({ caughtBy }) => !neverFixed.has(caughtBy.keyword))];
const ofInput = [...inputFaults, ...declaredFaults];
const all = [...libraryFaults, ...weatherFaults, ...accessFaults, ...protocolFaults, ...ofInput, ...ofStories];
/** One of every third check; the limits of time are slow. */
const chosen = [...Map.groupBy(all, ({ caughtBy }) => caughtBy.check)].flatMap(([check, [first]], index) =>
  first === undefined || check === 'slow' || index % 3 > 0 ? [] : first,
);

describe('a failure is FAILED while the fault is there, and FIXED without it', () => {
  const check = async (fault: SeededFault): Promise<void> => {
    let isOn = true;
    const { replay, close } = await find(fault, () => isOn);
    const before = await replay().finally(() => (isOn = false));
    const after = await replay().finally(close);
    const [verdict = 'FAILED', message] = unsure[fault.name] ?? [];
    const needsState = ofState.has(fault.name) && before.message.includes('needs a state');
    const verdicts = [needsState ? 'FIXED' : verdict, message === undefined ? 'FIXED' : 'CANNOT RUN'];
    expect([before.verdict, after.verdict], `${before.message}\n${after.message}`).toEqual(verdicts);
    expect(after.message).toContain(message ?? 'the check finds nothing');
  };
  test.each(chosen)('$api: $name', check);
  const rest = all.filter((fault) => !chosen.includes(fault));
  test.each(rest)('$api: $name', { tags: ['full'] }, check);
});
