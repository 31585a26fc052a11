/** Whether a client accepts another documented type and not JSON. RFC 9110, 12.5.1: a server may disregard `Accept` if no type fits. */
export function prefersOther(accept: string | undefined, otherTypes: readonly string[]): boolean {
  const ranges = (accept ?? '')
    .toLowerCase()
    .split(',')
    // RFC 9110, 12.4.2: a weight of 0 is not acceptable.
    .filter((range) => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range))
    .map((range) => range.split(';', 1)[0]?.trim() ?? '');
  if (ranges.some((range) => /json|\*\/\*|application\/\*/.test(range))) return false;
  return otherTypes.some((mediaType) => {
    const [essence = ''] = mediaType.toLowerCase().split(';', 1);
    return ranges.includes(essence) || ranges.includes(`${essence.split('/', 1)[0]}/*`);
  });
}
