// Prints every failed test with its first lines, then the plain line `N passed, N failed`; exits 1 when anything failed.
// The failures come last because a reader of a long CI log often sees its end only.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [report, brokenSteps] = process.argv.slice(2);
const linesShown = 25;

let passed = 0;
let failed = 0;
for (const run of ['node24', 'node26']) {
  const file = `${report}/${run}.json`;
  if (!existsSync(file)) continue;
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));
  passed += numPassedTests;
  failed += numFailedTests;
  for (const suite of testResults) printFailures(run, suite);
}
// A step that broke before or outside a test (types, lint, install, a suite that does not load) still counts.
if (failed === 0) failed = Number(brokenSteps);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

/** A suite that failed without a failed test did not load: its own message says why. */
function printFailures(run, suite) {
  if (suite.status !== 'failed') return;
  const where = `${run} ${relative('.', suite.name)}`;
  const tests = suite.assertionResults.filter((test) => test.status === 'failed');
  if (tests.length === 0) print(where, suite.message);
  for (const test of tests) print(`${where} > ${test.fullName}`, test.failureMessages.join('\n'));
}

function print(title, message) {
  const shown = message.split('\n').slice(0, linesShown).join('\n  ');
  console.log(`\n== failed: ${title}\n  ${shown}`);
}
