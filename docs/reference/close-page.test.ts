import { contentPolicy } from '@lockstep/runtime/docs/content-policy';
import { describe, expect, test } from 'vitest';
import { closePage } from './close-page.ts';
import { joinPage, splitPage } from './split-page.ts';

const table = [{ text: 'https://cdn.example/logo.svg', instead: 'data:,' }];

function page({
  head = '<meta charset="utf-8">',
  script = '`https://cdn.example/logo.svg`',
  telemetry = true,
} = {}): string {
  return `<head>${head}</head><body><script type="module">${script}
const __redoc_definition = {"a":"b;\\n"};
const __redoc_options = {"disableTelemetry":${telemetry}};
</script></body>`;
}

describe('closePage', () => {
  test('replaces the addresses and writes the policy and the key', () => {
    const closed = closePage(page(), 'abc', table);
    expect(closed).toContain('`data:,`');
    expect(closed).not.toContain('https:');
    expect(closed).toMatch(
      /<meta charset="utf-8">\s*<meta http-equiv="Content-Security-Policy" content="default-src 'none'; /,
    );
    expect(closed).toContain('content="sha256-abc"');
  });

  test('turns links of the pre-rendered body into fragments, and leaves others', () => {
    const head = '<meta charset="utf-8"><a class="b" href="/devices">d</a><a href="https://a.example/">a</a>';
    const closed = closePage(page({ head }), 'abc', table);
    expect(closed).toContain('<a class="b" href="#/devices">d</a><a href="https://a.example/">a</a>');
  });

  test('writes the policy that holds for the closed page', () => {
    const closed = closePage(page(), 'abc', table);
    expect(closed).toContain(`content="${contentPolicy(closed)}"`);
  });

  const faults = [
    { name: 'telemetry that is on', given: page({ telemetry: false }), want: 'the telemetry of the page is not off' },
    {
      name: 'an address that is gone',
      given: page({ script: '' }),
      want: 'no longer has https://cdn.example/logo.svg',
    },
    {
      name: 'a page without the place for the policy',
      given: page({ head: '' }),
      want: 'has no <meta charset="utf-8">',
    },
    {
      name: 'a stylesheet from elsewhere',
      given: page({ head: '<meta charset="utf-8"><link rel=stylesheet href=https://a.example/b.css>' }),
      want: 'the page fetches https://a.example/b.css',
    },
    {
      name: 'a script that the renderer does not bring',
      given: page({ head: '<meta charset="utf-8"><script>colours()</script><script>stranger()</script>' }),
      want: 'the page has 3 scripts, Redoc has 2',
    },
  ];
  for (const { name, given, want } of faults) {
    test(`refuses ${name}`, () => expect(() => closePage(given, 'abc', table)).toThrow(want));
  }

  test('names all faults at once', () => {
    expect(() => closePage(page({ telemetry: false, script: '' }), 'abc', table)).toThrow(/no longer[\s\S]*telemetry/);
  });
});

describe('splitPage', () => {
  test('is undone by joinPage', () => expect(joinPage(splitPage(page()))).toBe(page()));

  test('finds the contract', () => expect(splitPage(page()).definition).toBe('{"a":"b;\\n"}'));

  test('refuses another layout', () => expect(() => splitPage('<html></html>')).toThrow('another structure'));
});

describe('contentPolicy', () => {
  test('allows the scripts of the page by hash, each once', () => {
    // printf a | openssl dgst -sha256 -binary | base64
    const hash = "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='";
    expect(contentPolicy('<script>a</script><script type="module">a</script>')).toContain(`script-src ${hash};`);
  });

  test('changes with every byte of a script', () => {
    expect(contentPolicy('<script>a </script>')).not.toBe(contentPolicy('<script>a</script>'));
  });
});
