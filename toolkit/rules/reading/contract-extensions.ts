import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const folder = new URL('../../extensions/', import.meta.url);
const ending = '.schema.json';

/** Extensions of the documentation tool, which judges them itself. */
const documentationExtensions = ['x-codeSamples', 'x-displayName', 'x-logo', 'x-tagGroups'];

/** The contract extensions with the check of their values: one for each `toolkit/extensions/<name>.schema.json`. */
export const contractExtensions: ReadonlyMap<string, ValidateFunction> = readExtensions();

/** Every member name starting with `x-` that a contract may have. */
export const knownExtensions: readonly string[] = [...contractExtensions.keys(), ...documentationExtensions];

function readExtensions(): Map<string, ValidateFunction> {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .sort();
  const schemas = files.map((file) => ({
    name: file.slice(0, -ending.length),
    schema: JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as object,
  }));
  for (const { schema } of schemas) ajv.addSchema(schema);
  return new Map(schemas.map(({ name, schema }) => [name, ajv.compile(schema)]));
}
