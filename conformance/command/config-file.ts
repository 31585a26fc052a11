import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { ContractError } from '../contract/contract.ts';
import { arrayAt, type JsonObject, joinPointer, memberOf, splitPointer } from '../contract/document.ts';
import { messageOf } from '../contract/printable.ts';
import { readSource, type Source } from '../contract/source.ts';
import type { KnownFailure } from '../failures/finding.ts';
import { defaultConfig, type Given, type OptionRow, ofConfigFile, type RawOptions, rows, suggest } from './options.ts';

/** Options of a config file, by their names there: `base-url`. The command line replaces them one by one. */
export interface ConfigFile {
  readonly file: string;
  /** Undefined if there is no such file. */
  readonly text: string | undefined;
  /** By the names of the table, as commander passes them. */
  readonly options: RawOptions;
  /** `lockstep-conform.yaml:3 base-url` of an option that the file contains. */
  readonly labelOf: (name: string) => string | undefined;
  readonly known: readonly KnownFailure[];
  readonly faults: readonly string[];
}

const inFile = rows.filter(([name]) => !ofConfigFile.includes(name));

/** The JSON Schema of the config file, derived from the table of options; `config.schema.json` is its published copy. */
export function createConfigSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'lockstep-conform.yaml: options of the conformance runner',
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(inFile.map(([, row]) => [memberName(row), schemaOf(row)])),
      known: knownSchema,
    },
  };
}

const knownSchema = {
  description: 'accepted failures: listed apart, and not in the exit code',
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['id', 'reason', 'until'],
    properties: {
      id: {
        description:
          'the id of a finding, or the fingerprint of one of its places: eight digits from 0 to f, in quotes',
        type: 'string',
        pattern: '^[0-9a-f]{8}$',
      },
      check: { description: 'the check of the finding', type: 'string', minLength: 1 },
      operations: {
        description: 'the operations on which the failure is accepted; all if omitted',
        type: 'array',
        items: { type: 'string', minLength: 1 },
        minItems: 1,
      },
      reason: { description: 'why the failure is accepted', type: 'string', minLength: 1 },
      until: {
        description: 'the last day on which the failure is accepted, in UTC, as in 2026-12-31',
        type: 'string',
        format: 'date',
      },
    },
  },
} as const;

function memberName({ flags }: OptionRow): string {
  return /^--([\w-]+)/.exec(flags)?.[1] ?? '';
}

function hasSeveral({ flags, isRepeatable, isList }: OptionRow): boolean {
  return isRepeatable === true || isList === true || /\.\.\.>$/.test(flags);
}

function schemaOf(row: OptionRow): JsonObject {
  const { flags, about: description, env, isSecret, names } = row;
  if (isSecret) return { description: `a secret, which must not be in a file: set ${env}`, not: {} };
  if (!flags.includes('<')) return { description, type: 'boolean' };
  if (/<(number|ms)>/.test(flags)) return { description, type: 'integer', minimum: 0 };
  const one = { type: 'string', minLength: 1, ...(names && { enum: names }) };
  // A text may have several names, separated by commas: its reader checks them.
  return hasSeveral(row)
    ? { description, type: ['string', 'array'], minLength: 1, items: one }
    : { description, ...one };
}

/**
 * Reads a config file in YAML or JSON.
 *
 * @param given the value of `--config`; by default the file of the current folder, if it exists
 * @param isCreated whether the run creates the file if it does not exist
 */
