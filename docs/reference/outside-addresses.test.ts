import { describe, expect, test } from 'vitest';
import { findOutsideAddresses } from './outside-addresses.ts';

const alone = { frame: ['<head></head>', '</html>'] as const, script: 'a()' };

const table = [
  { name: 'finds nothing in a page that stands alone', given: alone, want: [] },
  {
    name: 'knows namespaces and links',
    given: { ...alone, script: '"http://www.w3.org/2000/svg"; "https://redocly.com/redoc/"' },
    want: [],
  },
  {
    name: 'stops at a host of the renderer that nobody knows, once',
    given: { ...alone, script: '`https://cdn.redocly.com/a` `HTTPS://cdn.redocly.com/b`' },
    want: ['the renderer names the unknown host cdn.redocly.com'],
  },
  {
    name: 'takes no member that every object has for a host it knows',
    given: { ...alone, script: '"https://constructor/"' },
    want: ['the renderer names the unknown host constructor'],
  },
  {
    name: 'does not take a longer host for one it knows',
    given: { ...alone, script: '"https://github.com.evil.example/"' },
    want: ['the renderer names the unknown host github.com.evil.example'],
  },
  ...[
    '<script src="https://cdn.example/a.js">',
    "<img src='//cdn.example/a.js'>",
    '<img src=https://cdn.example/a.js>',
    '<link rel="stylesheet" href="https://cdn.example/a.js">',
    '<style>a{background:url(https://cdn.example/a.js)}</style>',
    '<style>@import "https://cdn.example/a.js";</style>',
    '<svg><use xlink:href="/a.js">',
    '<svg><image href="/a.js"/>',
    '<p title="a > b"><img alt="it\'s" src="/a.js">',
    '<p style="background: url(/a.js)">',
    '<STYLE media=all>a{mask:url("/a.js")}</STYLE>',
  ].map((html) => ({
    name: `finds what is fetched by ${html}`,
    given: { ...alone, frame: [html, ''] as const },
    want: [expect.stringMatching(/^the page fetches .*a\.js$/)],
  })),
  ...[
    '<img src="data:,">',
    '<link rel="icon" href="data:,">',
    '<style>a{mask:url(#a)}</style>',
    '<a href="https://a.example">',
    '<p>Send data=foo, background = bar or src="baz"</p>',
    '<p>Write url(https://a.example/b.png), or @import "b.css", or "&lt;img src=b.png>"</p>',
    '<meta name="description" content="a data=foo and a url(b.png)">',
    '<p>a < b src=c</p>',
  ].map((html) => ({ name: `allows ${html}`, given: { ...alone, frame: [html, ''] as const }, want: [] })),
  ...[
    ['meta', '<meta http-equiv="refresh" content="0;url=https://a.example">'],
    ['base', '<base href="https://a.example">'],
    ['form', '<form action="https://a.example"></form>'],
  ].map(([name, html = '']) => ({
    name: `finds ${html}, which leads elsewhere`,
    given: { ...alone, frame: [html, ''] as const },
    want: [`the page has a <${name}> that leads elsewhere`],
  })),
];

describe('findOutsideAddresses', () => {
  for (const { name, given, want } of table) test(name, () => expect(findOutsideAddresses(given)).toEqual(want));
});
