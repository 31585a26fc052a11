/** One part of a form that is sent as `multipart/form-data`. */
export interface Part {
  readonly name: string;
  /** Bytes where the part names a file, text where it does not. */
  readonly value: string | Buffer;
}

/**
 * Takes a body apart, by the reader that Node's own `fetch` has.
 *
 * @param contentType as it was sent: it names the boundary
 * @returns undefined for what is no `multipart/form-data`, or not the whole of it
 * @see RFC 7578
 */
export async function readParts(bytes: Buffer, contentType: string): Promise<readonly Part[] | undefined> {
  try {
    const response = new Response(new Uint8Array(bytes), { headers: { 'Content-Type': contentType } });
    const entries = [...(await response.formData())];
    return await Promise.all(
      entries.map(async ([name, value]) => ({
        name,
        value: typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()),
      })),
    );
  } catch {
    return undefined;
  }
}
