import { defineConfig } from '@playwright/test';

const { CHROMIUM } = process.env;

/** With the browser that `npx playwright install chromium` brings, or with the one that `CHROMIUM` names. */
export default defineConfig({
  testMatch: '*.spec.ts',
  reporter: 'line',
  use: CHROMIUM ? { launchOptions: { executablePath: CHROMIUM, args: ['--no-sandbox'] } } : {},
});
