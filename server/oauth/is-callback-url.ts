/**
 * Whether a callback URL may be registered: absolute, `https:` and static, since it is compared byte for byte. No wildcard, no user info, no
 * fragment (RFC 6749, 3.1.2; RFC 9700, 2.1).
 */
export function isCallbackUrl(text: string): boolean {
  return isStaticUrl(text, 'https://');
}

/**
 * Whether a URL is a callback on the caller's own machine: `http:`, a loopback name, and otherwise as strict (RFC 8252, 7.3). The service
 * interface has no such callbacks (5.3); a mock may accept them for an application under development.
 */
export function isLoopbackCallback(text: string): boolean {
  return isStaticUrl(text, 'http://') && /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?]|$)/.test(text);
}

function isStaticUrl(text: string, start: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    text.startsWith(start) &&
    text.length <= 512 &&
    /^[\x21-\x7e]+$/.test(text) &&
    !/[*#\\]/.test(text) &&
    url.username === '' &&
    url.password === '' &&
    !text.slice(start.length).split(/[/?]/, 1)[0]?.includes('@')
  );
}
