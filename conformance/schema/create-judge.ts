import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Contract, ContractProblem } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import { type AdaptedSchema, adaptSchema, type Direction } from './adapt-schema.ts';

import { explainErrors } from './explain-errors.ts';
import { formats } from './formats.ts';
import { readPattern } from './pattern.ts';
import type { Violation } from './violation.ts';

/** Says what is wrong with a value by a schema of the contract. Schemas are compiled when they are first needed. */
export interface Judge {
  /** Every violation; none for a schema that no judge can compile (`problems` says so). */
  readonly judge: (schema: Pointer, direction: Direction, value: unknown) => readonly Violation[];
  /** Parts that could not be built so far. */
  readonly problems: () => readonly ContractProblem[];
}

export function createJudge(contract: Contract): Judge {
  const problems: ContractProblem[] = [];
  const report = (pointer: Pointer, says: string, cure: string): void => {
    if (problems.some((known) => known.pointer === pointer && known.says === says)) return;
    problems.push({ pointer, line: contract.lineOf(pointer), says, cure });
  };
  const engines = { request: createEngine('strict'), response: createEngine('lenient') };
  const compiled = new Map<string, { adapted: AdaptedSchema; validate: ValidateFunction | undefined }>();

  const compile = (schema: Pointer, direction: Direction) => {
    const key = `${direction} ${schema}`;
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const adapted = adaptSchema(contract.root, schema, direction, report);
    const entry = { adapted, validate: tryCompile(engines[direction], adapted, schema, report) };
    compiled.set(key, entry);
    return entry;
  };

  return {
    problems: () => problems,
    judge: (schema, direction, value) => {
      const { adapted, validate } = compile(schema, direction);
      if (validate === undefined || validate(value)) return [];
      return explainErrors(validate.errors ?? [], adapted, schema);
    },
  };
}

function tryCompile(
  engine: Ajv2020,
  adapted: AdaptedSchema,
  pointer: Pointer,
  report: (pointer: Pointer, says: string, cure: string) => void,
): ValidateFunction | undefined {
  try {
    return engine.compile(adapted.schema);
  } catch (error) {
    report(pointer, `The schema cannot be judged: ${String(error)}.`, 'Simplify it; values here are not judged.');
    return undefined;
  }
}

function createEngine(side: 'strict' | 'lenient'): Ajv2020 {
  const regExp = Object.assign((pattern: string) => readPattern(pattern) ?? { test: () => true }, {
    code: 'new RegExp',
  });
  return new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    // Without it `required: ["__proto__"]` passes for every object.
    ownProperties: true,
    inlineRefs: false,
    // 4.35 is a multiple of 0.01, whatever binary fractions say.
    multipleOfPrecision: 9,
    validateSchema: false,
    logger: false,
    code: { regExp },
    formats: Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, format[side]])),
  });
}
