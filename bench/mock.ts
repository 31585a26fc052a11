import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from './first-answer.ts';
import { versionsOf } from './package-folder.ts';
import { type Load, load, prismLine } from './peers.ts';
import { median, type Question } from './question.ts';
import { startAnswering, startChild } from './start-child.ts';

const rounds = 7;
const secondsPerTurn = 2;
const connections = 10;
const root = join(import.meta.dirname, '..');
/** Ours is to take so many times the requests. */
const speedWanted = 3;

/** Requests to both. Prism always answers with an example; ours does so only with `Prefer`. */
interface Asked {
  readonly name: string;
  readonly path: string;
  readonly body?: string;
  /** Sent to ours alone; left out, its answer comes from what it keeps. */
  readonly prefer?: string;
}

const asked = {
  device: { name: 'a named example of a device', path: '/devices/LK2A00000001', prefer: 'example=lock' },
  list: { name: 'a documented list of devices', path: '/devices?limit=50', prefer: 'code=200' },
  code: {
    name: 'a documented code for an hour',
    path: '/devices/LK2A00000001/algopin/hourly',
    body: JSON.stringify({ accessName: 'Cleaner' }),
    prefer: 'code=200',
  },
  keptDevice: { name: 'a device that is kept', path: '/devices/LK2A00000001' },
  // As many as the documented example has.
  keptList: { name: 'a list of two devices that are kept', path: '/devices?limit=2' },
} as const satisfies Record<string, Asked>;
type Kind = keyof typeof asked;
type Side = 'ours' | 'prism';

/** Ours judges tokens, scopes and form, and closes the contract's traps; Prism looks whether there is a token. Neither writes a log. */
export const mock: Question = {
  asks: "How many requests a second does the mock answer, compared with Prism's own command on the same contract?",
  needsPeers: true,
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-mock-'));
    const ends: (() => Promise<unknown>)[] = [];
    try {
      const main = join(root, 'mock/main.ts');
      const ours = await startChild([main, '--port', '0', '--key-file', join(folder, 'keys.json'), '--json']);
      ends.push(ours.close);
      const { baseUrl, authUrl, clients } = JSON.parse(ours.firstLine) as Description;
      const port = await findFreePort();
      const bases: Record<Side, string> = { ours: baseUrl, prism: `http://127.0.0.1:${port}` };
      const prism = await startAnswering(prismLine(port), [bases.prism]);
      ends.push(prism.close);
      const token = await getToken(authUrl, clients);
      const times = Object.fromEntries(
        Object.keys(asked).map((kind) => [kind, { ours: [] as number[], prism: [] as number[] }]),
      ) as Record<Kind, Record<Side, number[]>>;
      for (const kind of Object.keys(asked) as Kind[]) {
        const [mine, theirs] = [
          await readMembers('ours', bases, kind, token),
          await readMembers('prism', bases, kind, token),
        ];
        if (mine !== theirs) throw new Error(`${asked[kind].name}: ours has the members ${mine}, Prism ${theirs}`);
      }
      // One round more than counted warms both up; they take turns.
      for (let round = 0; round <= rounds; round += 1) {
        for (const kind of Object.keys(asked) as Kind[]) {
          for (const side of ['ours', 'prism'] as const) {
            progress(`round ${round} of ${rounds}: ${asked[kind].name}, ${side}`);
            const time = await load({ ...ask(side, bases, kind, token), connections, duration: secondsPerTurn });
            if (round > 0) times[kind][side].push(time);
          }
        }
      }
      return {
        rows: (Object.keys(asked) as Kind[]).flatMap((kind) =>
          (['ours', 'prism'] as const).map((side) => ({
            name: `${asked[kind].name}, ${side === 'ours' ? 'ours' : 'Prism'}: ms for 1000 (${perSecond(times[kind][side])}/s)`,
            milliseconds: times[kind][side],
          })),
        ),
        ratios: (Object.keys(asked) as Kind[]).map((kind) => {
          const { ours, prism } = times[kind];
          const ratio = median(ours.map((time, index) => time / (prism[index] ?? Number.NaN)));
          const name = `${asked[kind].name}: time of ours over Prism (${(1 / ratio).toFixed(1)} times its requests)`;
          return { name, ratio, target: 1 / speedWanted };
        }),
        versions: await versionsOf(['@stoplight/prism-cli', 'autocannon'], 'bench/peers'),
      };
    } finally {
      for (const end of ends) await end();
      await rm(folder, { recursive: true });
    }
  },
};

interface Description {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clients: readonly { readonly clientId: string; readonly secret: string; readonly kind: string }[];
}

/** A token of the demo client that may do everything. */
export async function getToken(authUrl: string, clients: Description['clients']): Promise<string> {
  const client = clients.find(({ kind }) => kind === 'own');
  const response = await fetch(`${authUrl}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${client?.clientId}:${client?.secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

function ask(
  side: Side,
  bases: Record<Side, string>,
  kind: Kind,
  token: string,
): Pick<Load, 'url' | 'method' | 'headers' | 'body'> {
  const { path, body, prefer }: Asked = asked[kind];
  const url = `${bases[side]}${path}`;
  const headers = { authorization: `Bearer ${token}`, ...(side === 'ours' && prefer !== undefined && { prefer }) };
  if (body === undefined) return { url, headers };
  return { url, method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
}

/** Which example is chosen may differ; what it is an example of may not. */
async function readMembers(side: Side, bases: Record<Side, string>, kind: Kind, token: string): Promise<string> {
  const { url, ...request } = ask(side, bases, kind, token);
  const response = await fetch(url, request);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answers with ${response.status}: ${text.slice(0, 200)}`);
  return Object.keys(JSON.parse(text)).sort().join();
}

function perSecond(times: readonly number[]): string {
  return Math.round(1e6 / median(times)).toLocaleString('en');
}
