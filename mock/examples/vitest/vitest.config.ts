import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    // The first sandbox of a process takes a second, and many times as long on a busy build machine.
    hookTimeout: 60_000,
    testTimeout: 60_000,
  },
});
