import { joinPointer, type Place } from '../contract/document.ts';
import { isObject } from '../contract/json.ts';
import { readPattern, samplePatterns } from '../schema/pattern.ts';
import type { BuildContext } from './build-context.ts';
import type { FlatSchema } from './flatten-schema.ts';

import { hour, soon, spellInstant } from './time.ts';

const day = 24 * hour;

/** Names of the later one of a pair of times: a day after the other. */
const later =
  /(^|[^a-z])(end|ends|to|until|till|before|expir|checkout|check_?out|finish|due|max)|[a-z](End|To|Until|Till|Before|Expir|Out)/;

/** One value for each format that has one; text that only `format` describes is taken as written otherwise. */
const byFormat: Readonly<Record<string, (context: BuildContext, name: string) => string>> = {
  'date-time': (context, name) => String(spellInstant(timeFor(context, name))[0]),
  date: (context, name) => new Date(timeFor(context, name)).toISOString().slice(0, 10),
  time: () => '12:00:00Z',
  duration: () => 'PT1H',
  uuid: ({ seed }) => `00000000-0000-4000-8000-${(seed >>> 0).toString(16).padStart(12, '0')}`,
  email: ({ tag }) => `${tag}@example.com`,
  uri: ({ tag }) => `https://example.com/${tag}`,
  url: ({ tag }) => `https://example.com/${tag}`,
  'uri-reference': ({ tag }) => `/${tag}`,
  hostname: () => 'host.example.com',
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
  byte: () => 'bG9ja3N0ZXA=',
};

/** @param buildContent makes the value whose JSON text stands in a string under `contentSchema` */
export function buildText(
  flat: FlatSchema,
  context: BuildContext,
  name: string,
  buildContent: (schema: Place) => unknown,
): string {
  const { keywords, patterns } = flat;
  const min = typeof keywords.minLength === 'number' ? keywords.minLength : 0;
  const max = typeof keywords.maxLength === 'number' ? keywords.maxLength : Math.max(64, min);
  const formatted = typeof keywords.format === 'string' ? byFormat[keywords.format]?.(context, name) : undefined;
  if (formatted !== undefined && patterns.length === 0) return formatted;
  if (formatted !== undefined) {
    const spellings = [formatted, ...spellInstant(timeFor(context, name)).map(String)];
    const fitting = spellings.find((text) => patterns.every((pattern) => readPattern(pattern)?.test(text)));
    if (fitting !== undefined) return fitting;
  }
  if (patterns.length > 0) return samplePatterns(patterns, { min, max }, context.seed) ?? context.tag;
  if (isObject(keywords.contentSchema) && keywords.contentMediaType === 'application/json') {
    const pointer = joinPointer(flat.pointer, 'contentSchema');
    return JSON.stringify(buildContent({ value: keywords.contentSchema, pointer }));
  }
  return fit(name === '' ? context.tag : `${name} ${context.tag}`, min, max);
}

function timeFor({ now }: BuildContext, name: string): number {
  return soon(now) + (later.test(name) ? day : 0);
}

function fit(text: string, min: number, max: number): string {
  return text.padEnd(min, 'x').slice(0, max).replace(/ $/, 'x');
}
