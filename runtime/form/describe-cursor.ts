import { isObject } from '@lockstep/json/json-pointer';
import type { Operation, Parameter } from '../operation.ts';
import type { Description } from './describe-fault.ts';

/**
 * What to say of a value that has not the form of a cursor: an example would not do, since each is made for one list.
 *
 * @returns undefined where the parameter is not the one that pages the list (`x-pagination`)
 */
export function describeCursor(
  { extensions }: Operation,
  { name }: Parameter,
  value: unknown,
): Pick<Description, 'says' | 'nearest'> | undefined {
  const paging = extensions['x-pagination'];
  const cursor = isObject(paging) && isObject(paging.cursor) ? paging.cursor : {};
  if (cursor.send !== name) return undefined;
  const next = String(cursor.read).split('/').at(-1);
  const sent = value === '' ? 'empty' : JSON.stringify(value);
  const says =
    value === cursor.end
      ? `${name} must not be ${sent}: ${next} is ${sent} on the last page`
      : `${name} does not have the right form: send ${next} as it came`;
  return { says, nearest: [] };
}
