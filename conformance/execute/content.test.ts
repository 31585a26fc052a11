import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createHolder, decodeContent, readJson } from './content.ts';

const most = 1_000;

const decode = (coding: string, body: Buffer) => decodeContent({ headers: [['content-encoding', coding]], body }, most);

describe('content is decoded by Content-Encoding', () => {
  test.each([
    { coding: '', body: Buffer.from('{}') },
    { coding: 'identity', body: Buffer.from('{}') },
    { coding: 'X-GZIP', body: gzipSync('{}') },
    { coding: 'zstd', body: zstdCompressSync('{}') },
    { coding: 'zstd', body: Buffer.concat(['', '{', '}'].map((text) => zstdCompressSync(text))) },
    { coding: 'gzip', body: Buffer.concat([gzipSync('{'), gzipSync('}'), Buffer.alloc(9)]) },
    { coding: 'deflate, br', body: brotliCompressSync(deflateSync('{}')) },
    {
      coding: Array(5).fill('gzip').join(),
      body: Array(5)
        .fill(0)
        .reduce<Buffer>((inner) => gzipSync(inner), Buffer.from('{}')),
    },
  ])('$coding', async ({ coding, body }) => {
    expect(await decode(coding, body)).toEqual({ kind: 'content', body: Buffer.from('{}') });
  });

  test.each([
    { coding: 'gzip', body: Buffer.from('{}'), isFault: true, message: 'names gzip, but decoding fails' },
    { coding: 'gzip', body: gzipSync('{}').subarray(0, 15), isFault: true, message: 'unexpected end' },
    { coding: 'br', body: gzipSync('{}'), isFault: true, message: 'names br, but decoding fails' },
    // RFC 9110, 8.4.1.2: it means the format of zlib.
    { coding: 'deflate', body: deflateRawSync('{}'), isFault: true, message: 'names deflate, but decoding fails' },
    {
      coding: 'br',
      body: Buffer.concat([brotliCompressSync('{}'), Buffer.from('{')]),
      isFault: true,
      message: 'names br, but decoding fails',
    },
    { coding: 'gzip, utf-8', body: gzipSync('{}'), isFault: true, message: 'utf-8, which is not a registered coding' },
    {
      coding: 'constructor',
      body: gzipSync('{}'),
      isFault: true,
      message: 'constructor, which is not a registered coding',
    },
    { coding: 'compress', body: Buffer.from([31, 157]), isFault: false, message: 'no decoder for the coding compress' },
  ])('or not: $coding, $message', async ({ coding, body, isFault, message }) => {
    expect(await decode(coding, body)).toMatchObject({
      kind: 'undecoded',
      isFault,
      message: expect.stringContaining(message),
    });
  });

  test('or not: zstd of more frames than are read one by one', async () => {
    const frames = (text: string, count: number) => Buffer.concat(Array(count).fill(zstdCompressSync(text)));
    // Node 26 reads all frames at once, at no cost for each.
    const isOneByOne = zstdDecompressSync(frames('a', 2)).length === 1;
    expect(await decode('zstd', frames('', 2_000))).toMatchObject(
      isOneByOne
        ? { kind: 'undecoded', isFault: false, message: expect.stringContaining('1000 parts') }
        : { kind: 'content', body: Buffer.alloc(0) },
    );
  });

  test.each([
    { coding: 'gzip', body: gzipSync(Buffer.alloc(most + 1)) },
    { coding: 'zstd', body: zstdCompressSync(Buffer.alloc(1e6)) },
    { coding: 'zstd', body: Buffer.concat(Array(3).fill(zstdCompressSync(Buffer.alloc(most / 2)))) },
    // Each step is within the bound, their sum is not.
    { coding: 'gzip, gzip', body: gzipSync(gzipSync(Buffer.alloc(most - 10))) },
  ])('and no further than the bound: $coding', async ({ coding, body }) => {
    expect(await decode(coding, body)).toEqual({ kind: 'too-large' });
  });
});

test.each([
  { text: '\ufeff{"a":1}', want: { value: { a: 1 } } },
  { text: '{"a":', want: undefined },
  { text: `["${'[,'.repeat(300_000)}\\"["]`, want: { value: [`${'[,'.repeat(300_000)}"[`] } },
  { text: '['.repeat(1_001) + ']'.repeat(1_001), want: { unread: 'the content is nested more than 1000 levels deep' } },
  { text: `[${'0,'.repeat(250_000)}0]`, want: { unread: 'the content has more than 250000 values' } },
])('JSON is read within bounds: row %$', ({ text, want }) => {
  expect(readJson(Buffer.from(text))).toEqual(want);
});

test('beyond the bound of a round, only the beginning of each body is kept, until the next round', () => {
  const { hold, release } = createHolder(10, 3);
  const lengths = (size: number) => {
    const { body, isCut } = hold({ kind: 'answer', status: 200, headers: [], body: Buffer.alloc(size), durationMs: 1 });
    return [body.length, isCut];
  };
  expect([8, 3, 4, 3].map(lengths)).toEqual([
    [8, undefined],
    [3, undefined],
    [3, true],
    [3, undefined],
  ]);
  release();
  expect(lengths(8)).toEqual([8, undefined]);
});
