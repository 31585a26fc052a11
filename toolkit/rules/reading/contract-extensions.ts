import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const folder = new URL('../../extensions/', import.meta.url);
const ending = '.schema.json';

/** One extension: its valid values, and the places where it has a meaning. */
export interface ContractExtension {
  readonly isValid: ValidateFunction;
  /**
   * Its places, in Redocly's names for the objects of a document: `Operation` for one of any method, `Operation.get` for
   * one of this method, `anything` for any object.
   */
  readonly standsOn: readonly string[];
  /** Folders of the code that reads it; empty if none does yet. */
  readonly readBy: readonly string[];
}

/** Members of a schema file about the extension itself. */
interface ExtensionSchema {
  readonly 'x-stands-on'?: readonly string[];
  readonly 'x-read-by'?: readonly string[];
}

/** Extensions of the documentation tool, which validates them itself. */
const documentationExtensions = ['x-codeSamples', 'x-displayName', 'x-logo', 'x-tagGroups'];

/** The contract extensions, one for each `toolkit/extensions/<name>.schema.json`. */
export const contractExtensions: ReadonlyMap<string, ContractExtension> = readExtensions();

/** Every member name starting with `x-` that a contract may have. */
export const knownExtensions: readonly string[] = [...contractExtensions.keys(), ...documentationExtensions];

function readExtensions(): Map<string, ContractExtension> {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const names = { type: 'array', items: { type: 'string' } };
  ajv.addKeyword({ keyword: 'x-stands-on', metaSchema: { ...names, minItems: 1 } });
  ajv.addKeyword({ keyword: 'x-read-by', metaSchema: names });
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .sort();
  const schemas = files.map((file) => ({
    name: file.slice(0, -ending.length),
    schema: JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as ExtensionSchema,
  }));
  for (const { schema } of schemas) ajv.addSchema(schema);
  return new Map(
    schemas.map(({ name, schema }) => {
      const { 'x-stands-on': standsOn, 'x-read-by': readBy } = schema;
      if (standsOn === undefined) throw new Error(`${name}${ending} lacks x-stands-on, the places of the extension`);
      if (readBy === undefined)
        throw new Error(`${name}${ending} lacks x-read-by, the folders that read the extension`);
      return [name, { isValid: ajv.compile(schema), standsOn, readBy }];
    }),
  );
}
