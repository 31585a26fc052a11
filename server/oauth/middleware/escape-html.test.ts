import { expect, it } from 'vitest';
import { escapeHtml } from './escape-html.ts';

it('leaves no character that ends a text or an attribute', () => {
  expect(escapeHtml(`<a href="x" id='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  );
});
