import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Sends one request to a server on loopback, byte for byte. `fetch` would normalize the path and negotiate compression.
 * For tests.
 *
 * @param line method and target, as in `GET /docs`
 */
export async function exchange(port: number, line: string, headers: Record<string, string> = {}): Promise<Answer> {
  const [method, path] = line.split(' ');
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  request({ host: '127.0.0.1', port, method, path, headers, agent: false }, async (response) => {
    const body = await buffer(response);
    resolve({ status: response.statusCode, headers: response.headers, body });
  })
    .on('error', reject)
    .end();
  return await promise;
}
