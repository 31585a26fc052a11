/**
 * Whether a callback URL may be registered: absolute, `https:`, static, and written as it will be compared, byte for
 * byte. No wildcard, no user info, no fragment (RFC 6749, 3.1.2; RFC 9700, 2.1).
 */
export function isCallbackUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    text.startsWith('https://') &&
    text.length <= 512 &&
    /^[\x21-\x7e]+$/.test(text) &&
    !/[*#\\]/.test(text) &&
    url.username === '' &&
    url.password === '' &&
    !text.slice('https://'.length).split(/[/?]/, 1)[0]?.includes('@')
  );
}
