// Loaded into a process before anything else: leaves how much memory it held at most, in kB, when it ends.
import { appendFileSync } from 'node:fs';

const { PEAK_FILE } = process.env;
if (PEAK_FILE !== undefined) process.on('exit', () => appendFileSync(PEAK_FILE, `${process.resourceUsage().maxRSS}\n`));
