import { describe, expect, test } from 'vitest';
import { html } from './html.ts';
import { wordingOf } from './wording.ts';

const en = wordingOf('en');
const de = wordingOf('de');

describe('a wording', () => {
  test.each([
    { seconds: -1, english: '1 second', german: '1 Sekunde' },
    { seconds: 0.2, english: '1 second', german: '1 Sekunde' },
    { seconds: 30, english: '30 seconds', german: '30 Sekunden' },
    { seconds: 119.5, english: '2 minutes', german: '2 Minuten' },
    { seconds: 121, english: '3 minutes', german: '3 Minuten' },
    { seconds: 86_400, english: '1,440 minutes', german: '1.440 Minuten' },
  ])('rounds a wait of $seconds s up', ({ seconds, english, german }) => {
    expect([en.wait(seconds), de.wait(seconds)]).toEqual([english, german]);
  });

  test('counts days', () => {
    expect([en.days(1), en.days(365), de.days(1), de.days(365)]).toEqual(['1 day', '365 days', '1 Tag', '365 Tage']);
  });

  test('names the day in UTC in any time zone', () => {
    const lastMoment = Date.UTC(2027, 10, 22, 23, 59, 59, 999);
    expect(en.date(lastMoment).toString()).toBe('<time datetime="2027-11-22">November 22, 2027</time>');
    expect(de.date(lastMoment + 1).toString()).toBe('<time datetime="2027-11-23">23. November 2027</time>');
  });

  test('escapes values, and never reads their braces as placeholders', () => {
    expect(en.say('notice.disconnected', { client: '<b>{client}</b>' }).toString()).toBe(
      '&lt;b&gt;{client}&lt;/b&gt; is disconnected.',
    );
    expect(de.say('notice.disconnected', { client: html`<b>$&</b>` }).toString()).toBe('<b>$&</b> ist getrennt.');
  });

  test('does not compile without a value, nor with one of another name', () => {
    // @ts-expect-error
    expect(en.say('notice.disconnected').toString()).toBe(' is disconnected.');
    // @ts-expect-error
    expect(en.say('notice.disconnected', { name: 'x' }).toString()).toBe(' is disconnected.');
    // @ts-expect-error
    expect(en.say('login.title', { client: 'x' }).toString()).toBe('Log in');
  });

  test('has the descriptions of the contract, with muted remarks for developers', () => {
    const text = en.scope('serviceapi/create-ekey-access').toString();
    expect(text).toBe(
      'Generate Bluetooth key<span class="muted">; also required by <code>admin_key</code> of the device details</span>',
    );
    expect(en.scope('serviceapi/get-devices').toString()).toBe(
      'List devices, devices supporting algoPIN, device details',
    );
  });

  test.each(['serviceapi/later', 'toString', '__proto__', '<script>'])(
    'shows the unknown scope %s by its name',
    (scope) => {
      expect(de.scope(scope).toString()).toBe(html`<code>${scope}</code>`.toString());
    },
  );
});
