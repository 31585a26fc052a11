import type { Parameter } from './contract.ts';
import { isObject, type JsonObject, textAt } from './json.ts';
import { childOf, type Place, type ReportPart } from './place.ts';
import { readContents, readExamples } from './read-contents.ts';

/** Style where none is written (OpenAPI 3.1, Parameter Object). */
const defaultStyles = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;

/** Header parameters that OpenAPI says to ignore: they are written by content negotiation and security. */
const ignoredHeaders: readonly string[] = ['accept', 'content-type', 'authorization'];

export function readParameter(root: JsonObject, place: Place, report: ReportPart): Parameter | undefined {
  const value = isObject(place.value) ? place.value : {};
  const name = textAt(value, 'name');
  const where = textAt(value, 'in');
  if (name === undefined || !isPlace(where)) {
    report(
      place.pointer,
      'The parameter has no name, or no known place in `in`.',
      'Write name, and in: path, query, header or cookie.',
    );
    return undefined;
  }
  if (where === 'header' && ignoredHeaders.includes(name.toLowerCase())) return undefined;
  const style = textAt(value, 'style') ?? defaultStyles[where];
  const content = readContents(root, childOf(place, 'content'), report)[0];
  return {
    name,
    in: where,
    required: where === 'path' || value.required === true,
    style,
    explode: typeof value.explode === 'boolean' ? value.explode : style === 'form',
    allowReserved: value.allowReserved === true,
    pointer: place.pointer,
    schema: content?.schema ?? (value.schema === undefined ? undefined : childOf(place, 'schema').pointer),
    mediaType: content?.mediaType,
    examples: [...readExamples(root, place, report), ...(content?.examples ?? [])],
    rule: value['x-rule'],
  };
}

function isPlace(where: string | undefined): where is Parameter['in'] {
  return where !== undefined && Object.hasOwn(defaultStyles, where);
}
