import type { Answer, UndeclaredAnswer } from '../exchange.ts';

/**
 * A 304 where `If-None-Match` has the ETag of a 200 to GET or HEAD (RFC 9110, 13.1.2), whether or not the contract declares 304.
 *
 * @param condition the value of `If-None-Match`, if it is text
 */
export function unlessModified<Given extends Answer | UndeclaredAnswer>(
  method: string,
  condition: unknown,
  answer: Given,
): Given | UndeclaredAnswer {
  if (typeof condition !== 'string' || answer.status !== 200 || !/^(?:get|head)$/i.test(method)) return answer;
  const found = Object.entries(answer.headers ?? {}).find(([name]) => name.toLowerCase() === 'etag');
  if (found === undefined) return answer;
  const [name, tag] = found;
  // Tags are compared weakly (RFC 9110, 8.8.3.2).
  const opaque = (text: string): string => text.trim().replace(/^W\//, '');
  const isSame =
    condition.trim() === '*' || condition.split(/,(?=\s*(?:W\/)?")/).some((one) => opaque(one) === opaque(String(tag)));
  return isSame ? { status: 304, headers: { [name]: tag }, isUndeclared: true } : answer;
}
