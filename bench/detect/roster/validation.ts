// Validation of requests: schemas compiled from the contract, and once more with the edit of a fault.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { Json } from './state.ts';

type Edit = readonly [pointer: string, value: unknown];
const schemas = '/components/schemas';
const atClinic = '/paths/~1clinics~1{clinic}';
const absences = '~1staff~1{staffCode}~1absences~1{firstDay}';
const everyWeeks = '/properties/rotation/properties/everyWeeks';

/** The validation that each fault compiles instead of the one in the contract. */
export const edits: Readonly<Record<string, Edit>> = {
  'size-without-maximum': ['/components/parameters/Size/schema/maximum', undefined],
  'shift-minutes-any-step': [`${schemas}/NewShift/properties/minutes/multipleOf`, undefined],
  'shift-minutes-below-maximum': [`${schemas}/NewShift/properties/minutes/exclusiveMaximum`, 720],
  'shift-skills-repeated': [`${schemas}/NewShift/properties/skills/uniqueItems`, false],
  'shift-tags-required': [`${schemas}/NewShift/required`, ['day', 'starts', 'minutes', 'ward', 'tags']],
  'shift-rate-without-agency': [`${schemas}/NewShift/dependentRequired`, undefined],
  'shift-tags-ascii': [`${schemas}/Tags/additionalProperties/pattern`, '^[ -~]*$'],
  'shift-clinic-from-body': [`${schemas}/NewShift/properties/clinic`, { type: 'string' }],
  'status-filter-unchecked': [`${atClinic}~1shifts/get/parameters/2/schema/items`, { type: 'string' }],
  'certificate-unanchored': [`${schemas}/Certificate/properties/reference/pattern`, '[A-Z]{2}-[0-9]{6}'],
  'sick-without-certificate': [`${schemas}/NewAbsence/then`, undefined],
  'absence-kind-forgotten': [`${schemas}/AbsenceKind/enum`, ['holiday', 'sick', 'training']],
  'absence-note-null': [`${schemas}/NewAbsence/properties/note`, { type: 'string', maxLength: 200 }],
  'first-day-unchecked': [`${atClinic}${absences}/parameters/2/schema`, {}],
  'demand-additional': [`${schemas}/Block/properties/demand/items/additionalProperties`, true],
  'demand-count-zero': [`${schemas}/Block/properties/demand/items/properties/count/minimum`, 0],
  'rotation-weeks-text': [`${schemas}/WeeklyPattern${everyWeeks}/type`, ['integer', 'string']],
  'reason-in-bytes': [`${schemas}/NewSwap/properties/reason/maxBytes`, 60],
};

const contractText = readFileSync(join(import.meta.dirname, 'contract.yaml'), 'utf8');
export type Compile = (pointer: string) => ValidateFunction;
const bytesAtMost = (most: number, text: string) => Buffer.byteLength(text) <= most;
export const compileContract = (edit?: Edit): Compile => {
  const document = parse(contractText);
  if (edit) setAt(document, edit[0], edit[1]);
  const ajv = new Ajv2020({ strict: false, useDefaults: true });
  ajvFormats.default(ajv, { mode: 'full' });
  ajv.addKeyword({ keyword: 'maxBytes', type: 'string', validate: bytesAtMost });
  ajv.addSchema(document, 'contract', true);
  const known = new Map<string, ValidateFunction>();
  return (pointer) => {
    const validate = known.get(pointer) ?? ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
    known.set(pointer, validate);
    return validate;
  };
};
const contract = parse(contractText);
export const byContract = compileContract();

function getAt(document: Json, pointer: string): Json {
  const names = pointer.split('/').slice(1);
  return names.reduce<Json>((node, name) => node[name.replaceAll('~1', '/').replaceAll('~0', '~')] as Json, document);
}

const pathOf = (path: string) => `/paths/${path.replaceAll('/', '~1')}`;
const follow = (part: Json): Json => (part.$ref ? getAt(contract, String(part.$ref).slice(1)) : part);

/** Where the schema of a body is. */
export const bodyOf = (path: string, method: string, type: string) =>
  `${pathOf(path)}/${method.toLowerCase()}/requestBody/content/${type.replaceAll('/', '~1')}/schema`;

/** The parameters of an operation, each with the place of its schema. */
export function parametersOf(path: string, method: string) {
  const own = method === 'HEAD' ? 'get' : method.toLowerCase();
  return [`${pathOf(path)}/parameters`, `${pathOf(path)}/${own}/parameters`].flatMap((list) =>
    ((getAt(contract, list) ?? []) as unknown as Json[]).map((listed, i) => {
      const { name, in: place, schema } = follow(listed) as { name: string; in: string; schema: Json };
      const pointer = `${typeof listed.$ref === 'string' ? listed.$ref.slice(1) : `${list}/${i}`}/schema`;
      return { name, in: place, pointer, type: follow(schema).type, whenAbsent: schema.default };
    }),
  );
}

function setAt(document: Json, pointer: string, value: unknown): void {
  const cut = pointer.lastIndexOf('/');
  getAt(document, pointer.slice(0, cut))[pointer.slice(cut + 1)] = value;
}

/** The value with defaults, or the first violation. A value that is judged twice is copied, since defaults change it. */
export function judge(validate: ValidateFunction, given: unknown, twice = false): { error?: string; value: unknown } {
  const value = twice ? structuredClone(given) : given;
  if (validate(value)) return { value };
  const { instancePath, message } = validate.errors?.at(-1) ?? {};
  return { error: `${instancePath || 'It'} ${message}`, value };
}
