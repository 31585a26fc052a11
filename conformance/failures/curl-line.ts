import type { Target } from '../contract/contract.ts';
import type { OutgoingRequest } from '../execute/exchange.ts';

/** Names of the shell variables that a line reads: nothing secret stands in it. */
const bases: Readonly<Record<Target, string>> = { api: '$BASE', auth: '$AUTH' };

/**
 * One line for a POSIX shell that sends the same request, given `$BASE` or `$AUTH`, and `$TOKEN` or `$CLIENT_ID` and
 * `$CLIENT_SECRET`.
 *
 * @param variables secrets by the variable that stands for each
 */
export function curlLine(
  { method, path, headers, body }: OutgoingRequest,
  target: Target,
  variables: ReadonlyMap<string, string>,
): string {
  const quote = (text: string): string => quoteWith(text, variables);
  const parts = ['curl', '-i', '-g', '--path-as-is'];
  if (method === 'HEAD') parts.push('-I');
  else if (method !== (body === undefined ? 'GET' : 'POST')) parts.push('-X', method);
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'authorization') parts.push(...authorizationPart(value));
    else parts.push('-H', quote(`${name}: ${value}`));
  }
  if (body !== undefined) parts.push('--data-binary', quote(body.toString()));
  return [...parts, `"${bases[target]}"${path === '' ? '' : quote(path)}`].join(' ');
}

function authorizationPart(value: string): string[] {
  const scheme = value.split(' ')[0] ?? 'Bearer';
  if (/^basic$/i.test(scheme)) return ['-u', '"$CLIENT_ID:$CLIENT_SECRET"'];
  return ['-H', `"Authorization: ${scheme} $TOKEN"`];
}

/** In single quotes, but for the variables, which the shell has to fill in. */
function quoteWith(text: string, variables: ReadonlyMap<string, string>): string {
  const quoted = `'${text.replaceAll("'", `'\\''`)}'`;
  return [...variables].reduce(
    (line, [secret, variable]) =>
      [secret, encodeURIComponent(secret)].reduce(
        (part, spelling) => part.replaceAll(spelling, `'"$${variable}"'`),
        line,
      ),
    quoted,
  );
}
