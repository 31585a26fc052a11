// Opens a page in a real browser as a reader would, and records requests to other addresses and errors on the console: a
// correct page causes neither. For tests.
import { type Browser, type BrowserContextOptions, type BrowserServer, chromium, type Page } from 'playwright-core';

/** Without the browser's sandbox, which root cannot use, and without requests to the vendor. */
export const quiet: readonly string[] = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

export interface WatchedPage {
  readonly page: Page;
  /** Requested addresses other than the page's own, `data:` and `blob:`. */
  readonly outside: readonly string[];
  /** Console errors, including violations of the content policy, and uncaught exceptions. */
  readonly complaints: readonly string[];
}

/** A browser with an empty profile. Any process can connect to its `wsEndpoint`. */
export function launchBrowser(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath, args: [...quiet] });
}

/** @param offline disconnects the browser from the network; files on disk stay readable */
export async function watchPage(
  browser: Browser,
  url: string,
  { offline, ...options }: BrowserContextOptions & { readonly offline: boolean },
): Promise<WatchedPage> {
  const context = await browser.newContext({ offline, viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const outside: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const asked = request.url();
    if (asked.split('#')[0] !== url && !/^(?:data|blob):/.test(asked)) outside.push(asked);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, outside, complaints };
}
