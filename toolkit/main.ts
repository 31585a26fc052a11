#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Before anything else is loaded, so that all of it counts: the TypeScript compiler behind `generate` is 9 MB of source, and our own
// modules have their types stripped each time. Compiled once, both are then read from Node's own cache.
enableCompileCache();
await import('./command-line.ts');
