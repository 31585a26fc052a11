import { environment } from '../config.ts';

const lines = Object.entries(environment).map(([name, meaning]) => `  ${name.padEnd(14)} ${meaning}`);

/** What follows the commands in `--help`. */
export const environmentHelp = `\nEnvironment:\n${lines.join('\n')}

Exit codes: 0 fine, 1 refused as things stand, 2 wrong usage, or something that keeps it from running.`;
