import type { MediaContent } from './contract.ts';
import { isObject, type JsonObject, memberOf, objectAt } from './json.ts';
import { childOf, follow, type Place, type ReportPart } from './place.ts';

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
