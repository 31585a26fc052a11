import { createRequire } from 'node:module';
import { readPattern } from '@lockstep/values/pattern';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Contract } from '../contract/contract.ts';
import { isObject, joinPointer, type Pointer, type ReportPart } from '../contract/document.ts';
import type { Polarity } from '../execute/exchange.ts';
import { type Schemas, schemasOf } from './canonical.ts';
import { type Definition, oneButForNulls } from './definition.ts';
import { createDialect, type Dialect, type Direction } from './dialect.ts';
import { formats } from './formats.ts';
import { judgeAtSight } from './judge-at-sight.ts';
import { addOwnKeywords } from './own-keywords.ts';
import { countReferences, startCounting } from './reference-limit.ts';

/** Validates values against schemas of the contract, which are compiled on first use. */
export interface Judge extends Omit<Schemas, 'dialects'> {
  /**
   * Every violation. Undefined if the value exceeds the limits of stack or references. Also undefined if there is no violation, but the
   * schema, or one that it refers to, could not be read or compiled completely (see `problems`).
   */
  readonly judge: (schema: Pointer, direction: Direction, value: unknown) => readonly Violation[] | undefined;
  /** Whether there is no violation. This costs less than `judge`: equal schemas share one validator. */
  readonly accepts: (schema: Pointer, direction: Direction, value: unknown) => boolean;
  /**
   * The polarity of a value in a request: `invalid` if lenient readers reject it too, `grey` if only some readers accept it, or if the schema
   * could not be read completely.
   */
  readonly polarityOf: (schema: Pointer, value: unknown) => Polarity;
}

/** One keyword that a value breaks. */
export interface Violation {
  /** Location in the value, `/payload/0/type`; `''` for the whole. */
  readonly at: string;
  /** Location of the keyword in the contract. */
  readonly pointer: Pointer;
  readonly keyword: string;
  /** `must be integer`. */
  readonly message: string;
  /** The property that the keyword concerns: it distinguishes two violations of one keyword. */
  readonly detail: string;
}

export function createJudge(contract: Contract): Judge {
  const { dialects, ...schemas } = schemasOf(contract);
  const sides = {
    request: createSide(dialects.request, 'strict', schemas.report),
    response: createSide(dialects.response, 'lenient', schemas.report),
  };
  const lenient = createSide(createDialect(contract.root, 'request', schemas.report, true), 'lenient', schemas.report);
  return {
    ...schemas,
    judge: (schema, direction, value) => sides[direction].judge(schema, value),
    accepts: (schema, direction, value) => sides[direction].accepts(schema, value),
    polarityOf: (schema, value) => {
      if (!sides.request.accepts(schema, value)) return lenient.accepts(schema, value) ? 'grey' : 'invalid';
      const isSure = sides.request.judge(schema, value) !== undefined;
      return isSure && !(dialects.request.hasLenientNulls() && holdsNull(value)) ? 'valid' : 'grey';
    },
  };
}

function holdsNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(holdsNull));
}

/** Limits of interpreted schemas, for one value and for all values of one definition: beyond them, compiling is faster. */
const most = { ofValue: 500, ofDefinition: 1_000 } as const;

/** The judge for one direction. */
function createSide(dialect: Dialect, side: 'strict' | 'lenient', report: ReportPart) {
  const explain = createExplainer(dialect);
  const validatorOf = createEngine(dialect, side, report);
  const read = new Map<Definition, number>();
  const atSight = (definition: Definition, value: unknown): boolean | undefined => {
    const before = read.get(definition) ?? 0;
    if (before >= most.ofDefinition) return undefined;
    const left = { schemas: most.ofValue };
    const found = judgeAtSight(definition.schema, value, { dialect, side, depth: 0, left });
    read.set(definition, before + most.ofValue - left.schemas);
    return found;
  };
  const accepts = (schema: Pointer, value: unknown): boolean => {
    const definition = dialect.definitionAt(schema);
    return atSight(definition, value) ?? validatorOf(definition)(value);
  };
  const judge = (schema: Pointer, value: unknown): readonly Violation[] | undefined => {
    const definition = dialect.definitionAt(schema);
    if (atSight(definition, value) !== true) {
      const validate = validatorOf(definition);
      if (!validate(value)) return explain(validate.errors ?? [], schema);
    }
    return dialect.isWhole(definition) ? [] : undefined;
  };
  return {
    accepts: (schema: Pointer, value: unknown) => withinLimits(value, () => accepts(schema, value), true),
    judge: (schema: Pointer, value: unknown) => withinLimits(value, () => judge(schema, value), undefined),
  };
}

