import type { _, Ajv2020, CodeKeywordDefinition } from 'ajv/dist/2020.js';

/** References followed for one value, whatever its size: 0.1 s of them. */
const leastReferences = 300_000;
/** For each part of a value, its members and items included: a long list takes as many as it has items. */
const referencesPerPart = 8;

/** Those of the value that is being judged: values are judged one after the other. */
let current = { value: undefined as unknown, followed: 0, limit: leastReferences };

/** To be called before a value is judged. */
export function startCounting(value: unknown): void {
  current = { value, followed: 0, limit: leastReferences };
}

/**
 * Has Ajv count the references that it follows. Where a schema refers to itself by two ways, each level of a value doubles the work: a server
 * could hold the run for ever with a body of 40 levels.
 *
 * The validators throw a RangeError for a value that takes more than it may.
 */
export function countReferences(engine: Ajv2020, code: typeof _): void {
  const definition = engine.getKeyword('$ref') as CodeKeywordDefinition;
  engine.removeKeyword('$ref');
  engine.addKeyword({
    ...definition,
    // Where it stood: before all that stand beside it.
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
