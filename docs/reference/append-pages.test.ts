import { describe, expect, test } from 'vitest';
import { appendPages, findPictures } from './append-pages.ts';

const table = [
  {
    name: 'makes the title of a page the name of a section',
    given: '# Changelog\n\n## Unreleased\n\n- One\n',
    want: '# Changelog\n\n\n## Unreleased\n\n- One',
  },
  {
    name: 'puts every other heading below it',
    given: '# One\n# Two\n### Three\n',
    want: '# One\n\n## Two\n#### Three',
  },
  { name: 'lifts a heading that stands deeper than it must', given: '## One\n#### Two\n', want: '# One\n\n## Two' },
  { name: 'names a page without a title after its file', given: 'Words.\n', want: '# Not there\n\nWords.' },
  {
    name: 'leaves blocks of code alone',
    given: '# One\n````sh\n```\n# no heading\n[a](b.md)\n````\n# Two',
    want: '# One\n\n````sh\n```\n# no heading\n[a](b.md)\n````\n## Two',
  },
  {
    name: 'keeps the words of a link that leads nowhere from there',
    given: '# One\nAs [the guide](guide.md#a "Guide") and [here](#below) say. ![Logo](logo.png)',
    want: '# One\n\nAs the guide and here say. Logo',
  },
  {
    name: 'shows a local picture, and of one from elsewhere the alternative text',
    given: '# One\n![A "door" & <more>](door.svg "Door") ![b](https://a.example/b.png)\n```\n![c](door.svg)\n```',
    want: '# One\n\n<img alt="A &quot;door&quot; &amp; &lt;more>" width="48" height="60" src="data:image/svg+xml;base64,AA=="> b\n```\n![c](door.svg)\n```',
  },
  {
    name: 'reads headings that are underlined',
    given: 'One\n===\nTwo\n---\nWords.',
    want: '# One\n\n## Two\nWords.',
  },
  {
    name: 'takes nothing for a link or a heading within code, and an address with brackets whole',
    given: '# One\n`[a](b.md)`\n\n    # no heading\n\n[a [b]](c_(d).md "E")',
    want: '# One\n\n`[a](b.md)`\n\n    # no heading\n\na [b]',
  },
  {
    name: 'keeps links to other sites and to operations',
    given: '# One\n[a](https://a.example/b) [b](#operation/c)',
    want: '# One\n\n[a](https://a.example/b) [b](#operation/c)',
  },
];

const pictures = { 'door.svg': { address: 'data:image/svg+xml;base64,AA==', width: '48', height: '60' } };

describe('appendPages', () => {
  for (const { name, given, want } of table) {
    test(name, () => expect(appendPages('', [{ file: '/a/not-there.md', markdown: given, pictures }])).toBe(want));
  }

  test('keeps the order, after what is there', () => {
    const pages = ['b', 'c'].map((word) => ({ file: `${word}.md`, markdown: `# ${word}\n`, pictures: {} }));
    expect(appendPages('# a\n', pages)).toBe('# a\n\n# b\n\n# c');
    expect(appendPages(undefined, [])).toBe('');
  });
});

describe('findPictures', () => {
  test.each([
    ['![a](a.svg) and ![b](./b/c.png "C") and again ![a](a.svg)', ['a.svg', './b/c.png']],
    ['[a](a.svg) ![b](https://a.example/b.png) ![c](//a.example/c.png) ![d](data:image/gif;base64,AA)', []],
    ['![a](/a.png) ![b](#b) ![c]()', []],
    ['```\n![a](a.svg)\n```', []],
  ])('%j', (markdown, want) => expect(findPictures(markdown)).toEqual(want));
});
