import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { contentPolicy } from './content-policy.ts';
import { samplePages } from './fixtures/sample-pages.ts';

const directives = (policy: string) =>
  Object.fromEntries(
    policy.split('; ').map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
  );

describe('the content policy', () => {
  test('allows the exact style of each page, and nothing else', () => {
    for (const { name, render } of samplePages) {
      const styles = [...render('en').matchAll(/<style>([\s\S]*?)<\/style>/g)];
      expect(styles, name).toHaveLength(1);
      const hash = createHash('sha256')
        .update(styles[0]?.[1] ?? '')
        .digest('base64');
      expect(directives(contentPolicy()), name).toEqual({
        'default-src': "'none'",
        'style-src': `'sha256-${hash}'`,
        'form-action': "'self'",
        'base-uri': "'none'",
        'frame-ancestors': "'none'",
      });
    }
  });

  test.each([
    { given: ['https://client.example/callback?x=1;script-src *'], want: "'self' https://client.example" },
    {
      given: ['https://client.example:8443/', 'https://client.example:8443/b'],
      want: "'self' https://client.example:8443",
    },
    { given: ['https:'], want: "'self' https:" },
    { given: ['http://[::1]:3000/callback'], want: "'self' http://[::1]:3000" },
    { given: ['https://bücher.example/'], want: "'self' https://xn--bcher-kva.example" },
  ])('leads a form to $want', ({ given, want }) => {
    expect(directives(contentPolicy(given))['form-action']).toBe(want);
  });

  test.each(["'unsafe-inline'", '*', 'client.example', 'javascript:alert(1)', 'data:,x', ''])(
    'refuses %s',
    (target) => {
      expect(() => contentPolicy([target])).toThrow(TypeError);
    },
  );
});
