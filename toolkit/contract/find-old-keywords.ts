import { formatPointer } from '@lockstep/json/json-pointer';
import { listSchemas, type Visited } from './walk-document.ts';

/** A keyword of OpenAPI 3.0 in a document of 3.1, where it has no meaning or a different one. */
export interface OldKeyword {
  readonly pointer: string;
  readonly message: string;
  readonly fix: string;
}

type Schema = Visited['node'];

/** By keyword: the fault of its value, and the fix for 3.1. */
const oldKeywords: Readonly<Record<string, (schema: Schema) => Pick<OldKeyword, 'message' | 'fix'> | undefined>> = {
  nullable: ({ nullable, type }) => ({
    message: 'nullable is a keyword of OpenAPI 3.0 and has no effect in 3.1',
    fix: nullable === true ? fixNull(type) : 'Delete it.',
  }),
  exclusiveMinimum: (schema) => findBoolean(schema, 'exclusiveMinimum', 'minimum'),
  exclusiveMaximum: (schema) => findBoolean(schema, 'exclusiveMaximum', 'maximum'),
};

/**
 * Finds keywords of 3.0 in a document of 3.1. JSON Schema treats an unknown keyword as an annotation (2020-12 core, 6.5). So `nullable` is no
 * error, but null is invalid where the author meant to allow it.
 *
 * @param document parsed, of 3.1, without cycles; bundled or not
 */
export function findOldKeywords(document: unknown): readonly OldKeyword[] {
  return listSchemas(document).flatMap((place) =>
    Object.keys(oldKeywords).flatMap((keyword) => {
      const found = Object.hasOwn(place.node, keyword) ? oldKeywords[keyword]?.(place.node) : undefined;
      return found === undefined ? [] : [{ pointer: formatPointer([...place.at, keyword]), ...found }];
    }),
  );
}

function fixNull(type: unknown): string {
  if (typeof type === 'string') return `Write type: [${type}, 'null'], and null in the enum if there is one.`;
  return "Write anyOf with {type: 'null'} as one more alternative, or delete nullable if the schema needs no type.";
}

function findBoolean(
  schema: Schema,
  exclusive: string,
  bound: string,
): Pick<OldKeyword, 'message' | 'fix'> | undefined {
  if (typeof schema[exclusive] !== 'boolean') return undefined;
  const message = `${exclusive} is a boolean, as in OpenAPI 3.0; in 3.1 it is the bound itself`;
  if (schema[exclusive] === false || typeof schema[bound] !== 'number') return { message, fix: 'Delete it.' };
  return { message, fix: `Write ${exclusive}: ${schema[bound]}, and delete ${bound}.` };
}
