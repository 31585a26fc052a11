import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { versionsOf } from './package-folder.ts';
import type { PeerOptions } from './peers/peer.ts';
import { load, startPeer } from './peers.ts';
import { median, type Question } from './question.ts';
import { readAnswer, requireSameAnswer } from './same-answer.ts';
import { prepareServer } from './start-server.ts';

const rounds = 7;
const secondsPerTurn = 2;
const connections = 10;
const devices = 1000;
const accountId = 'bench';

const answers = {
  page: { name: `a page of 50 of ${devices} devices`, path: '/devices?limit=50' },
  device: { name: 'one device', path: '/devices/LK00000500' },
} as const;
type AnswerKind = keyof typeof answers;

const peers = {
  bare: { name: 'bare Express', file: 'serve-bare.ts', hasOurDuties: false, targets: { page: 1.35, device: 1.9 } },
  stock: {
    name: 'stock parts',
    file: 'serve-stock.ts',
    hasOurDuties: true,
    // Ours takes one and a half times as many requests.
    targets: { page: 1 / 1.5, device: 1 / 1.5 },
  },
  fastify: { name: 'Fastify', file: 'serve-fastify.ts', hasOurDuties: false, targets: {} },
} as const satisfies Record<
  string,
  { name: string; file: string; hasOurDuties: boolean; targets: Partial<Record<AnswerKind, number>> }
>;
type PeerName = keyof typeof peers;
type Side = 'ours' | PeerName;

/**
 * Ours runs as `serve` does it. The stock parts have the same duties: token with scope and revocation, validation, sealed cursor, security
 * headers, log. Bare Express and Fastify have none of them. All read the same file and answer with the same bytes, which is proved first.
 */
export const requests: Question = {
  asks: 'How many requests a second does `serve` answer, compared with bare Express, stock parts with the same duties, and Fastify, that answer with the same bytes?',
  needsPeers: true,
  async run(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-requests-'));
    const ends: (() => Promise<unknown>)[] = [];
    try {
      const deviceIds = Array.from({ length: devices }, (_, index) => `LK${String(index).padStart(8, '0')}`);
      const { database, start } = await prepareServer(folder, deviceIds);
      const ours = await start();
      ends.push(ours.close);
      const { origin } = new URL(ours.base);
      const options = {
        database,
        accountId,
        cursorLength: (await readAnswer(`${ours.base}${answers.page.path}`, ours.token)).cursorLength,
        issuer: `${origin}/auth`,
        audience: ours.base,
        jwks: (await (await fetch(`${origin}/auth/.well-known/jwks.json`)).json()) as PeerOptions['jwks'],
        contract: join(import.meta.dirname, '../generated/contract.gen.json'),
      };
      const bases = { ours: ours.base } as Record<Side, string>;
      for (const [name, { file }] of Object.entries(peers) as [PeerName, (typeof peers)[PeerName]][]) {
        const peer = await startPeer(file, options);
        ends.push(peer.close);
        bases[name] = peer.base;
      }
      for (const { path } of Object.values(answers))
        for (const [peer, { hasOurDuties }] of Object.entries(peers) as [PeerName, (typeof peers)[PeerName]][])
          await requireSameAnswer(`${bases[peer]}${path}`, {
            url: `${bases.ours}${path}`,
            token: ours.token,
            hasOurDuties,
          });

      const sides = Object.keys(bases) as Side[];
      const kinds = Object.keys(answers) as AnswerKind[];
      const times = Object.fromEntries(
        kinds.map((kind) => [kind, Object.fromEntries(sides.map((side) => [side, [] as number[]]))]),
      ) as Record<AnswerKind, Record<Side, number[]>>;
      // One round more than counted warms all up.
      for (let round = 0; round <= rounds; round += 1) {
        for (const kind of kinds) {
          for (const side of sides) {
            progress(`round ${round} of ${rounds}: ${answers[kind].name}, ${side}`);
            const url = `${bases[side]}${answers[kind].path}`;
            const headers = { authorization: `Bearer ${ours.token}` };
            const time = await load({ url, headers, connections, duration: secondsPerTurn });
            if (round > 0) times[kind][side].push(time);
          }
        }
      }
      return {
        rows: kinds.flatMap((kind) =>
          sides.map((side) => ({
            name: `${answers[kind].name}, ${nameOf(side)}: ms for 1000 (${perSecond(times[kind][side])}/s)`,
            milliseconds: times[kind][side],
          })),
        ),
        ratios: kinds.flatMap((kind) => (Object.keys(peers) as PeerName[]).map((peer) => compare(times, kind, peer))),
        versions: {
          ...(await versionsOf(['express', 'better-sqlite3'], 'server')),
          ...(await versionsOf(['express-openapi-validator', 'jose', 'fastify', 'autocannon'], 'bench/peers')),
        },
      };
    } finally {
      for (const end of ends) await end();
      await rm(folder, { recursive: true });
    }
  },
};

function compare(times: Record<AnswerKind, Record<Side, number[]>>, kind: AnswerKind, peer: PeerName) {
  const { ours, [peer]: theirs } = times[kind];
  // Round by round: what else the machine does in one falls on both sides of it.
  const ratio = median(ours.map((time, index) => time / (theirs[index] ?? Number.NaN)));
  const targets: Partial<Record<AnswerKind, number>> = peers[peer].targets;
  const target = targets[kind];
  return {
    name: `${answers[kind].name}: time of ours over ${nameOf(peer)} (${(1 / ratio).toFixed(2)} times its requests)`,
    ratio,
    ...(target === undefined ? {} : { target }),
  };
}

function nameOf(side: Side): string {
  return side === 'ours' ? side : peers[side].name;
}

function perSecond(times: readonly number[]): string {
  return Math.round(1e6 / median(times)).toLocaleString('en');
}
