import { checkSync, type Diagnostics } from 'recheck';
import type { Oas3Rule } from 'redocly-core';
import { patternFault } from './pattern-compiles.ts';
import { schemaPatterns } from './reading/schema-patterns.ts';

// Recheck would otherwise start a worker that looks for a Java or native binary: its own JavaScript build needs neither.
process.env.RECHECK_SYNC_BACKEND = 'pure';

/**
 * No string makes a pattern slow: matching takes time linear in the string's length.
 *
 * `maxLength` does not help: a validator that reports every fault tries the pattern on a string of any length, and
 * 64 KiB against a quadratic one block the process for 4.6 s (measured, Node 24).
 */
export const patternIsLinear: Oas3Rule = () => ({
  Schema(schema, { report, location }) {
    for (const pattern of schemaPatterns(schema, location)) {
      if (patternFault(pattern.source) !== undefined) continue;
      const attack = findAttack(pattern.source);
      if (attack === undefined) continue;
      report({
        message: `The pattern ${pattern.source} ${attack}.`,
        suggest: ['Let neighbouring repetitions match no character in common, and anchor the pattern with ^.'],
        location: pattern.location,
      });
    }
  },
});

/**
 * A pattern that takes longer counts as not proven. Measured: 1 to 350 ms for the patterns of a contract, 1 s for the fuzzing checker.
 * The limit is much higher, so that a busy machine finds the same faults as an idle one.
 */
const checkTimeoutMs = 60_000;

/** More characters read than this on a string of 300,000 means that each was read some hundred times. */
const attackLimitCharacters = 30_000_000;

const verdicts = new Map<string, string | undefined>();

/** Describes how a string can slow this pattern down; undefined if its running time is proven linear. */
export function findAttack(source: string): string | undefined {
  if (!verdicts.has(source)) verdicts.set(source, describe(diagnose(source)));
  return verdicts.get(source);
}

/**
 * The automaton checker proves its result, but does not support look-around and back-references. For those the fuzzing
 * checker is used, which is repeatable because its seed is fixed and its own limits count characters, not time.
 */
function diagnose(source: string): Diagnostics {
  const proof = checkSync(source, 'u', { checker: 'automaton', timeout: checkTimeoutMs });
  if (proof.status !== 'unknown' || proof.error.kind !== 'unsupported') return proof;
  return checkSync(source, 'u', {
    checker: 'fuzz',
    randomSeed: 0,
    attackLimit: attackLimitCharacters,
    timeout: checkTimeoutMs,
    attackTimeout: null,
    incubationTimeout: null,
    seedingTimeout: null,
  });
}

function describe(diagnostics: Diagnostics): string | undefined {
  switch (diagnostics.status) {
    case 'safe':
      return undefined;
    case 'vulnerable': {
      const { complexity, attack } = diagnostics;
      const degree =
        complexity.type === 'polynomial' ? `polynomial time, degree ${complexity.degree}` : 'exponential time';
      return `takes ${degree}, for example on ${attack.pattern}`;
    }
    case 'unknown':
      return `could not be proven fast (${diagnostics.error.kind})`;
  }
}
