// The style of all pages, in the colours of the reference. It is inline, so that a page fetches nothing.
import { createHash } from 'node:crypto';

export const style = `
:root {
  color-scheme: light dark;
  --ground: #eef3f2; --sheet: #ffffff; --inset: #f4f8f7; --line: #d3dddb;
  --ink: #16211f; --muted: #53625f; --control: #74837f;
  --primary: #0b6e63; --primary-hover: #095c53; --primary-active: #074a43; --on-primary: #ffffff;
  --fault: #a3221a; --fault-ground: #fdf0ef; --fault-line: #e3aaa6;
  --shadow: 0 1px 2px #0b2f2a14, 0 8px 32px #0b2f2a14;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1413; --sheet: #161e1d; --inset: #1c2625; --line: #2d3a38;
    --ink: #e6edeb; --muted: #a2b1ae; --control: #71827e;
    --primary: #35b3a4; --primary-hover: #4cc4b6; --primary-active: #6dd3c7; --on-primary: #04211d;
    --fault: #ffa198; --fault-ground: #2e1917; --fault-line: #6e3833;
    --shadow: none;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-block: 1rem; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
body > * { width: calc(100% - 2rem); margin-inline: auto; }
.narrow > * { max-width: 27rem; }
.wide > * { max-width: 44rem; }
header { display: flex; align-items: center; gap: .625rem; padding: 2.5rem 2rem 1rem; font-weight: 600; }
header svg { flex: none; fill: var(--primary); }
header path { fill: none; stroke: var(--on-primary); stroke-width: 2; stroke-linecap: round; }
header rect + path + rect { fill: var(--on-primary); }
main { padding: 2rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; box-shadow: var(--shadow); margin-bottom: 2.5rem; }
@media (max-width: 30rem) {
  body { background: var(--sheet); }
  body > * { width: 100%; }
  header { padding: 1.25rem 1.25rem .5rem; }
  main { padding: .75rem 1.25rem 2rem; border: 0; border-radius: 0; box-shadow: none; margin-bottom: 0; }
}
h1, h2, h3, p, ul, dl, dd { margin: 0; }
h1 { font-size: 1.5rem; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
h2 { font-size: 1.0625rem; line-height: 1.4; font-weight: 650; }
h3 { font-size: .9375rem; line-height: 1.4; font-weight: 600; }
main > * + * { margin-top: 1rem; }
main > h1 + :is(p, div) { margin-top: .75rem; }
main > form, main > .facts { margin-top: 1.5rem; }
main > section { margin-top: 2rem; }
main > section > * + * { margin-top: .75rem; }
.muted { color: var(--muted); }
.small { font-size: .875rem; }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
a { color: var(--primary); text-underline-offset: .15em; }
a.target { display: inline-block; min-height: 2.75rem; padding: .6875rem 0; }
a:hover { color: var(--primary-active); }
:focus-visible { outline: 3px solid var(--primary); outline-offset: 2px; border-radius: 4px; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.message { padding: .75rem 1rem; border: 1px solid var(--line); border-inline-start: 4px solid var(--primary); border-radius: 6px; background: var(--inset); }
.message.fault { border-color: var(--fault-line); border-inline-start-color: var(--fault); background: var(--fault-ground); color: var(--fault); }
.message p + p { margin-top: .25rem; }

label { display: block; margin-bottom: .375rem; font-weight: 600; font-size: .9375rem; }
.field + .field { margin-top: 1rem; }
input {
  display: block; width: 100%; min-height: 3rem; padding: .5rem .75rem; border: 1px solid var(--control); border-radius: 8px;
  background: var(--sheet); color: inherit; font: inherit;
}
input[aria-invalid] { border: 2px solid var(--fault); padding: calc(.5rem - 1px) calc(.75rem - 1px); }
input:focus-visible { border-radius: 8px; outline-offset: 0; }
input[aria-invalid]:focus-visible { outline-color: var(--fault); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.actions > * { flex: 1 1 9rem; }
button {
  min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--control); border-radius: 8px;
  background: transparent; color: var(--ink); font: inherit; font-weight: 600; cursor: pointer;
}
button:hover { background: var(--inset); border-color: var(--ink); }
button:focus-visible { border-radius: 8px; }
.actions button { min-height: 3rem; width: 100%; }
button.primary { background: var(--primary); border-color: var(--primary); color: var(--on-primary); }
button.primary:hover { background: var(--primary-hover); border-color: var(--primary-hover); }
button.primary:active { background: var(--primary-active); border-color: var(--primary-active); }
button.danger { color: var(--fault); border-color: var(--fault); }
button.danger:hover { background: var(--fault-ground); }
button.link { padding: .5rem 0; border: 0; background: none; color: var(--primary); text-decoration: underline; text-underline-offset: .15em; text-align: start; font-weight: 400; outline-offset: -2px; }

.facts { border: 1px solid var(--line); border-radius: 8px; background: var(--inset); padding: .25rem 1rem; }
.facts > div { display: grid; grid-template-columns: minmax(8rem, 2fr) 5fr; gap: .125rem 1rem; padding: .625rem 0; }
.facts > div + div { border-top: 1px solid var(--line); }
.facts dt { color: var(--muted); }
.facts dd { font-weight: 600; }
.facts dd > .muted { font-weight: 400; display: block; }
@media (max-width: 30rem) { .facts > div { grid-template-columns: 1fr; } }

.groups { display: grid; gap: 1rem; }
.groups > div { display: flex; gap: .875rem; }
.group { flex: 1; min-width: 0; display: grid; grid-template-columns: 13rem 1fr; gap: .375rem 1.5rem; align-items: start; }
@media (max-width: 44rem) { .group { grid-template-columns: 1fr; } }
.groups > div + div { border-top: 1px solid var(--line); padding-top: 1rem; }
.groups svg { flex: none; margin-top: .0625rem; fill: none; stroke: var(--primary); stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
.groups ul { display: grid; gap: .25rem; padding: 0; list-style: none; }
.groups li { position: relative; padding-inline-start: 1.125rem; }
.groups li::before { content: ""; position: absolute; inset-inline-start: .125rem; top: .5625rem; width: .375rem; height: .375rem; border-radius: 50%; background: var(--primary); }

.apps { display: grid; gap: 1rem; padding: 0; list-style: none; }
.apps > li { padding: 1.25rem; border: 1px solid var(--line); border-radius: 8px; }
.apps > li > * + * { margin-top: .75rem; }
.app-head { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: flex-start; }
.app-head > div { flex: 1 1 14rem; }
.app-head p span { display: inline-block; margin-inline-end: 1rem; }
.apps .groups { margin-top: .5rem; }
details { border-top: 1px solid var(--line); padding-top: .25rem; margin-bottom: -.5rem; }
details[open] { margin-bottom: 0; }
summary { padding: .625rem 0; color: var(--primary); font-weight: 600; cursor: pointer; min-height: 2.75rem; }
summary .muted { font-weight: 400; margin-inline-start: .375rem; }
details[open] summary .muted { display: none; }
.row { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; justify-content: space-between; }
.foot { padding-top: 1rem; border-top: 1px solid var(--line); }
main > .foot { margin-top: 1.75rem; }
.trace > div + div { margin-top: .25rem; }
.trace > div { display: grid; grid-template-columns: 5.5rem 1fr; }
@media (forced-colors: active) { button.primary { border-width: 3px; } }
`;

/** The source expression by which a policy allows exactly this text (Content Security Policy Level 3, 8.3). */
export const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
