/** An example of a small client: it reads all pages of a list, and retries requests where that is safe. */
export interface LockClientOptions {
  readonly baseUrl: string;
  readonly token: string;
  /** By default it really waits. A test moves the sandbox's clock instead. */
  readonly wait?: (seconds: number) => Promise<unknown>;
  /** Greatest number of requests for one answer. */
  readonly attempts?: number;
}

export interface Device {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly type: string;
  readonly batteryLevel?: number;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Stable, unlike the text. */
  readonly code: string;

  constructor(status: number, { code = '', error, message }: { code?: string; error?: string; message?: string }) {
    super(error ?? message ?? `status ${status}`);
    this.status = status;
    this.code = code;
  }
}

export function createLockClient({ baseUrl, token, wait = waitFor, attempts = 4 }: LockClientOptions) {
  async function request(method: string, path: string, body?: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await fetch(baseUrl + path, init).catch(() => undefined);
      const isLast = attempt === attempts;
      if (answer === undefined) {
        // The request may have been processed: only a read is safe to retry.
        if (isLast || method !== 'GET') throw new Error(`no answer to ${method} ${path}`);
        await wait(attempt);
      } else if (!isLast && (answer.status === 429 || answer.status === 503)) {
        await answer.body?.cancel();
        await wait(Number(answer.headers.get('retry-after') ?? 1));
      } else {
        const content = (await answer.json()) as object;
        if (!answer.ok) throw new ApiError(answer.status, content);
        return content;
      }
    }
  }

  return {
    async listDevices(limit = 100): Promise<Device[]> {
      const devices: Device[] = [];
      for (let cursor = ''; ; ) {
        const query = new URLSearchParams({ limit: String(limit), ...(cursor && { cursor }) });
        const page = (await request('GET', `/devices?${query}`)) as { payload: Device[]; nextCursor: string };
        devices.push(...page.payload);
        cursor = page.nextCursor;
        if (cursor === '') return devices;
      }
    },

    /** @returns the id of the job */
    async askStatus(bridgeId: string): Promise<string> {
      const job = await request('POST', `/devices/${bridgeId}/jobs`, { jobType: 'GET_DEVICE_STATUS' });
      return (job as { jobId: string }).jobId;
    },
  };
}

function waitFor(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
