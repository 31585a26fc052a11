/** @returns undefined if the text is not a port from 0 to 65535; 0 means any free port */
export function readPort(text: string): number | undefined {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port <= 65_535 ? port : undefined;
}
