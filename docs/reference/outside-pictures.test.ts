import { describe, expect, test } from 'vitest';
import { findPictures, findShown } from './outside-pictures.ts';

const at = 'https://a.example/b.png';

const elsewhere: readonly (readonly [markdown: string, ...addresses: string[]])[] = [
  [`See ![the *plan*](${at}) here.`, at],
  [`![a [b] c](${at} "Title")`, at],
  ['![a](<b c.png>)', 'b c.png'],
  ['![a](../b_(1).png)', '../b_(1).png'],
  [`[![Run](${at})](https://b.example)`, at],
  [`![Plan][p]\n\n[p]: ${at}`, at],
  [`<img\n  alt="Plan"\n  src="${at}">`, at],
  ['<IMG SRC=//a.example/b.png>', '//a.example/b.png'],
  [`<video controls poster='${at}'>no</video>`, at],
  [`<p style="background: url(${at})">a</p>`, at],
  ['a<style>p{background:url(/b.png)}</style>b'],
  ['<style>\np{background:url(/b.png)}\n</style>', '/b.png'],
  [`![a](${at})\n\n\`\`\`\n![a](${at})\n\`\`\``, at],
];

const none = [
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
  test.each(elsewhere)('is found in %j', (given, ...addresses) => expect(findShown(given)).toEqual(addresses));
  test.each(none)('is not found in %j', (given) => expect(findShown(given)).toEqual([]));
});

describe('a contract', () => {
  const picture = `![Plan](${at})`;

  test('lists the pictures of all descriptions, and loses a logo from elsewhere', () => {
    const document = {
      info: { description: picture, 'x-logo': { url: at, altText: 'Us' } },
      tags: [{ name: 'a', description: picture }],
      components: {
        schemas: { description: { description: picture, properties: { description: { description: picture } } } },
      },
    };
    expect(findPictures(document).map(({ pointer }) => pointer)).toEqual([
      '#/info/description',
      '#/info/x-logo',
      '#/tags/0/description',
      '#/components/schemas/description/description',
      '#/components/schemas/description/properties/description/description',
    ]);
    expect(document.info).toEqual({ description: picture });
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
    expect(findPictures(document)).toEqual([]);
    expect(document).toEqual(before);
  });
});
