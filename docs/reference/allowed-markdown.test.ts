import { describe, expect, test } from 'vitest';
import { allowedMarkdown, keepAllowed, type MarkdownNode } from './allowed-markdown.ts';

type Children = readonly (MarkdownNode | string)[];

/** A node as Redoc passes it. */
function node(type: string, attributes: object, ...children: Children): MarkdownNode {
  const nodes = children.map((child) => (typeof child === 'string' ? node('text', { content: child }) : child));
  return { type, attributes: { ...attributes }, children: nodes };
}
function element(name: unknown, attrs: unknown, ...children: Children): MarkdownNode {
  return { ...node('tag', { name, attrs }, ...children), tag: 'html' };
}

/** Writes a tree as short text. */
function write({ type, tag, attributes, children }: MarkdownNode): string {
  const within = children.map(write).join('');
  if (type === 'text') return String(attributes.content);
  const name = tag === 'html' ? attributes.name : (tag ?? type);
  const own = tag === 'html' ? attributes.attrs : attributes;
  return `<${[name, ...Object.entries(own as object).map(([key, value]) => `${key}=${value}`)].join(' ')}>${within}`;
}
const kept = (...nodes: readonly MarkdownNode[]) => keepAllowed(nodes, allowedMarkdown).map(write).join('');

const at = 'https://a.example/b.png';
const computed = { $$mdtype: 'Function', name: 'default', parameters: {} };

describe('of Markdown', () => {
  test.each([
    ['an element that leads away', element('meta', { httpEquiv: 'refresh', content: '0;url=https://a.example' }), ''],
    ['an element in another case', element('META', { httpEquiv: 'refresh' }), ''],
    ['an element by a name that is computed', element(computed, {}, 'words'), 'words'],
    ['a form, but its words', element('form', { action: at }, 'words'), 'words'],
    ['a style with what is in it', element('style', {}, '* { display: none }'), ''],
    ['a page within the page', element('iframe', { src: at }, 'none'), ''],
    ['what stands within', element('b', {}, element('i', {}, element('base', { href: at }), 'words')), '<b><i>words'],
    ['attributes of an element', element('b', { style: {}, id: 'redoc', onClick: 'a()', className: 'overlay' }), '<b>'],
    ['markup that React would take as it is', element('b', { dangerouslySetInnerHTML: { __html: '<base>' } }), '<b>'],
    ['attributes that are computed', element('a', { href: computed }, 'words'), '<a>words'],
    ['an address that is a script', element('a', { href: ' java\nscript:a()' }, 'words'), '<a>words'],
    ['a tag of Markdoc', { ...node('tag', { file: 'a' }, 'words'), tag: 'partial' }, 'words'],
    [
      'attributes of a heading',
      node('heading', { level: 2, class: 'overlay', style: 'a' }, 'words'),
      '<heading level=2>words',
    ],
    ['an address that Markdoc puts in', node('link', { href: 'vbscript:a()' }, 'words'), '<link>words'],
    ['a picture from elsewhere, but its words', node('image', { src: at, alt: 'Plan' }), 'Plan'],
    ['an element of a picture from elsewhere', element('img', { src: at, alt: 'Plan' }), 'Plan'],
    ['a picture without words', element('img', { src: '//a.example/b.png' }), ''],
    ['a picture in a link', node('link', { href: at }, node('image', { src: at })), `<link href=${at}>${at}`],
  ])('goes %s', (_, given, want) => expect(kept(given)).toBe(want));

  test.each([
    element('details', { open: '' }, element('summary', {}, 'words')),
    element('td', { colSpan: '2', align: 'left' }, 'words'),
    element('a', { href: 'https://a.example', title: 'A' }, 'words'),
    element('a', { href: '#operation/a' }, 'words'),
    element('img', { src: 'data:image/png;base64,AA==', alt: 'Plan', width: '4' }),
    node('image', { src: 'data:image/png;base64,AA==', alt: 'Plan' }),
    node('link', { href: 'mailto:a@a.example' }, 'words'),
    node('fence', { content: '<base>', language: 'html' }, '<base>'),
    { ...node('tag', { schemaRef: '#/components/schemas/A' }), tag: 'schemaDefinition' },
  ])('stays what is allowed: $type $tag $attributes', (given) => expect(kept(given)).toBe(write(given)));

  test('an empty document stays what it is', () => {
    const empty = node('document', {});
    expect(keepAllowed(empty, allowedMarkdown)).toBe(empty);
  });
});
