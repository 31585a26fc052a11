import { formatPointer } from '@lockstep/json/json-pointer';
import { listSchemas, type Visited } from './walk-document.ts';

/** A keyword of OpenAPI 3.0 in a document of 3.1, where it says nothing or something else. */
export interface OldKeyword {
  readonly pointer: string;
  readonly message: string;
  readonly fix: string;
}

type Schema = Visited['node'];

/** By keyword: what is wrong with its value, and what 3.1 writes instead. */
const oldKeywords: Readonly<Record<string, (schema: Schema) => Pick<OldKeyword, 'message' | 'fix'> | undefined>> = {
  nullable: ({ nullable, type }) => ({
    message: 'nullable is a word of OpenAPI 3.0: in 3.1 it has no effect',
    fix: nullable === true ? fixNull(type) : 'Delete it.',
  }),
  exclusiveMinimum: (schema) => findBoolean(schema, 'exclusiveMinimum', 'minimum'),
  exclusiveMaximum: (schema) => findBoolean(schema, 'exclusiveMaximum', 'maximum'),
};

/**
 * Finds what is left of 3.0 in a document of 3.1. JSON Schema takes an unknown keyword for a note (2020-12 core, 6.5), so that `nullable` is
 * no error; it has no effect either, and null is refused where somebody meant to allow it.
 *
 * @param document parsed, of 3.1, without cycles; bundled or not
 */
export function findOldKeywords(document: unknown): readonly OldKeyword[] {
  return listSchemas(document).flatMap(({ at, node }) =>
    Object.keys(oldKeywords).flatMap((keyword) => {
      const found = Object.hasOwn(node, keyword) ? oldKeywords[keyword]?.(node) : undefined;
      return found === undefined ? [] : [{ pointer: formatPointer([...at, keyword]), ...found }];
    }),
  );
}

function fixNull(type: unknown): string {
  if (typeof type === 'string') return `Write type: [${type}, 'null'], and null in the enum if there is one.`;
  return "Write anyOf with {type: 'null'} as one more alternative, or delete it where no type is asked for.";
}

function findBoolean(
  schema: Schema,
  exclusive: string,
  bound: string,
): Pick<OldKeyword, 'message' | 'fix'> | undefined {
  if (typeof schema[exclusive] !== 'boolean') return undefined;
  const message = `${exclusive} is a boolean, as OpenAPI 3.0 has it: in 3.1 it is the bound itself`;
  if (schema[exclusive] === false || typeof schema[bound] !== 'number') return { message, fix: 'Delete it.' };
  return { message, fix: `Write ${exclusive}: ${schema[bound]}, and delete ${bound}.` };
}
