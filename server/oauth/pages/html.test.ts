import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml, html, isolate } from './html.ts';

test('leaves no character that closes a text or an attribute', () => {
  expect(escapeHtml(`<a href="x" id='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  );
});

test.each([
  { name: 'text', given: html`<p>${'<b> & "c"'}</p>`, want: '<p>&lt;b&gt; &amp; &quot;c&quot;</p>' },
  { name: 'a template as it is', given: html`<p>${html`<b>${'<'}</b>`}</p>`, want: '<p><b>&lt;</b></p>' },
  { name: 'a list', given: html`<p>${['<', html`<b>`, [1]]}</p>`, want: '<p>&lt;<b>1</p>' },
  { name: 'nothing', given: html`<p>${undefined}${false}${[]}</p>`, want: '<p></p>' },
  { name: 'zero and the empty text', given: html`<p>${0}${''}</p>`, want: '<p>0</p>' },
])('accepts $name', ({ given, want }) => {
  expect(given.toString()).toBe(want);
});

test('escapes any text, and the result reads back as that text', () => {
  const readBack = (text: string) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const escaped = html`${text}`.toString();
      expect(escaped).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
      expect(readBack(escaped)).toBe(text);
    }),
  );
});

test('isolates a name: it opens and closes no bidi run', () => {
  const hostile = '\u2069\u202Eelpmaxe.live\u2066';
  expect(isolate(`<${hostile}>`).toString()).toBe('<bdi>&lt;elpmaxe.live&gt;</bdi>');
  expect(isolate('مفاتيح \u200Fالبحر').toString()).toBe('<bdi>مفاتيح \u200Fالبحر</bdi>');
});
