// Prints every failed test with its first lines, then the plain line `N passed, N failed`; exits 1 when anything failed.
// The failures come last because a reader of a long CI log often sees its end only.
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [report, brokenSteps] = process.argv.slice(2);
const linesShown = 15;

let passed = 0;
let failed = 0;
for (const file of readdirSync(report).sort()) {
  const run = file.replace('.json', '');
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(`${report}/${file}`, 'utf8'));
  passed += numPassedTests;
  failed += numFailedTests;
  for (const suite of testResults) failed += printFailures(run, suite);
}
// A step that broke before or outside a test (types, lint, install, an error that nobody caught) still counts.
if (failed === 0 && Number(brokenSteps) > 0) {
  failed = Number(brokenSteps);
  console.log('\n== failed: a step, outside of every test. What it printed stands above its own line of "== failed".');
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

/** @returns 1 for a suite that failed by itself, as where it does not load or a hook breaks: it is in no count of tests */
function printFailures(run, suite) {
  if (suite.status !== 'failed') return 0;
  const where = `${run} ${relative('.', suite.name)}`;
  const tests = suite.assertionResults.filter((test) => test.status === 'failed');
  for (const test of tests) print(`${where} > ${test.fullName}`, test.failureMessages.join('\n'));
  if (suite.message) print(where, suite.message);
  return suite.message ? 1 : 0;
}

/** Without the frames of the runner, which are the same everywhere. */
function print(title, message) {
  const lines = message.split('\n').filter((line) => !line.includes('/node_modules/'));
  console.log(`\n== failed: ${title}\n  ${lines.slice(0, linesShown).join('\n  ')}`);
}
