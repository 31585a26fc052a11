export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member as an object, or an empty one: for optional maps such as `properties` or `headers`. */
export function objectAt(value: unknown, member: string): JsonObject {
  const found = memberOf(value, member);
  return isObject(found) ? found : {};
}

export function arrayAt(value: unknown, member: string): readonly unknown[] {
  const found = memberOf(value, member);
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, member: string): string | undefined {
  const found = memberOf(value, member);
  return typeof found === 'string' ? found : undefined;
}

/** Own members only: a body with a member called `constructor` is data like any other. */
export function memberOf(value: unknown, member: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, member)
    ? (value as Record<string, unknown>)[member]
    : undefined;
}

export function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** Text that is equal for equal JSON values, whatever the order of their members. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) : part,
  );
}
