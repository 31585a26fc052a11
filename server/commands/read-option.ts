import { isDateTime } from '@lockstep/runtime/validation/is-date-time';
import { InvalidArgumentError } from 'commander';

// Parsers of option values. Each throws the text that commander prints after the option's name.

export function readLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d{1,6}$/.test(text) || limit < 1) throw new InvalidArgumentError('Give a whole number from 1 to 999999.');
  return limit;
}

/** Beyond the processors of a machine, further processes only need memory and connections of the database. */
export function readProcesses(text: string): number {
  const processes = Number(text);
  if (!/^[1-9]\d?$/.test(text) || processes > 64) throw new InvalidArgumentError('Give a whole number from 1 to 64.');
  return processes;
}

export function readDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,4}$/.test(text) || days < 1)
    throw new InvalidArgumentError('Give a whole number of days from 1 to 9999.');
  return days;
}

export function readInstant(text: string): number {
  const at = isDateTime(text) ? Date.parse(text) : Number.NaN;
  if (!(at >= Date.UTC(2000) && at <= Date.UTC(2100)))
    throw new InvalidArgumentError('Give a time from 2000 to 2100, as 2026-12-31T23:00:00Z.');
  return at;
}

export function readGeneration(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('Give a whole number from 1, as device key prints it.');
  return Number(text);
}

const overlapSeconds: Readonly<Record<string, number>> = { h: 3600, d: 86_400 };

/** @returns seconds, at most 90 days: two secrets are valid all that time */
export function readOverlap(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  const seconds = text === '0' ? 0 : Number(number) * (overlapSeconds[unit] ?? Number.NaN);
  if (!(seconds <= 90 * 86_400 && (number !== '' || text === '0')))
    throw new InvalidArgumentError('Give hours or days, as 36h or 7d, at most 90d; or 0.');
  return seconds;
}
