import { defineConfig } from '@playwright/test';

const { CHROMIUM } = process.env;

/** With the browser that `npx playwright install chromium` brings, or with the one that `CHROMIUM` names. */
export default defineConfig({
  testMatch: '*.spec.ts',
  reporter: 'line',
  // A build machine that is busy takes many times as long as yours.
  timeout: 90_000,
  use: CHROMIUM ? { launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox'] } } : {},
});
