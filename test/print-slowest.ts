import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const shown = 20;

/** The part of a test file that has its times. */
interface TimedModule {
  readonly moduleId: string;
  readonly children: {
    allTests(): Iterable<{ readonly fullName: string; diagnostic(): { readonly duration: number } | undefined }>;
  };
  /** In all: tests and hooks. */
  diagnostic(): { readonly duration: number };
}

interface Timed {
  readonly ms: number;
  readonly name: string;
}

/**
 * The slowest tests of a run, with the hooks of each file as one more, so that a new wait is seen in the run that brings it.
 *
 * Registered in vitest.config.ts in addition to the chosen reporter.
 */
export class PrintSlowest implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    process.stdout.write(formatSlowest(modules.flatMap(listTimes)));
  }
}

/** @returns a table by falling time; an empty string where nothing ran */
export function formatSlowest(times: readonly Timed[]): string {
  const slowest = times
    .filter(({ ms }) => ms > 0)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, shown);
  if (slowest.length === 0) return '';
  const lines = slowest.map(({ ms, name }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${name}\n`);
  return `\nThe slowest ${slowest.length}:\n${lines.join('')}`;
}

/** @returns a row for each test, and one for the hooks of the file */
export function listTimes(module: TimedModule): readonly Timed[] {
  const file = relative(process.cwd(), module.moduleId);
  const tests = [...module.children.allTests()].map((test) => ({
    ms: test.diagnostic()?.duration ?? 0,
    name: `${file} > ${test.fullName}`,
  }));
  const inTests = tests.reduce((sum, { ms }) => sum + ms, 0);
  return [...tests, { ms: module.diagnostic().duration - inTests, name: `${file} (hooks)` }];
}
