import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';
import base from '../../vitest.config.ts';

/** The project's own configuration, with the test files in the order of `MUTANT_TESTS`. Writes the result of each to `MUTANT_EVENTS`. */
const { MUTANT_TESTS = '', MUTANT_EVENTS = '' } = process.env;
const root = new URL('../..', import.meta.url).pathname;
const nameOf = (path: string): string => relative(root, path);

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const order: string[] = JSON.parse(readFileSync(MUTANT_TESTS, 'utf8'));
    const place = ({ moduleId }: TestSpecification) => order.indexOf(nameOf(moduleId));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

const tell = (event: object): void => appendFileSync(MUTANT_EVENTS, `${JSON.stringify(event)}\n`);
const reporter: Reporter = {
  onTestModuleQueued: ({ moduleId }: TestModule) => tell({ begun: nameOf(moduleId) }),
  onTestModuleEnd(module: TestModule) {
    const failed = [...module.children.allTests('failed')].map(({ fullName }) => fullName)[0];
    tell({ ended: nameOf(module.moduleId), ...(module.ok() ? {} : { failed: failed ?? 'the file' }) });
  },
};

export default mergeConfig(base, { test: { sequence: { sequencer: NearestFirst }, reporters: [reporter] } });
