import type { SecurityScheme } from './contract.ts';
import { isObject, type JsonObject, objectAt, textAt } from './json.ts';
import { childOf, follow, type ReportPart } from './place.ts';

export function readSchemes(root: JsonObject, report: ReportPart): Readonly<Record<string, SecurityScheme>> {
  const all = { value: objectAt(root.components, 'securitySchemes'), pointer: '#/components/securitySchemes' };
  const schemes = Object.keys(all.value).flatMap((name): SecurityScheme[] => {
    const place = follow(root, childOf(all, name), report);
    if (place === undefined || !isObject(place.value)) return [];
    const { value, pointer } = place;
    const key = { in: textAt(value, 'in') ?? '', name: textAt(value, 'name') ?? '' };
    return [
      {
        name,
        pointer,
        type: textAt(value, 'type') ?? '',
        scheme: textAt(value, 'scheme')?.toLowerCase(),
        key: value.type === 'apiKey' ? key : undefined,
        tokenUrl: textAt(objectAt(value.flows, 'clientCredentials'), 'tokenUrl'),
      },
    ];
  });
  return Object.fromEntries(schemes.map((scheme) => [scheme.name, scheme]));
}
