import { existsSync } from 'node:fs';

/** Usual paths of Chromium and Chrome. `CHROMIUM` in the environment takes precedence. */
const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export type FoundBrowser =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * The path of a browser for the tests of pages, or a sentence with the program to install.
 *
 * @throws Error when `CHROMIUM` names a file that isn't there
 */
export function findBrowser(env: NodeJS.ProcessEnv, exists = existsSync): FoundBrowser {
  if (env.CHROMIUM && !exists(env.CHROMIUM))
    throw new Error(`CHROMIUM is ${env.CHROMIUM}, but this file does not exist.`);
  const path = env.CHROMIUM || places.find((place) => exists(place));
  return path
    ? { kind: 'found', path }
    : {
        kind: 'missing',
        reason: 'No Chromium was found: install one (apt-get install chromium) or name it in CHROMIUM.',
      };
}
