import { defineConfig } from '@playwright/test';

const { CHROMIUM } = process.env;

/** Uses the browser that `npx playwright install chromium` installs, or the one that `CHROMIUM` names. */
export default defineConfig({
  testMatch: '*.spec.ts',
  reporter: 'line',
  // A busy build machine takes many times as long as yours.
  timeout: 90_000,
  use: CHROMIUM ? { launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox'] } } : {},
});
