import { describe, expect, it } from 'vitest';
import { appendPages } from './append-pages.ts';

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
    name: 'keeps links to other sites and to operations',
    given: '# One\n[a](https://a.example/b) [b](#operation/c)',
    want: '# One\n\n[a](https://a.example/b) [b](#operation/c)',
  },
];

describe('appendPages', () => {
  for (const { name, given, want } of table) {
    it(name, () => expect(appendPages('', [{ file: '/a/not-there.md', markdown: given }])).toBe(want));
  }

  it('keeps the order, after what is there', () => {
    const pages = ['b', 'c'].map((word) => ({ file: `${word}.md`, markdown: `# ${word}\n` }));
    expect(appendPages('# a\n', pages)).toBe('# a\n\n# b\n\n# c');
    expect(appendPages(undefined, [])).toBe('');
  });
});
