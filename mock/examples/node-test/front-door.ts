/** An example: opens a door for a guest, and creates the code that the guest types. */
export interface Api {
  readonly baseUrl: string;
  readonly token: string;
}

export interface Job {
  readonly jobId: string;
  readonly completed: boolean;
  readonly status: 'queued' | 'delivered' | 'succeeded' | 'failed' | 'expired';
  readonly failureReason?: string;
}

export interface Code {
  readonly pin: string;
  readonly startDate: string;
  readonly endDate: string;
}

const pollEverySeconds = 2;

/** @param wait called between looks at the job; by default it really waits */
export async function unlock(
  api: Api,
  { deviceId, bridgeId }: { readonly deviceId: string; readonly bridgeId: string },
  wait: (seconds: number) => Promise<unknown> = waitFor,
): Promise<Job> {
  const path = `/devices/${deviceId}/jobs/bridges/${bridgeId}`;
  const { jobId } = await call<Job>(api, path, { jobType: 'UNLOCK' });
  for (;;) {
    const job = await call<Job>(api, `/jobs/${jobId}`);
    if (job.completed) return job;
    await wait(pollEverySeconds);
  }
}

/** A code for the hours of a guest's stay, from a whole hour on. */
export function createGuestCode(
  api: Api,
  { deviceId, guest, from, hours }: { deviceId: string; guest: string; from: Date; hours: number },
): Promise<Code> {
  const end = new Date(from.getTime() + hours * 3_600_000);
  const body = { accessName: guest, startDate: from.toISOString(), endDate: end.toISOString() };
  return call<Code>(api, `/devices/${deviceId}/algopin/hourly`, body);
}

async function call<Answer>({ baseUrl, token }: Api, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const content = (await answer.json()) as Answer & { error?: string; message?: string; code?: string };
  if (!answer.ok) throw new Error(content.error ?? content.message, { cause: content.code });
  return content;
}

function waitFor(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
