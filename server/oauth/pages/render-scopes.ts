import { type Html, html } from './html.ts';
import { groupScopes, type ScopeGroup } from './scope-groups.ts';
import type { Wording } from './wording.ts';

const icons: Readonly<Record<ScopeGroup, Html>> = {
  doors: html`<path d="M4 18V3.5A1.5 1.5 0 0 1 5.5 2h9A1.5 1.5 0 0 1 16 3.5V18M2 18h16M12.5 10v1"/>`,
  codes: html`<rect x="2" y="5" width="16" height="10" rx="2"/><path d="M6 10h.01M10 10h.01M14 10h.01"/>`,
  devices: html`<rect x="6" y="2" width="8" height="16" rx="2"/><path d="M10 6v3M9 14h2"/>`,
  activity: html`<circle cx="10" cy="10" r="8"/><path d="M10 5.500V10l3 2"/>`,
  person: html`<circle cx="10" cy="6.5" r="3.5"/><path d="M3 18a7 7 0 0 1 14 0"/>`,
  others: html`<circle cx="10" cy="10" r="8"/><path d="M7.5 8A2.5 2.5 0 1 1 10 10.500V11.500M10 14.500h.01"/>`,
};

/** Descriptions of scopes by group, below a heading of the second level. */
export function renderScopes({ group, scope }: Wording, scopes: readonly string[]): Html {
  const groups = groupScopes(scopes).map(([key, members]) => {
    const { name, stake } = group(key);
    return html`<div>
<svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">${icons[key]}</svg>
<div class="group">
<div><h3>${name}</h3>
<p class="muted small">${stake}</p></div>
<ul>${members.map((member) => html`<li>${scope(member)}</li>`)}</ul>
</div>
</div>
`;
  });
  return html`<div class="groups">
${groups}</div>`;
}

/** The names of the scopes' groups, as a summary. */
export function renderScopeGroups({ group }: Wording, scopes: readonly string[]): Html {
  return html`${groupScopes(scopes).map(([key], index) => [index > 0 && ' · ', group(key).name])}`;
}
