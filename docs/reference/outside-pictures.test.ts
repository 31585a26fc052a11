import { describe, expect, test } from 'vitest';
import { replacePictures, writeWithoutPictures } from './outside-pictures.ts';

const at = 'https://a.example/b.png';

/** Given and written, and what was taken out. */
const replaced: readonly (readonly [given: string, want: string, ...taken: string[]])[] = [
  [`See ![the *plan*](${at}) here.`, 'See the *plan* here.', at],
  [`![](${at})`, '', at],
  [`![a [b] c](${at} "Title")`, 'a [b] c', at],
  ['![a](<b c.png>)', 'a', 'b c.png'],
  ['![a](../b_(1).png)', 'a', '../b_(1).png'],
  [`[![Run](${at})](https://b.example)`, '[Run](https://b.example)', at],
  [`[![](${at})](https://b.example)`, '[https://b.example](https://b.example)', at],
  [`![Plan][p]\n\n[p]: ${at}`, `Plan\n\n[p]: ${at}`, at],
  [`![Plan]\n\n[plan]: ${at}`, `Plan\n\n[plan]: ${at}`, at],
  [`<img\n  alt="Plan"\n  src="${at}">`, 'Plan', at],
  ['<IMG SRC=//a.example/b.png>', '', '//a.example/b.png'],
  [`<video controls src='${at}'>no</video>`, '<video controls >no</video>', at],
  [`<p style="background: url(${at})">a</p>`, '<p >a</p>', at],
  ['a<style>p{background:url(/b.png)}</style>b', 'ab', '/b.png'],
  [`![a](${at})\n\n\`\`\`\n![a](${at})\n\`\`\``, `a\n\n\`\`\`\n![a](${at})\n\`\`\``, at],
];

const kept = [
  `[a](${at})`,
  `\`![a](${at})\``,
  `~~~\n<img src=${at}>\n~~~`,
  '![a](data:image/png;base64,AA==)',
  '<img src="data:,">',
  `<a href="${at}">a</a>`,
  'wow! [not] a < b and c > d',
  '![nothing defined]',
  '',
];

describe('a picture from elsewhere in Markdown', () => {
  for (const [given, want, ...addresses] of replaced)
    test(`${JSON.stringify(given)} becomes words`, () =>
      expect(writeWithoutPictures(given)).toEqual({ text: want, addresses }));
  for (const given of kept)
    test(`${JSON.stringify(given)} stays`, () =>
      expect(writeWithoutPictures(given)).toEqual({ text: given, addresses: [] }));

  test('is found in time that grows with the text alone', () => {
    const begun = performance.now();
    for (const part of ['![', '[![a](', '<a b="', '`', '![a](b(', '<style>']) writeWithoutPictures(part.repeat(5_000));
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe('a contract', () => {
  const picture = `![Plan](${at})`;

  test('says in words what its descriptions show, wherever they stand', () => {
    const document = {
      info: { description: picture, 'x-logo': { url: at, altText: 'Us' } },
      tags: [{ name: 'a', description: picture }],
      components: {
        schemas: { description: { description: picture, properties: { description: { description: picture } } } },
      },
    };
    expect(replacePictures(document).map(({ pointer }) => pointer)).toEqual([
      '#/info/description',
      '#/info/x-logo',
      '#/tags/0/description',
      '#/components/schemas/description/description',
      '#/components/schemas/description/properties/description/description',
    ]);
    expect(JSON.stringify(document)).not.toContain('http');
    expect(document.info.description).toBe('Plan');
  });

  test('keeps what is data and what only looks like prose', () => {
    const document = {
      info: { 'x-logo': { url: 'data:,' }, 'x-ours': { description: picture } },
      components: {
        schemas: { A: { example: { description: picture }, default: picture, enum: [picture], title: picture } },
        examples: { A: { value: { description: picture } } },
      },
    };
    const before = structuredClone(document);
    expect(replacePictures(document)).toEqual([]);
    expect(document).toEqual(before);
  });
});
