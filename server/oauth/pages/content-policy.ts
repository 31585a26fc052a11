import { styleHash } from './style.ts';

/**
 * The value of the header Content-Security-Policy for the pages.
 *
 * @param formTargets targets of redirects after a form, besides this origin: http and https addresses, of which the origin counts, or
 * `https:` or `http:` for all of them. Chrome applies `form-action` to every redirect after a form, also to that of the client's callback
 * (tested with 156): if the policy names the callback alone, its redirect to another origin is blocked.
 * @throws TypeError for any other target
 * @see Content Security Policy Level 3, 6.4.1
 */
export function contentPolicy(formTargets: readonly string[] = []): string {
  const sources = formTargets.map((target) => (/^https?:$/.test(target) ? target : originOf(target)));
  return [
    "default-src 'none'",
    `style-src ${styleHash}`,
    `form-action ${["'self'", ...new Set(sources)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function originOf(address: string): string {
  const { origin, protocol } = new URL(address);
  // URLs of other schemes have no origin, and "null" is not a valid source.
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`a form can't lead to ${address}`);
  return origin;
}
