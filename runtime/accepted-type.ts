/** Whether a client accepts another documented type and not JSON. RFC 9110, 12.5.1: a server may disregard `Accept` if no type fits. */
export function prefersOther(accept: string | undefined, otherTypes: readonly string[]): boolean {
  if (accept === undefined || /json|\*\/\*|application\/\*/i.test(accept)) return false;
  const ranges = accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  return otherTypes.some((mediaType) => {
    const [essence = ''] = mediaType.toLowerCase().split(';', 1);
    return ranges.includes(essence) || ranges.includes(`${essence.split('/', 1)[0]}/*`);
  });
}
