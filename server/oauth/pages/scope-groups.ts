import contract from '@lockstep/contract/contract.json' with { type: 'json' };

/** Every scope of a login, with its description in the contract. */
export const contractScopes = contract.components.securitySchemes.oauth2.flows.authorizationCode.scopes;

export type ContractScope = keyof typeof contractScopes;

/** Scopes by their effect for an owner, in the order of the pages: the gravest first. Each scope of the contract is in one group. */
export const scopeGroups = {
  doors: [
    'serviceapi/unlock-bridge-proxied-job',
    'serviceapi/lock-bridge-proxied-job',
    'serviceapi/create-ekey-access',
  ],
  codes: [
    'serviceapi/algopin-permanent',
    'serviceapi/algopin-daily',
    'serviceapi/algopin-hourly',
    'serviceapi/algopin-onetime',
    'serviceapi/algopin-passage',
    'serviceapi/get-master-pin',
    'serviceapi/create-pin-bridge-proxied-job',
    'serviceapi/delete-pin-bridge-proxied-job',
  ],
  devices: [
    'serviceapi/update-device',
    'serviceapi/get-devices',
    'serviceapi/get-properties',
    'serviceapi/get-device-status-bridge-proxied-job',
    'serviceapi/get-battery-level-bridge-proxied-job',
    'serviceapi/get-job-status',
  ],
  activity: [
    'serviceapi/get-device-activity',
    'serviceapi/get-activity-logs-bridge-proxied-job',
    'serviceapi/store-device-activity',
  ],
  person: ['profile', 'openid'],
} as const satisfies Readonly<Record<string, readonly ContractScope[]>>;

/** `others` contains scopes that are not in this table, such as those of a later version. */
export type ScopeGroup = keyof typeof scopeGroups | 'others';

export function isContractScope(scope: string): scope is ContractScope {
  return Object.hasOwn(contractScopes, scope);
}

/** The groups of these scopes, in the order of the table; each scope occurs once. */
export function groupScopes(scopes: readonly string[]): readonly (readonly [ScopeGroup, readonly string[]])[] {
  const left = new Set(scopes);
  const known = Object.entries(scopeGroups).map(([group, members]): [ScopeGroup, readonly string[]] => [
    group as ScopeGroup,
    members.filter((scope) => left.delete(scope)),
  ]);
  return [...known, ['others', [...left]] as const].filter(([, members]) => members.length > 0);
}
