import { isDateTime } from '@lockstep/runtime/form/is-date-time';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type ImportFile, importSchema } from './import-schema.ts';

/** The file once it has the form of one, or everything in which it hasn't: JSON pointer and reason. */
export type ReadImport =
  | { readonly kind: 'file'; readonly file: ImportFile }
  | { readonly kind: 'faults'; readonly faults: readonly string[] };

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);
ajv.addFormat('date-time', { type: 'string', validate: isDateTime });
const fits = ajv.compile<ImportFile>(importSchema);

/** Reads the bytes of an import file, UTF-8 with or without a byte order mark. What it says is judged by `findImportFaults`. */
export function readImportFile(bytes: Uint8Array): ReadImport {
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'faults', faults: [`# is not JSON: ${error.message}`] };
    return { kind: 'faults', faults: ['# is not UTF-8: save the file in that encoding'] };
  }
  if (!fits(file)) return { kind: 'faults', faults: (fits.errors ?? []).map(describeError) };
  return { kind: 'file', file };
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  const extra =
    'additionalProperty' in params
      ? `: ${params.additionalProperty}`
      : 'allowedValues' in params
        ? `: ${params.allowedValues.join(', ')}`
        : '';
  return `#${instancePath} ${message}${extra}`;
}
