import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** An example of a web application: its user connects the account of a property owner, then sees the owner's devices. */
export interface PartnerAppOptions {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The registered callback of this application. */
  readonly callbackUrl: string;
}

interface Attempt {
  readonly verifier: string;
}

export function createPartnerApp(options: PartnerAppOptions): RequestListener {
  const { authUrl, baseUrl, clientId, clientSecret, callbackUrl } = options;
  /** By the `state` of the login; a cookie ties it to one browser. */
  const attempts = new Map<string, Attempt>();

  function connect(response: ServerResponse): void {
    const [state, verifier] = [randomBytes(16).toString('hex'), randomBytes(32).toString('base64url')];
    attempts.set(state, { verifier });
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callbackUrl,
      scope: 'openid serviceapi/get-devices',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const cookie = `state=${state}; Path=/; HttpOnly; SameSite=Lax`;
    response.writeHead(303, { location: `${authUrl}/login?${query}`, 'set-cookie': cookie }).end();
  }

  async function finish(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams: query } = new URL(request.url ?? '', callbackUrl);
    const state = query.get('state') ?? '';
    const attempt = attempts.get(state);
    attempts.delete(state);
    if (attempt === undefined || !(request.headers.cookie ?? '').split('; ').includes(`state=${state}`))
      return showPage(response, 400, '<h1>This login did not start here</h1>');
    if (query.has('error')) return showPage(response, 200, '<h1>Nothing was connected</h1><a href="/">Back</a>');
    const token = await exchange(query.get('code') ?? '', attempt);
    const answer = await fetch(`${baseUrl}/devices?type=Lock`, { headers: { authorization: `Bearer ${token}` } });
    const { payload } = (await answer.json()) as { payload: { deviceId: string; deviceName: string }[] };
    const items = payload.map(
      ({ deviceId, deviceName }) => `<li>${escapeHtml(deviceName)} (${escapeHtml(deviceId)})</li>`,
    );
    showPage(response, 200, `<h1>Connected</h1><ul>${items.join('')}</ul>`);
  }

  async function exchange(code: string, { verifier }: Attempt): Promise<string> {
    const answer = await fetch(`${authUrl}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: callbackUrl,
        code_verifier: verifier,
      }),
    });
    if (!answer.ok) throw new Error(`no tokens: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  return (request, response) => {
    const { pathname } = new URL(request.url ?? '', callbackUrl);
    if (pathname === '/connect') return connect(response);
    if (pathname !== new URL(callbackUrl).pathname)
      return showPage(response, 200, '<h1>Locks</h1><a href="/connect">Connect an account</a>');
    finish(request, response).catch((error: unknown) =>
      showPage(response, 502, `<h1>${escapeHtml(String(error))}</h1>`),
    );
  };
}

function showPage(response: ServerResponse, status: number, main: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><html lang="en"><title>Partner</title><main>${main}</main></html>`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