export async function readConfigFile(given: string | undefined, isCreated: boolean): Promise<ConfigFile> {
  const file = given ?? defaultConfig;
  const none = { file, text: undefined, options: {}, labelOf: () => undefined, known: [], faults: [] };
  let source: Pick<Source, 'root' | 'lineOf' | 'repeated'>;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
    // A file whose lines are all comments has no root.
    source = /^\s*[^\s#]/m.test(text) ? readSource(file, text) : { root: {}, lineOf: () => 1, repeated: [] };
  } catch (error) {
    if (error instanceof ContractError)
      return { ...none, faults: error.problems.map(({ line, message }) => `${file}:${line} ${message}`) };
    if ((given === undefined || isCreated) && memberOf(error, 'code') === 'ENOENT') return none;
    return { ...none, faults: [`--config ${file} cannot be read: ${messageOf(error)}.`] };
  }
  const { root, lineOf, repeated } = source;
  const labelAt = (pointer: string): string => `${file}:${lineOf(pointer)} ${splitPointer(pointer).join('/')}`;
  const faults = [
    ...repeated.map((pointer) => `${labelAt(pointer)} is repeated.`),
    ...[...(await findFaults(root)), ...findSecrets(root)].map(
      ({ pointer, message }) => `${labelAt(pointer)} ${message}`,
    ),
  ];
  if (faults.length > 0) return { ...none, faults: [...new Set(faults)] };
  const givenRows = inFile.filter(([, row]) => Object.hasOwn(root, memberName(row)));
  return {
    file,
    text,
    faults: [],
    // Its schema has been checked.
    known: arrayAt(root, 'known') as readonly KnownFailure[],
    options: Object.fromEntries(
      givenRows.map(([name, row]) => [name, toRaw(row, root[memberName(row)], dirname(file))]),
    ),
    labelOf: (name) => {
      const [, row] = givenRows.find(([known]) => known === name) ?? [];
      return row && labelAt(joinPointer('#', memberName(row)));
    },
  };
}

/** The value as commander would pass it. A path is relative to the folder of the file; `-` is a standard stream. */
function toRaw(row: OptionRow, value: unknown, folder: string): Given {
  if (typeof value === 'boolean') return value ? true : undefined;
  const isPath = /<(file|folder)\b/.test(row.flags);
  const texts = [value]
    .flat()
    .map((one) => (isPath && !/^(https?:|-$)/i.test(String(one)) ? join(folder, String(one)) : String(one)));
  if (row.isList) return texts.join(',');
  return hasSeveral(row) ? texts : texts[0];
}

/** Headers that are credentials, whatever the contract declares. */
const secretHeader = /^(authorization|proxy-authorization|cookie)\s*:/i;

function findSecrets({ header }: JsonObject): Fault[] {
  return [header].flat().flatMap((line, index) => {
    const pointer = Array.isArray(header) ? `#/header/${index}` : '#/header';
    const message = 'is a credential, which must not be in a file: set LOCKSTEP_TOKEN or LOCKSTEP_CREDENTIAL.';
    return secretHeader.test(String(line)) ? [{ pointer, message }] : [];
  });
}

interface Fault {
  readonly pointer: string;
  readonly message: string;
}

async function findFaults(root: JsonObject): Promise<Fault[]> {
  // Most runs have no file, and start without it.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true });
  ajv.addFormat('date', isDate);
  const validate = ajv.compile(createConfigSchema());
  validate(root);
  return (validate.errors ?? []).map(describeError);
}

/** `2026-02-30` is none. */
function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const typeNames: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  string: 'a text, in quotes if it contains a colon or only digits',
  array: 'a list',
  object: 'an object',
};

/** Expectations by keyword; each gets the schema that the value breaks. */
const expectations: Readonly<Record<string, (error: ErrorObject) => string>> = {
  type: ({ schema }) =>
    `must be ${[schema]
      .flat()
      .map((type) => typeNames[String(type)])
      .join(', or ')}.`,
  minimum: ({ schema }) => `must be at least ${schema}.`,
  minLength: () => 'is empty.',
  minItems: () => 'is empty.',
  pattern: describeExpectation,
  format: describeExpectation,
  required: ({ params }) => `needs the member ${params.missingProperty}.`,
  enum: ({ schema, data }) => {
    const names = arrayAt({ schema }, 'schema').map(String);
    return `${data} does not exist.${suggest(String(data), names)} There are: ${names.join(', ')}.`;
  },
  not: ({ parentSchema }) => `is ${memberOf(parentSchema, 'description')}.`,
};

function describeExpectation({ data, parentSchema }: ErrorObject): string {
  return `${data} is not ${memberOf(parentSchema, 'description')}.`;
}

function describeError(error: ErrorObject): Fault {
  const pointer = `#${error.instancePath}`;
  if (error.keyword === 'additionalProperties') {
    const name = String(error.params.additionalProperty);
    const known = Object.keys(Object(memberOf(error.parentSchema, 'properties')));
    return { pointer: joinPointer(pointer, name), message: `is unknown.${suggest(name, known)}` };
  }
  return { pointer, message: expectations[error.keyword]?.(error) ?? `${error.message}.` };
}
