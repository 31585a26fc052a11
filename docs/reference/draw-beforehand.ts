// Redocly's process loads this file first. It changes the code of Redocly that renders the introduction in advance, so that the page shows only
// allowed Markdown.
import { registerHooks } from 'node:module';
import { changeRenderer, drawnBeforehand } from './renderer-changes.ts';

let isChanged = false;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.includes('/@redocly/cli/') || !(loaded.source instanceof Uint8Array)) return loaded;
    const { script, missing } = changeRenderer(Buffer.from(loaded.source).toString(), [drawnBeforehand]);
    if (missing.length > 0) return loaded;
    isChanged = true;
    return { ...loaded, source: script };
  },
});

process.on('exit', (code) => {
  if (isChanged || code !== 0) return;
  process.stderr.write(`The renderer no longer has ${drawnBeforehand.text}\n`);
  process.exitCode = 1;
});
