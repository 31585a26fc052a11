/** What the user gave to get in. All of it is secret but the client id. */
export interface Credentials {
  readonly token: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

/** As HTTP Basic wants it, with the form encoding that RFC 6749, 2.3.1 asks for. */
export function basicOf(clientId: string, clientSecret: string): string {
  return Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString('base64');
}

function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
