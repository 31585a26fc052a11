import { contentPolicy } from '@lockstep/runtime/docs/content-policy';
import { findOutsideAddresses, listElements } from './outside-addresses.ts';
import { changeRenderer, rendererChanges } from './renderer-changes.ts';
import { joinPage, splitPage } from './split-page.ts';

/** One script for the reader's choice of colours, and one with renderer and contract. The policy allows every script of the page by its hash. */
const mostScripts = 2;
const charset = '<meta charset="utf-8">';

/**
 * Makes a page of `redocly build-docs --inlineBundle` self-contained.
 *
 * @param key hash of the inputs, written into the head of the page
 * @throws Error with all faults: addresses that the page would request, telemetry that is not off, a changed structure
 */
export function closePage(html: string, key: string, table = rendererChanges): string {
  const page = splitPage(html);
  const { script, missing } = changeRenderer(page.script, table);
  const [before, after] = page.frame;
  const closed = { ...page, script, frame: [linkWithin(before), after] as const };
  const scripts = listElements(page.frame.join('')).filter(({ tagName }) => tagName === 'script');
  const faults = [
    ...missing.map((text) => `the renderer no longer has ${text}`),
    ...findOutsideAddresses(closed),
    ...(scripts.length > mostScripts ? [`the page has ${scripts.length} scripts, Redoc has ${mostScripts}`] : []),
    ...(page.frame[1].includes('"disableTelemetry":true') ? [] : ['the telemetry of the page is not off']),
    ...(page.frame[0].includes(charset) ? [] : [`the page has no ${charset}, which its policy follows`]),
  ];
  if (faults.length > 0)
    throw new Error(`The reference is not self-contained:\n${faults.map((f) => `- ${f}`).join('\n')}`);
  const whole = joinPage(closed);
  const policy = `<meta http-equiv="Content-Security-Policy" content="${contentPolicy(whole)}">`;
  const inputs = `<meta name="inputs" content="sha256-${key}">`;
  return whole.replace(charset, () => `${charset}\n  ${policy}\n  ${inputs}`);
}

/** Turns paths into fragments: the pre-rendered body links to paths of a site, but Redoc's script uses fragments. */
function linkWithin(html: string): string {
  const paths = listElements(html).flatMap(({ tagName, attrs, sourceCodeLocation }) => {
    const isPath = tagName === 'a' && attrs.some(({ name, value }) => name === 'href' && value.startsWith('/'));
    return (isPath && sourceCodeLocation?.attrs?.href?.startOffset) || [];
  });
  const cuts = paths.map((offset) => html.indexOf('/', offset));
  return [0, ...cuts].map((cut, index) => html.slice(cut, cuts[index])).join('#');
}
