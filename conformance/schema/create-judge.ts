import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Contract, ContractProblem } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import { type CanonicalForm, createCanonicalForm } from './canonical.ts';
import type { Definition } from './definition.ts';
import { createDialect, type Dialect, type Direction } from './dialect.ts';
import { createExplainer, type Violation } from './explain-errors.ts';
import { formats } from './formats.ts';
import { addOwnKeywords } from './own-keywords.ts';
import { readPattern } from './pattern.ts';
import { surelyAccepts } from './surely-accepts.ts';

/** Says what is wrong with a value by a schema of the contract. Schemas are compiled when they are first needed. */
export interface Judge {
  /** Every violation; none for a schema that no judge can compile (`problems` says so). */
  readonly judge: (schema: Pointer, direction: Direction, value: unknown) => readonly Violation[];
  /** The schemas as each direction reads them, in the form that values are built from. */
  readonly forms: Readonly<Record<Direction, CanonicalForm>>;
  /** Parts that could not be built so far. */
  readonly problems: () => readonly ContractProblem[];
  /** Adds one to them, once. */
  readonly report: (pointer: Pointer, says: string, cure: string) => void;
}

export function createJudge(contract: Contract): Judge {
  const problems = new Map<string, ContractProblem>();
  const report = (pointer: Pointer, says: string, cure: string): void => {
    const key = `${pointer} ${says}`;
    if (!problems.has(key)) problems.set(key, { pointer, line: contract.lineOf(pointer), says, cure });
  };
  const dialects = {
    request: createDialect(contract.root, 'request', report),
    response: createDialect(contract.root, 'response', report),
  };
  const sides = {
    request: createSide(dialects.request, 'strict', report),
    response: createSide(dialects.response, 'lenient', report),
  };
  return {
    forms: { request: createCanonicalForm(dialects.request), response: createCanonicalForm(dialects.response) },
    report,
    problems: () => [...problems.values()],
    judge: (schema, direction, value) => sides[direction](schema, value),
  };
}

/** To compile a schema pays from here on. */
const usesBeforeCompiling = 8;

/** That may be read for one value. */
const mostSchemas = 500;

type Report = (pointer: Pointer, says: string, cure: string) => void;

/** One direction. */
function createSide(dialect: Dialect, side: 'strict' | 'lenient', report: Report) {
  const explain = createExplainer(dialect);
  const validatorOf = createEngine(dialect, side, report);
  const entries = new Map<Pointer, { readonly definition: Definition; uses: number }>();
  return (schema: Pointer, value: unknown): readonly Violation[] => {
    let entry = entries.get(schema);
    if (entry === undefined) {
      entry = { definition: dialect.definitionAt(schema), uses: 0 };
      entries.set(schema, entry);
    }
    entry.uses += 1;
    if (
      entry.uses <= usesBeforeCompiling &&
      surelyAccepts(entry.definition.schema, value, { dialect, side, depth: 0, left: { schemas: mostSchemas } })
    ) {
      return [];
    }
    try {
      const validate = validatorOf(entry.definition);
      return validate(value) ? [] : explain(validate.errors ?? [], schema);
    } catch (error) {
      // A value nested deeper than the stack proves nothing.
      if (error instanceof RangeError) return [];
      throw error;
    }
  };
}

/** Validators of all definitions, each compiled once and shared by whatever refers to it. */
function createEngine(
  dialect: Dialect,
  side: 'strict' | 'lenient',
  report: Report,
): (definition: Definition) => ValidateFunction {
  const validators = new Map<string, ValidateFunction>();
  let engine: Ajv2020 | undefined;
  let added = 0;
  const compile = (ajv: Ajv2020, { id, pointer }: Definition): ValidateFunction | undefined => {
    try {
      return ajv.getSchema(id);
    } catch (error) {
      const cure = 'Simplify it; values here are not judged.';
      report(pointer, `The schema cannot be judged: ${String(error)}.`, cure);
      ajv.removeSchema(id);
      return ajv.addSchema({ $id: id }).getSchema(id);
    }
  };
  return (definition) => {
    const known = validators.get(definition.id);
    if (known !== undefined) return known;
    engine ??= createAjv(side, dialect);
    for (const { schema } of dialect.definitions.slice(added)) engine.addSchema(schema);
    added = dialect.definitions.length;
    // What a schema refers to is compiled before it: left to itself, the engine goes down a chain on the stack.
    const waiting = [{ definition, isReady: false }];
    const met = new Set<string>();
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { id, refersTo } = next.definition;
      if (next.isReady) {
        const validate = compile(engine, next.definition);
        if (validate !== undefined) validators.set(id, validate);
      } else if (!met.has(id) && !validators.has(id)) {
        met.add(id);
        waiting.push({ definition: next.definition, isReady: true });
        for (const other of refersTo) {
          const part = dialect.resolve(other);
          if (part !== undefined) waiting.push({ definition: part, isReady: false });
        }
      }
    }
    const made = validators.get(definition.id);
    if (made === undefined) throw new Error(`no validator for ${definition.pointer}`);
    return made;
  };
}

function createAjv(side: 'strict' | 'lenient', dialect: Dialect): Ajv2020 {
  const regExp = Object.assign((pattern: string) => readPattern(pattern) ?? { test: () => true }, {
    code: 'new RegExp',
  });
  const engine = new Ajv2020({
    strict: false,
    // To stop at the first error nests one condition in another: 5,000 properties would overflow the stack.
    allErrors: true,
    verbose: true,
    // Without it `required: ["__proto__"]` passes for every object.
    ownProperties: true,
    inlineRefs: false,
    meta: false,
    validateSchema: false,
    logger: false,
    // Optimising takes four fifths of the time to compile and gains nothing that was measurable.
    code: { regExp, optimize: false },
    formats: Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, format[side]])),
  });
  addOwnKeywords(engine, dialect);
  return engine;
}
