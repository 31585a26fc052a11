import type { HeaderObject, Link, ResponseObject } from './contract.ts';
import { isObject, type JsonObject, objectAt, textAt } from './json.ts';
import { childOf, follow, type Place, type ReportPart } from './place.ts';
import { readContents } from './read-contents.ts';

export function readResponses(root: JsonObject, place: Place, report: ReportPart): ResponseObject[] {
  return Object.keys(isObject(place.value) ? place.value : {})
    .filter((status) => /^([1-5](\d\d|xx)|default)$/i.test(status))
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
