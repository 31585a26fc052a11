import { arrayAt, type JsonObject, type Pointer, type ReportPart } from '../contract/document.ts';
import { readPattern } from './pattern.ts';

const types = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];
const counts = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];
const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const asTheyAre = ['const', 'format', 'uniqueItems', 'dependentRequired'];

/** They judge nothing; values are built by them. */
const annotations = ['default', 'examples', 'readOnly', 'writeOnly', 'contentMediaType', 'contentEncoding', 'xml'];

/** One keyword without subschemas, with OpenAPI 3.0's spelling of it turned into 3.1's; nothing where it has no meaning. */
export function adaptKeyword(schema: JsonObject, keyword: string, at: Pointer, report: ReportPart): JsonObject {
  const value = schema[keyword];
  const drop = (says: string, cure: string): JsonObject => {
    report(at, says, cure);
    return {};
  };
  if (keyword === 'type') return adaptType(schema, value, drop);
  if (keyword === 'enum') {
    if (!Array.isArray(value) || value.length === 0) return drop('An enum needs values.', 'List them, or drop enum.');
    return { enum: schema.nullable === true && !value.includes(null) ? [...value, null] : value };
  }
  if (keyword === 'pattern') {
    if (typeof value === 'string' && readPattern(value) !== undefined) return { pattern: value };
    return drop(`The pattern ${JSON.stringify(value)} does not compile.`, 'Write an ECMA-262 regular expression.');
  }
  if (typeof value === 'boolean' && /^exclusiveM/.test(keyword)) return adaptExclusive(schema, keyword, value);
  if (counts.includes(keyword)) {
    if (Number.isInteger(value) && Number(value) >= 0) return { [keyword]: value };
    return drop(`${keyword} is ${JSON.stringify(value)}.`, 'Give a whole number from 0 on.');
  }
  if (numbers.includes(keyword)) {
    const isShadowed =
      /^(min|max)imum$/.test(keyword) && schema[`exclusive${keyword[0]?.toUpperCase()}${keyword.slice(1)}`] === true;
    if (typeof value === 'number') return isShadowed ? {} : { [keyword]: value };
    return drop(`${keyword} is ${JSON.stringify(value)}.`, 'Give a number.');
  }
  if (keyword === 'example') return { examples: [value, ...arrayAt(schema, 'examples')] };
  if (keyword === 'examples' && 'example' in schema) return {};
  return asTheyAre.includes(keyword) || annotations.includes(keyword) ? { [keyword]: value } : {};
}

function adaptType(schema: JsonObject, value: unknown, drop: (says: string, cure: string) => JsonObject): JsonObject {
  const named = Array.isArray(value) ? value : [value];
  if (named.length === 0 || !named.every((name) => types.includes(String(name)))) {
    return drop(`${JSON.stringify(value)} is no type.`, `Use one of ${types.join(', ')}.`);
  }
  return { type: schema.nullable === true && !named.includes('null') ? [...named, 'null'] : value };
}

/** OpenAPI 3.0: `minimum: 5, exclusiveMinimum: true`. */
function adaptExclusive(schema: JsonObject, keyword: string, value: boolean): JsonObject {
  const bound = schema[keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum'];
  return value && typeof bound === 'number' ? { [keyword]: bound } : {};
}
