/** One part of a form that is sent as `multipart/form-data`. */
export interface Part {
  readonly name: string;
  /** Bytes if the part names a file, else text. */
  readonly value: string | Buffer;
}

/**
 * Splits a body into parts, with the parser of Node's own `fetch`.
 *
 * @param contentType as sent: it contains the boundary
 * @returns undefined if the body is no `multipart/form-data`, or is incomplete
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
