import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Contract, ContractProblem } from '../contract/contract.ts';
import type { Pointer } from '../contract/document.ts';
import { type CanonicalForm, createCanonicalForm } from './canonical.ts';
import type { Definition } from './definition.ts';
import { createDialect, type Dialect, type Direction } from './dialect.ts';
import type { Violation } from './explain-errors.ts';
import { createExplainer } from './explain-errors.ts';
import { formats } from './formats.ts';
import { addOwnKeywords } from './own-keywords.ts';
import { readPattern } from './pattern.ts';
import { surelyAccepts } from './surely-accepts.ts';

/** Says what is wrong with a value by a schema of the contract. Schemas are compiled when they are first needed. */
export interface Judge {
  /** Every violation; none for a schema that no judge can compile (`problems` says so). */
  readonly judge: (schema: Pointer, direction: Direction, value: unknown) => readonly Violation[];
  /** Whether there is no violation. It costs less than `judge`: schemas that read alike share one validator. */
  readonly accepts: (schema: Pointer, direction: Direction, value: unknown) => boolean;
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
    judge: (schema, direction, value) => sides[direction].judge(schema, value),
    accepts: (schema, direction, value) => sides[direction].accepts(schema, value),
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
  const entries = new Map<Pointer, Entry>();
  const alike = new Map<string, Definition>();
  const entryOf = (schema: Pointer): Entry => {
    const known = entries.get(schema) ?? { definition: dialect.definitionAt(schema), alike: undefined, uses: 0 };
    entries.set(schema, known);
    return known;
  };
  /** The first definition that reads the same: `{type: string}` stands at a thousand places and is compiled for one. */
  const firstAlike = (entry: Entry): Definition => {
    if (entry.alike !== undefined) return entry.alike;
    const { $id, ...rest } = entry.definition.schema;
    const text = JSON.stringify(rest);
    entry.alike = alike.get(text) ?? entry.definition;
    alike.set(text, entry.alike);
    return entry.alike;
  };
  const isValid = (entry: Entry, value: unknown): boolean => {
    entry.uses += 1;
    const reading = { dialect, side, depth: 0, left: { schemas: mostSchemas } };
    if (entry.uses <= usesBeforeCompiling && surelyAccepts(entry.definition.schema, value, reading)) return true;
    return validatorOf(firstAlike(entry))(value);
  };
  return {
    accepts: (schema: Pointer, value: unknown): boolean => unlessTooDeep(() => isValid(entryOf(schema), value), true),
    judge: (schema: Pointer, value: unknown): readonly Violation[] =>
      unlessTooDeep(() => {
        const entry = entryOf(schema);
        if (isValid(entry, value)) return [];
        const validate = validatorOf(entry.definition);
        return validate(value) ? [] : explain(validate.errors ?? [], schema);
      }, []),
  };
}

interface Entry {
  readonly definition: Definition;
  alike: Definition | undefined;
  uses: number;
}

/** A value nested deeper than the stack proves nothing. */
function unlessTooDeep<Result>(judge: () => Result, otherwise: Result): Result {
  try {
    return judge();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
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
