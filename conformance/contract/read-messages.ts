import type { HeaderObject, Link, MediaContent, ResponseObject } from './contract.ts';
import { childOf, follow, joinPointer, type Place, type ReportPart } from './document.ts';
import { isObject, type JsonObject, memberOf, objectAt, textAt } from './json.ts';

export function readResponses(root: JsonObject, place: Place, report: ReportPart): ResponseObject[] {
  const names = Object.keys(isObject(place.value) ? place.value : {}).filter((name) => !name.startsWith('x-'));
  if (isObject(place.value) && names.length === 0) {
    const rule = 'OpenAPI, Responses Object: it MUST contain at least one response code';
    report(place.pointer, 'No response is described.', 'Describe at least one status, or default.', rule);
  }
  return names
    .filter((status) => {
      if (/^([1-5](\d\d|xx)|default)$/i.test(status)) return true;
      report(joinPointer(place.pointer, status), `${status} is no status.`, 'Write one as 200, 4XX or default.');
      return false;
    })
    .flatMap((status): ResponseObject[] => {
      const response = follow(root, childOf(place, status), report);
      if (response === undefined || !isObject(response.value)) return [];
      return [
        {
          status,
          pointer: response.pointer,
          headers: readHeaders(root, response, report),
          contents: readContents(root, childOf(response, 'content'), report),
          links: readLinks(root, response, report),
        },
      ];
    });
}

function readHeaders(root: JsonObject, response: Place, report: ReportPart): HeaderObject[] {
  return Object.keys(objectAt(response.value, 'headers')).flatMap((name): HeaderObject[] => {
    const header = follow(root, childOf(response, 'headers', name), report);
    // The Response Object says that Content-Type is described by `content` alone.
    if (header === undefined || !isObject(header.value) || name.toLowerCase() === 'content-type') return [];
    const schema = header.value.schema === undefined ? undefined : childOf(header, 'schema').pointer;
    const { required, explode } = header.value;
    return [{ name, pointer: header.pointer, required: required === true, explode: explode === true, schema }];
  });
}

function readLinks(root: JsonObject, response: Place, report: ReportPart): Link[] {
  return Object.keys(objectAt(response.value, 'links')).flatMap((name): Link[] => {
    const link = follow(root, childOf(response, 'links', name), report);
    if (link === undefined || !isObject(link.value)) return [];
    const to = textAt(link.value, 'operationId') ?? idByReference(root, textAt(link.value, 'operationRef'));
    return to === undefined ? [] : [{ pointer: link.pointer, to, parameters: objectAt(link.value, 'parameters') }];
  });
}

function idByReference(root: JsonObject, reference: string | undefined): string | undefined {
  if (reference === undefined || !reference.startsWith('#')) return undefined;
  const operation = follow(root, { value: { $ref: reference }, pointer: reference });
  return textAt(operation?.value, 'operationId');
}

/** The `content` map of a body, response, parameter or header. */
export function readContents(root: JsonObject, place: Place, report: ReportPart): MediaContent[] {
  if (!isObject(place.value)) return [];
  return Object.keys(place.value).flatMap((mediaType): MediaContent[] => {
    const media = follow(root, childOf(place, mediaType), report);
    if (media === undefined || !isObject(media.value)) return [];
    return [
      {
        mediaType,
        pointer: media.pointer,
        schema: media.value.schema === undefined ? undefined : childOf(media, 'schema').pointer,
        examples: readExamples(root, media, report),
        encoding: objectAt(media.value, 'encoding'),
      },
    ];
  });
}

/** Values of `example` and `examples` of a media type, parameter or header, in the order of the document. */
export function readExamples(root: JsonObject, holder: Place, report: ReportPart): unknown[] {
  const single = memberOf(holder.value, 'example');
  const named = Object.keys(objectAt(holder.value, 'examples')).flatMap((name) => {
    const example = follow(root, childOf(holder, 'examples', name), report);
    const value = memberOf(example?.value, 'value');
    return value === undefined ? [] : [value];
  });
  return single === undefined ? named : [single, ...named];
}
