import type { Answer, UndeclaredAnswer } from '../exchange.ts';

/** Headers of a 200 that a 304 has too (RFC 9110, 15.4.5). */
const kept: ReadonlySet<string> = new Set(['cache-control', 'content-location', 'date', 'etag', 'expires', 'vary']);

/**
 * A 304 where `If-None-Match` has the ETag of a 200 to GET or HEAD (RFC 9110, 13.1.2), whether or not the contract declares 304.
 *
 * @param condition the value of `If-None-Match`, if it is text
 * @param declared headers that the contract declares for 304
 */
export function unlessModified<Given extends Answer | UndeclaredAnswer>(
  method: string,
  condition: unknown,
  answer: Given,
  declared: Readonly<Record<string, string>> = {},
): Given | UndeclaredAnswer {
  if (typeof condition !== 'string' || answer.status !== 200 || !/^(?:get|head)$/i.test(method)) return answer;
  const own = Object.entries(answer.headers ?? {}).filter(([name]) => kept.has(name.toLowerCase()));
  const [, tag] = own.find(([name]) => name.toLowerCase() === 'etag') ?? [];
  if (tag === undefined) return answer;
  // Tags are compared weakly (RFC 9110, 8.8.3.2).
  const opaque = (text: string): string => text.trim().replace(/^W\//, '');
  const isSame =
    condition.trim() === '*' || condition.split(/,(?=\s*(?:W\/)?")/).some((one) => opaque(one) === opaque(String(tag)));
  return isSame ? { status: 304, headers: { ...declared, ...Object.fromEntries(own) }, isUndeclared: true } : answer;
}
