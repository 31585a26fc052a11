import { environment } from '../config.ts';

const width = Math.max(...Object.keys(environment).map(({ length }) => length));
const lines = Object.entries(environment).map(([name, meaning]) => `  ${name.padEnd(width)} ${meaning}`);

/** What follows the commands in `--help`. */
export const environmentHelp = `\nEnvironment:\n${lines.join('\n')}

Exit codes: 0 fine, 1 refused as things stand, 2 wrong usage, or something that keeps it from running.`;
