/** The target of an OpenAPI runtime expression (OpenAPI 3.1.1, 4.8.20.4), or `undefined` if the text is not one. */
export type RuntimeExpression =
  | { readonly of: 'url' | 'method' | 'statusCode' }
  | { readonly of: 'request' | 'response'; readonly in: 'body'; readonly pointer: string }
  | { readonly of: 'request' | 'response'; readonly in: 'header' | 'query' | 'path'; readonly name: string };

export function parseExpression(text: string): RuntimeExpression | undefined {
  const match =
    /^\$(?:(url|method|statusCode)|(request|response)\.(?:body(?:#(\/.*)?)?|(header|query|path)\.(.+)))$/.exec(text);
  if (match === null) return undefined;
  const [, whole, message, pointer, place, name] = match;
  if (whole !== undefined) return { of: whole as 'url' | 'method' | 'statusCode' };
  const of = message as 'request' | 'response';
  if (place === undefined) return { of, in: 'body', pointer: pointer ?? '' };
  return { of, in: place as 'header' | 'query' | 'path', name: name ?? '' };
}

/** The expressions in a link's value: the whole text, or the parts in braces of a longer text. Empty for a constant. */
export function expressionsIn(value: unknown): readonly string[] {
  if (typeof value !== 'string') return [];
  if (value.startsWith('$')) return [value];
  return [...value.matchAll(/\{(\$[^}]+)\}/g)].map(([, inner]) => inner ?? '');
}
