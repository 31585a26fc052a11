import { type Ajv, type CodeKeywordDefinition, _ as code, type ErrorObject } from 'ajv';

/** References that the validation of any value may follow: it takes 0.1 s. */
const leastReferences = 300_000;
/** Further references for each member and item of a value. */
const referencesPerPart = 8;

const spent = new Error('the references that one value may take are spent');

let followed = 0;
let limit = leastReferences;
let root: unknown;

/**
 * Makes Ajv count the references that it follows. If a schema refers to itself in two ways, as `N: {allOf: [X, Y]}` where X and Y both have a
 * member `n` of `N`, every level of a value doubles the work: 26 levels blocked the process for 12.5 s.
 */
export function countReferences(ajv: Pick<Ajv, 'getKeyword' | 'removeKeyword' | 'addKeyword'>): void {
  const definition = ajv.getKeyword('$ref') as CodeKeywordDefinition;
  ajv.removeKeyword('$ref');
  ajv.addKeyword({
    ...definition,
    // The position of the original keyword, ahead of its siblings.
    before: 'const',
    code(context, type) {
      context.gen.code(code`${context.gen.scopeValue('func', { ref: countReference })}()`);
      definition.code(context, type);
    },
  });
}

function countReference(): void {
  followed += 1;
  if (followed <= limit) return;
  // Only few values exceed the limit, such as long lists: each item may need a reference. So parts are counted here.
  limit = Math.max(limit, referencesPerPart * countParts(root));
  if (followed > limit) throw spent;
}

function countParts(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countParts(part), 1);
}

/**
 * Validates one value within the bound of references.
 *
 * @returns the faults; beyond the bound, a fault about it
 */
export function judgeWithReferences(
  value: unknown,
  findFault: (value: unknown) => readonly ErrorObject[] | undefined,
): readonly ErrorObject[] | undefined {
  followed = 0;
  limit = leastReferences;
  root = value;
  try {
    return findFault(value);
  } catch (error) {
    if (error !== spent) throw error;
    const message = 'is nested too deeply for its schema, which refers to itself in several ways: use fewer levels';
    return [{ keyword: '$ref', instancePath: '', schemaPath: '', params: {}, message, data: value }];
  } finally {
    root = undefined;
  }
}
