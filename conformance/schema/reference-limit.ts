import type { _, Ajv2020, CodeKeywordDefinition } from 'ajv/dist/2020.js';

/** References that a value of any size may follow: they take 0.1 s. */
const leastReferences = 300_000;
/** References per part of a value, including members and items: a long list follows at least one per item. */
const referencesPerPart = 8;

/** The count for the current value: values are judged one after another. */
let current = { value: undefined as unknown, followed: 0, limit: leastReferences };

/** Call this before a value is judged. */
export function startCounting(value: unknown): void {
  current = { value, followed: 0, limit: leastReferences };
}

/**
 * Makes Ajv count the references that it follows. If a schema refers to itself twice, each level of a value doubles the work: a body of 40
 * levels could block the run.
 *
 * The validators throw a RangeError for a value that exceeds its limit.
 */
export function countReferences(engine: Ajv2020, code: typeof _): void {
  const definition = engine.getKeyword('$ref') as CodeKeywordDefinition;
  engine.removeKeyword('$ref');
  engine.addKeyword({
    ...definition,
    // Keeps the position of Ajv's own `$ref`, before all other keywords.
    before: 'const',
    code(context, type) {
      context.gen.code(code`${context.gen.scopeValue('func', { ref: countReference })}()`);
      definition.code(context, type);
    },
  });
}

function countReference(): void {
  current.followed += 1;
  if (current.followed <= current.limit) return;
  current.limit = Math.max(current.limit, referencesPerPart * countParts(current.value));
  if (current.followed > current.limit) throw new RangeError('too many references for one value');
}

function countParts(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countParts(part), 1);
}
