import { isObject } from '../contract/json.ts';
import { hour, type Instant, soon } from './time.ts';

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const day = 24 * hour;

/**
 * An example with its times moved by whole days, so that the earliest lies one or two days ahead: order, length, time of the
 * day and zone stay as its author chose them. Undefined where no time stands in it.
 */
export function moveToPresent(value: unknown, now: Instant): unknown {
  const times = textsOf(value).filter((text) => dateTime.test(text) || /^\d{4}-\d\d-\d\d$/.test(text));
  if (times.length === 0) return undefined;
  const earliest = Math.min(...times.map((text) => Date.parse(text)));
  const days = Math.ceil((soon(now) + day - earliest) / day);
  return move(value, days);
}

function move(value: unknown, days: number): unknown {
  if (Array.isArray(value)) return value.map((item) => move(item, days));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, move(part, days)]));
  if (typeof value !== 'string' || !(dateTime.test(value) || /^\d{4}-\d\d-\d\d$/.test(value))) return value;
  const moved = new Date(Date.parse(`${value.slice(0, 10)}T00:00:00Z`) + days * day);
  return `${moved.toISOString().slice(0, 10)}${value.slice(10)}`;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
