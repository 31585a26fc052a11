import { describe, expect, test } from 'vitest';
import { findBrowser } from './find-browser.ts';

const table = [
  {
    name: 'takes the one that is named',
    env: { CHROMIUM: '/opt/c' },
    files: ['/opt/c', '/usr/bin/chromium'],
    want: '/opt/c',
  },
  { name: 'takes the first that is there', env: {}, files: ['/usr/bin/google-chrome'], want: '/usr/bin/google-chrome' },
  {
    name: 'takes an empty name for none',
    env: { CHROMIUM: '' },
    files: ['/usr/bin/chromium'],
    want: '/usr/bin/chromium',
  },
];

describe('findBrowser', () => {
  for (const { name, env, files, want } of table) {
    test(name, () =>
      expect(findBrowser(env, (path) => files.includes(String(path)))).toEqual({ kind: 'found', path: want }),
    );
  }

  test('names the program to install if there is none', () => {
    expect(findBrowser({}, () => false)).toEqual({
      kind: 'missing',
      reason: expect.stringContaining('apt-get install chromium'),
    });
  });

  test('refuses a name that leads nowhere, instead of taking another browser', () => {
    expect(() => findBrowser({ CHROMIUM: '/opt/c' }, (path) => path === '/usr/bin/chromium')).toThrow('/opt/c');
  });
});
