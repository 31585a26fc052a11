// Loaded before every test file. The seed itself is chosen once for a run, by vitest.config.ts.
import fc from 'fast-check';
import { chooseSeed } from './choose-seed.ts';

fc.configureGlobal({ seed: chooseSeed(process.env, Math.random).seed });
