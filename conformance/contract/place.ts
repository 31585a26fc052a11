import { isObject, type JsonObject } from './json.ts';
import { joinPointer, normalisePointer, type Pointer, readPointer } from './json-pointer.ts';

/** A value of the document together with where it stands. */
export interface Place {
  readonly value: unknown;
  readonly pointer: Pointer;
}

export type ReportPart = (pointer: Pointer, says: string, cure: string) => void;

export function placeAt(root: JsonObject, pointer: string): Place {
  return { value: readPointer(root, pointer), pointer: normalisePointer(pointer) };
}

export function childOf(place: Place, ...tokens: readonly (string | number)[]): Place {
  return {
    value: readPointer(place.value, joinPointer('', ...tokens)),
    pointer: joinPointer(place.pointer, ...tokens),
  };
}

/**
 * Follows `$ref` until something else stands there.
 *
 * @returns undefined for a reference to nothing, to another file, or in a circle; `report` is told why
 */
export function follow(root: JsonObject, start: Place, report?: ReportPart): Place | undefined {
  let place = start;
  for (let hops = 0; hops < 32; hops += 1) {
    const reference = isObject(place.value) ? place.value.$ref : undefined;
    if (typeof reference !== 'string') return place.value === undefined ? undefined : place;
    if (!reference.startsWith('#')) {
      report?.(
        place.pointer,
        `$ref ${reference} leads to another document.`,
        'Bundle the contract into one file first.',
      );
      return undefined;
    }
    const target = placeAt(root, reference);
    if (target.value === undefined) {
      report?.(place.pointer, `$ref ${reference} leads nowhere.`, 'Correct the reference or add what it names.');
      return undefined;
    }
    place = target;
  }
  report?.(start.pointer, 'The $ref leads back to itself.', 'Break the circle.');
  return undefined;
}
