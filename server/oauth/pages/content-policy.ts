import { styleHash } from './style.ts';

/**
 * The value of the header Content-Security-Policy for any of the pages.
 *
 * @param formTargets where the answer to a form may lead besides this origin: http and https addresses, of which the origin counts,
 * or `https:` or `http:` for all of them. Chrome holds every redirect after a form to `form-action`, that of the client's callback too
 * (shown with 156): one that leads on to another origin is blocked where its callback alone is named.
 * @throws TypeError when a target is neither
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
  // Others have no origin, and "null" is no source.
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`a form can't lead to ${address}`);
  return origin;
}
