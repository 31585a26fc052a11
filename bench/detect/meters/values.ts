import { createHash } from 'node:crypto';

export type Json = Record<string, unknown>;

export interface Reading {
  readonly taken_at: string;
  readonly kwh: number;
  readonly quality: string;
  readonly note: string | null;
}

// Values of requests and answers: rules, formats, entity tags and media types. No fault is in here.

/** Returns the problem of a value. */
export type Rule = (value: unknown) => string | undefined;

export const anything: Rule = () => undefined;
export const nullOr =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? undefined : rule(value);
export const memberOf =
  (list: readonly string[]): Rule =>
  (value) =>
    list.includes(value as string) ? undefined : `must be one of ${list.join(', ')}`;
export const matching =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : `must match ${pattern.source}`;
export const text =
  (min: number, max: number): Rule =>
  (value) => {
    if (typeof value !== 'string') return 'must be a string';
    const length = [...value].length;
    return length < min || length > max ? `must have ${min} to ${max} characters` : undefined;
  };
export const number =
  (isInRange: (value: number) => boolean, range: string): Rule =>
  (value) =>
    typeof value === 'number' && isInRange(value) ? undefined : `must be a number ${range}`;
export const integer = (min: number, max: number): Rule =>
  number((value) => Number.isInteger(value) && value >= min && value <= max, `without fraction, ${min} to ${max}`);
export const list =
  (min: number, max: number, unique: boolean): Rule =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length < min || value.length > max) return `must have ${min} to ${max} items`;
    return unique && new Set(value.map(canonical)).size < value.length ? 'must not repeat an item' : undefined;
  };
export const dateTime: Rule = (value) =>
  Number.isNaN(instantOf(value)) ? 'must be a date-time of RFC 3339' : undefined;
export const date: Rule = (value) => (isDate(value) ? undefined : 'must be a date of RFC 3339');
export const id = integer(1, 2 ** 31 - 1);
export const tag = matching(/^[a-z][a-z0-9_-]{0,19}$/);
export const month = matching(/^[0-9]{4}-(0[1-9]|1[0-2])$/);

export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

export function isDate(value: unknown): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(typeof value === 'string' ? value : '') ?? [];
  if (year === undefined || Number(month) < 1 || Number(month) > 12) return false;
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0;
  return Number(day) >= 1 && Number(day) <= days;
}

/** Milliseconds of a date-time of RFC 3339, 5.6, or NaN. A leap second counts as the second after it. */
export function instantOf(value: unknown): number {
  const pattern = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-](\d\d):(\d\d))$/i;
  const match = pattern.exec(typeof value === 'string' ? value : '');
  const [, day, hour, minute, second, fraction = '', , zoneHour = '0', zoneMinute = '0'] = match ?? [];
  if (!isDate(day) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return Number.NaN;
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return Number.NaN;
  const zone = (match?.[6] ?? '').toUpperCase();
  if (second !== '60') return Date.parse(`${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${zone}`);
  const before = Date.parse(`${day}T${hour}:${minute}:59${zone}`);
  return new Date(before).toISOString().endsWith('T23:59:59.000Z') ? before + 1000 : Number.NaN;
}

export const asText = (value: string) => value;
export const asInteger = (value: string) => (/^(0|-?[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value);
export const asIntegers = (value: string) => value.split(',').map(asInteger);

export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const withoutNulls = (value: Json) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));

// HTTP

export function isUtf8(type: string): boolean {
  const charset = /; *charset="?([^";\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  return ['utf-8', 'utf8', 'us-ascii'].includes(charset.toLowerCase());
}

export const entityTag = (value: unknown) =>
  `"${createHash('sha256').update(canonical(value)).digest('hex').slice(0, 16)}"`;

export function isListed(condition: string, current: string | undefined, isWeakEnough: boolean): boolean {
  if (current === undefined) return false;
  if (condition.trim() === '*') return true;
  const tags: readonly string[] = condition.match(/(W\/)?"[^"]*"/g) ?? [];
  return tags.includes(current) || (isWeakEnough && tags.includes(`W/${current}`));
}

/** RFC 9110, 12.5.1: the quality of the most specific range counts; JSON wins a tie. */
export function chooseType(accept: string): 'application/json' | 'text/csv' | null {
  const ranges = accept.split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return { range, quality: Number(quality) };
  });
  const [json, csv] = ['application/json', 'text/csv'].map((type) => {
    const candidates = [type, `${type.split('/')[0]}/*`, '*/*'];
    return candidates.map((name) => ranges.find(({ range }) => range === name)).find(Boolean)?.quality ?? 0;
  });
  if (!json && !csv) return null;
  return (json ?? 0) >= (csv ?? 0) ? 'application/json' : 'text/csv';
}

export function formatCsv(readings: readonly Reading[]): string {
  const quote = (value: unknown) =>
    /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value;
  const rows = readings.map(({ taken_at, kwh, quality, note }) => [taken_at, kwh, quality, note ?? ''].map(quote));
  return [['taken_at', 'kwh', 'quality', 'note'], ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}