/** Judging a value that exceeds the limits of stack or references has no result. */
function withinLimits<Result>(value: unknown, judge: () => Result, otherwise: Result): Result {
  startCounting(value);
  try {
    return judge();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

/** Validators of all definitions, each compiled once and shared by all references to it. */
function createEngine(
  dialect: Dialect,
  side: 'strict' | 'lenient',
  report: ReportPart,
): (definition: Definition) => ValidateFunction {
  const validators = new Map<string, ValidateFunction>();
  let engine: Ajv2020 | undefined;
  let added = 0;
  const compile = (ajv: Ajv2020, { id, pointer }: Definition): ValidateFunction | undefined => {
    try {
      return ajv.getSchema(id);
    } catch (error) {
      const fix = 'Simplify the schema. Until then, the runner does not judge its values.';
      report(pointer, `The schema cannot be judged: ${String(error)}.`, fix);
      dialect.lose(id);
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
    // References are compiled before the schema: otherwise Ajv recurses along the whole chain.
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
    const validate = validators.get(definition.id);
    if (validate === undefined) throw new Error(`no validator for ${definition.pointer}`);
    return validate;
  };
}

function createAjv(side: 'strict' | 'lenient', dialect: Dialect): Ajv2020 {
  const regExp = Object.assign((pattern: string) => readPattern(pattern) ?? { test: () => true }, {
    code: 'new RegExp',
  });
  // Ajv is loaded with the first schema to compile: most runs send their first request before that.
  const { Ajv2020, _: code }: typeof import('ajv/dist/2020.js') = createRequire(import.meta.url)('ajv/dist/2020.js');
  const engine = new Ajv2020({
    strict: false,
    // Stopping at the first error would nest conditions: 5,000 properties would overflow the stack.
    allErrors: true,
    verbose: true,
    // Without it `required: ["__proto__"]` passes for every object.
    ownProperties: true,
    inlineRefs: false,
    meta: false,
    validateSchema: false,
    logger: false,
    // Optimising would take four fifths of the time to compile, without a measurable gain.
    code: { regExp, optimize: false },
    formats: Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, format[side]])),
  });
  addOwnKeywords(engine, dialect);
  countReferences(engine, code);
  return engine;
}

/** Number of errors that are explained for one value: further items of a long list add nothing. */
const mostErrors = 1_000;

type Explainer = (errors: readonly ErrorObject[], start: Pointer) => Violation[];

/**
 * Converts Ajv's errors into violations of the contract. A failed `anyOf` or `oneOf` is one violation, not one per branch. If only one
 * branch was meant (the others require another type), its own violations replace it.
 */
function createExplainer(dialect: Dialect): Explainer {
  const parts = new WeakMap<object, ReadonlySet<unknown>>();
  const reachableFrom = (branch: unknown): ReadonlySet<unknown> => {
    if (typeof branch !== 'object' || branch === null) return new Set();
    const known = parts.get(branch) ?? reachable(branch, dialect);
    parts.set(branch, known);
    return known;
  };
  return (errors, start) => {
    let left = errors.slice(0, mostErrors).filter((error) => error.keyword !== 'if' && !isOfLeniency(error));
    for (const error of left.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
      if (!left.includes(error)) continue;
      const branches: unknown = error.schema;
      const below = (Array.isArray(branches) ? branches : []).map((branch) => {
        const inside = reachableFrom(branch);
        return left.filter(
          (other) =>
            other !== error &&
            other.instancePath.startsWith(error.instancePath) &&
            inside.has(other.parentSchema ?? other),
        );
      });
      const meant = below.filter(
        (faults) => faults.length > 0 && !faults.some((fault) => isOtherKind(fault, error.instancePath)),
      );
      const kept = meant.length === 1 ? meant[0] : undefined;
      const dropped = new Set([...below.flat(), ...(kept === undefined ? [] : [error])]);
      left = left.filter((other) => !dropped.has(other) || kept?.includes(other));
    }
    return left.map((error) => ({
      at: error.instancePath,
      pointer: joinPointer((error.parentSchema && dialect.pointerOf(error.parentSchema)) ?? start, error.keyword),
      keyword: error.keyword,
      message: describe(error),
      detail: detailOf(error),
    }));
  };
}

/** Whether an error comes from the lenient reading of a `oneOf`, whose own error suffices. */
function isOfLeniency({ keyword, schema }: ErrorObject): boolean {
  const isChoice = keyword === 'anyOf' && Array.isArray(schema);
  return keyword === oneButForNulls || (isChoice && schema.some((part) => isObject(part) && oneButForNulls in part));
}

function isOtherKind({ keyword, instancePath }: ErrorObject, at: string): boolean {
  return keyword === 'const' || (instancePath === at && (keyword === 'type' || keyword === 'enum'));
}

function reachable(schema: object, dialect: Dialect): Set<unknown> {
  const seen = new Set<unknown>([schema]);
  for (const part of seen) {
    if (typeof part !== 'object' || part === null) continue;
    if (isObject(part) && typeof part.$ref === 'string') seen.add(dialect.resolve(part.$ref)?.schema);
    for (const value of Object.values(part)) if (typeof value === 'object') seen.add(value);
  }
  return seen;
}

function detailOf({ params }: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = params;
  return String(missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName ?? '');
}

function describe(error: ErrorObject): string {
  const allowed: unknown =
    error.params.allowedValues ?? (error.keyword === 'const' ? [error.params.allowedValue] : undefined);
  const values = Array.isArray(allowed)
    ? `: ${allowed
        .slice(0, 8)
        .map((value) => JSON.stringify(value))
        .join(', ')}`
    : '';
  const name = ['additionalProperties', 'unevaluatedProperties'].includes(error.keyword) ? `: ${detailOf(error)}` : '';
  return `${error.message ?? error.keyword}${values}${name}`;
}
