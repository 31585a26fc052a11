import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Finding } from './run-tools.ts';
import type { Login } from './servers.ts';

const run = promisify(execFile);

/** The result of the line that a report prints to paste. */
export interface Again {
  readonly id: string;
  readonly check: string;
  readonly message: string;
  readonly curl: string;
  /** `same`: status, media type and shape of the body are those of the report. A fresh server lacks the objects of the run: then a 404 proves nothing. */
  readonly verdict: 'same' | 'made in the run' | 'other status' | 'other body' | 'no answer';
  readonly before: string;
  readonly answered: string;
}

/** Sends the line of each report, one after another, as somebody would who pastes it. Reports about the contract have none. */
export async function sendAgain(
  findings: readonly Finding[],
  base: string,
  login: Login,
  signal: AbortSignal,
): Promise<Again[]> {
  const lines: Again[] = [];
  const named = (prefix: string, values: readonly (readonly [string, string])[] = []) =>
    values.map(([name, value]) => [`${prefix}${name.toUpperCase().replaceAll(/\W/g, '_')}`, value]);
  const secrets = Object.fromEntries([
    ...named('HEADER_', login.headers),
    ...named('', Object.entries(login.credentials ?? {})),
    ...named('SECOND_', Object.entries(login.secondCredentials ?? {})),
  ]);
  for (const { id, check, message, curl, answered: before } of findings) {
    if (curl === '') continue;
    const token = login.token ?? '';
    // Where the line has the scheme, the variable is what follows it.
    const isBare = curl.includes('Authorization: Bearer $TOKEN');
    const env = {
      ...{ PATH: process.env.PATH, BASE: base, AUTH: base, ...secrets },
      TOKEN: isBare ? token.replace(/^\S+ (?=\S)/, '') : token,
      SECOND_TOKEN: login.secondToken ?? '',
    };
    // A line is a program's output: the shell is given it as its only argument.
    const answered = await run('sh', ['-c', `${curl} --silent --show-error --max-time 20`], { env, signal }).then(
      ({ stdout }) => readAnswer(stdout),
      ({ stderr, message }) => `no answer: ${stderr ?? message}`,
    );
    signal.throwIfAborted();
    lines.push({ ...{ id, check, message, curl, before, answered }, verdict: compare(before, answered) });
  }
  return lines;
}

/** As a report writes an answer: `200 application/json {…}`. */
function readAnswer(output: string): string {
  const [head = '', ...rest] = output.replace(/^(HTTP\/\S+ 1\d\d[\s\S]*?\r\n\r\n)+/, '').split('\r\n\r\n');
  const status = /^HTTP\/\S+ (\d+)/.exec(head)?.[1] ?? '';
  const type = /^content-type: *(.*)$/im.exec(head)?.[1]?.trim() ?? '';
  return `${status} ${type} ${rest.join('\r\n\r\n').replaceAll(/\s+/g, ' ').trim()}`.replaceAll(/ {2,}/g, ' ').trim();
}

function compare(before: string, after: string): Again['verdict'] {
  const isLost = (text: string): boolean => text.startsWith('no answer');
  if (isLost(before) && isLost(after)) return 'same';
  if (isLost(after)) return 'no answer';
  const [was, is] = [before, after].map((answer) => answer.split(' ')[0]);
  if (was !== is) return is === '404' ? 'made in the run' : 'other status';
  return shapeOf(before) === shapeOf(after) ? 'same' : 'other body';
}

/** The start of a body with its values left out: a report cuts bodies, and ids and times differ. */
function shapeOf(answer: string): string {
  return answer
    .slice(0, 200)
    .replaceAll(/("(?:[^"\\]|\\.)*"?)(\s*:)?/g, (_, text: string, colon?: string) =>
      colon === undefined ? '""' : text,
    )
    .replaceAll(/\d+/g, '0')
    .replaceAll(/\s/g, '')
    .slice(0, 60);
}

/** Everything that a second reader needs. */
export function describeFindings(findings: readonly Finding[]): string {
  return findings
    .map((finding) => {
      const others = finding.operations.filter((operation) => operation !== finding.operation);
      return [
        `## ${finding.id} ${finding.check} (${finding.severity})`,
        finding.message,
        `- at ${finding.operation}${others.length > 0 ? ` and ${others.length} more: ${others.slice(0, 5).join(', ')}` : ''}`,
        `- ${finding.pointer}${finding.clause === undefined ? '' : ` (${finding.clause})`}`,
        `- sent ${finding.sent}`,
        `- answered ${finding.answered}`,
        `- ${finding.curl}`,
        '',
      ].join('\n');
    })
    .join('\n');
}
