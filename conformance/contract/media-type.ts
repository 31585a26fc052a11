/** `type/subtype` in lower case, without parameters; undefined for text that is no media type (RFC 9110, 8.3.1). */
export function essenceOf(text: string): string | undefined {
  const match = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(;.*)?$/s.exec(text);
  return match?.[1]?.toLowerCase();
}

/** Whether a declared type, perhaps `text/*`, covers the one that was sent. Parameters and case don't count. */
export function coversMediaType(declared: string, sent: string): boolean {
  const range = essenceOf(declared);
  const essence = essenceOf(sent);
  if (range === undefined || essence === undefined) return false;
  return range === '*/*' || range === essence || (range.endsWith('/*') && essence.startsWith(range.slice(0, -1)));
}

export function isJson(mediaType: string): boolean {
  return /^(application|text)\/json$|\+json$/.test(essenceOf(mediaType) ?? '');
}
